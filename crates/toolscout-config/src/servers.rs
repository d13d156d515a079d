//! Merges the servers of all files: the first file that contains an id wins, and one invalid entry
//! does not hide the others.

use super::entry::{EntryContext, ServerEntry};
use super::files::{ConfigFile, ConfigScope, RawEntry};
use super::policies;
use super::section::{ParsedSection, UnknownKey};
use crate::Config;
use crate::import::OwnProgram;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use toolscout_core::authorization::Policy;
use toolscout_core::{Diagnostic, DiagnosticKind, SourceId, ToolPatterns};
use toolscout_mcp_client::{ReferenceLookup, ServerConfig};

/// A server and its location in the configuration.
#[derive(Debug, Clone, PartialEq)]
pub struct ConfiguredServer {
    pub server: ServerConfig,
    pub scope: ConfigScope,
    pub file: PathBuf,
    /// The keys that lead to its entry in the file, its own last.
    pub path: Vec<String>,
    /// Whether it may be started; servers of an untrusted project may not.
    pub may_start: bool,
}

/// Recognizes our own program: toolscout must not start itself recursively.
static OWN_PROGRAM: LazyLock<OwnProgram> = LazyLock::new(|| OwnProgram::running("toolscout"));

/// Adds the servers of all files to a configuration, the file with the highest precedence first.
pub(super) struct ServerCollector<'a> {
    /// Receives the servers, their rules and the diagnostics about their entries.
    config: &'a mut Config,
    root: Option<&'a Path>,
    lookup: ReferenceLookup,
    is_trusted: &'a dyn Fn() -> bool,
    /// Ids that an earlier file has decided, and whether it only disabled the server.
    decided: BTreeMap<String, EntryDecision>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum EntryDecision {
    Final,
    Off,
}

impl<'a> ServerCollector<'a> {
    /// `is_trusted` returns whether the project root is trusted; it is called only if needed.
    pub(super) fn new(
        config: &'a mut Config,
        root: Option<&'a Path>,
        lookup: ReferenceLookup,
        is_trusted: &'a dyn Fn() -> bool,
    ) -> Self {
        Self { config, root, lookup, is_trusted, decided: BTreeMap::new() }
    }

    /// Adds the servers of the next file.
    pub(super) fn add(&mut self, file: &ConfigFile, entries: Vec<RawEntry>) {
        if entries.is_empty() {
            return;
        }
        let around = self.around(file);
        let mut here: BTreeMap<String, String> = BTreeMap::new();
        for RawEntry { path, value } in entries {
            let reading = EntryReader { file, around: &around, path: &path };
            if let Some(id) = self.id(&reading, &mut here) {
                self.entry(id, &reading, value);
            }
        }
    }

    fn around(&self, file: &ConfigFile) -> EntryContext {
        let folder = file.document.folder();
        let (base, trusted) = match file.scope {
            ConfigScope::User => (folder, true),
            ConfigScope::Project => (self.root.unwrap_or(folder), (self.is_trusted)()),
        };
        EntryContext {
            file: file.document.path.clone(),
            root: self.root.map(Path::to_owned),
            base: base.to_owned(),
            trusted,
            lookup: self.lookup.clone(),
        }
    }

    /// The id, if the name is valid. In files of other programs an invalid name becomes the nearest
    /// valid id.
    fn id(
        &mut self,
        reading: &EntryReader<'_>,
        here: &mut BTreeMap<String, String>,
    ) -> Option<SourceId> {
        let name = reading.name();
        let id = match SourceId::new(name) {
            Ok(id) => id,
            Err(invalid) if reading.file.is_ours => {
                self.warn(reading, &[], invalid.to_string());
                return None;
            }
            Err(invalid) => SourceId::new(&invalid.nearest).ok()?,
        };
        if SourceId::RESERVED.contains(&id.as_str()) {
            let reason = format!(
                "the id `{id}` is toolscout's own; call it something else, for example `{id}-server`"
            );
            self.warn(reading, &[], reason);
            return None;
        }
        if let Some(other) = here.insert(id.as_str().to_owned(), name.to_owned()) {
            self.warn(
                reading,
                &[],
                format!("`{name}` and `{other}` would both be called `{id}`; it is left out"),
            );
            return None;
        }
        if id.as_str() != name {
            self.note(reading, format!("`{name}` is called `{id}` here"));
        }
        Some(id)
    }

    fn entry(&mut self, id: SourceId, reading: &EntryReader<'_>, value: Value) {
        let ParsedSection { value: entry, unknown } = match ServerEntry::read(value) {
            Ok(section) => section,
            Err(error) => {
                self.decide(&id, EntryDecision::Final);
                return self.warn(
                    reading,
                    &error.keys(&[]),
                    format!("server `{id}`: {error}; it is left out"),
                );
            }
        };
        let decision = self.decided.get(id.as_str()).copied();
        // The user's rules for a server apply even if a project configures the same server.
        if decision != Some(EntryDecision::Final) || reading.file.scope == ConfigScope::User {
            self.rules(&id, &entry, reading);
        }
        if decision == Some(EntryDecision::Final) {
            return self.note(
                reading,
                format!("server `{id}` is configured in another file, which comes first"),
            );
        }
        self.unknown(&id, &unknown, reading);
        if entry.only_turns_off() {
            return self.decide(&id, EntryDecision::Off);
        }
        self.decide(&id, EntryDecision::Final);
        if entry.command.as_deref().is_some_and(|it| OWN_PROGRAM.is_started_by(it)) {
            return self
                .note(reading, format!("server `{id}` is toolscout itself; it is left out"));
        }
        match entry.server(id.clone(), reading.around) {
            Err(reason) => {
                self.warn(reading, &[], format!("server `{id}`: {reason}; it is left out"))
            }
            Ok(mut server) => {
                server.enabled &= decision != Some(EntryDecision::Off);
                self.config.listed.extend(ToolPatterns::of_source(&id, &entry.listed));
                server.policies =
                    policies_of(&entry).map(|(name, policy, _)| (name, policy)).collect();
                self.config.servers.push(reading.configured(server));
            }
        }
    }

    fn decide(&mut self, id: &SourceId, decision: EntryDecision) {
        let before = self.decided.entry(id.as_str().to_owned()).or_insert(decision);
        if decision == EntryDecision::Final {
            *before = decision;
        }
    }

    fn rules(&mut self, id: &SourceId, entry: &ServerEntry, reading: &EntryReader<'_>) {
        for (name, policy, is_known) in policies_of(entry) {
            if !is_known {
                let word = entry.tools.get(&name).map_or("", String::as_str);
                let reason = policies::unknown(&format!("the policy of `{name}`"), word);
                self.warn(reading, &["tools", &name], format!("server `{id}`: {reason}"));
            }
            let level = match reading.file.scope {
                ConfigScope::Project => &mut self.config.project,
                ConfigScope::User => &mut self.config.user,
            };
            level.rules.push((format!("{id}/{name}"), policy));
        }
    }

    fn unknown(&mut self, id: &SourceId, keys: &[UnknownKey], reading: &EntryReader<'_>) {
        for key in keys {
            let suggestion = if reading.file.is_ours { key.suggestion() } else { String::new() };
            self.warn(
                reading,
                &[key.name()],
                format!("server `{id}`: unknown key `{}`{suggestion}", key.name()),
            );
        }
    }

    fn warn(&mut self, reading: &EntryReader<'_>, below: &[&str], reason: String) {
        let path: Vec<&str> =
            reading.path.iter().map(String::as_str).chain(below.iter().copied()).collect();
        self.config.problems.push(reading.file.document.warning(&path, reason));
    }

    fn note(&mut self, reading: &EntryReader<'_>, message: String) {
        self.config.problems.push(
            Diagnostic::debug(DiagnosticKind::Setting, message).at(&reading.file.document.path),
        );
    }
}

/// The entry being read.
struct EntryReader<'a> {
    file: &'a ConfigFile,
    around: &'a EntryContext,
    path: &'a [String],
}

impl EntryReader<'_> {
    fn name(&self) -> &str {
        self.path.last().map_or("", String::as_str)
    }

    fn configured(&self, server: ServerConfig) -> ConfiguredServer {
        ConfiguredServer {
            server,
            scope: self.file.scope,
            file: self.file.document.path.clone(),
            path: self.path.to_vec(),
            may_start: self.file.scope == ConfigScope::User || self.around.trusted,
        }
    }
}

/// The policy of each tool, and whether its word is valid.
fn policies_of(entry: &ServerEntry) -> impl Iterator<Item = (String, Policy, bool)> {
    entry.tools.iter().map(|(name, word)| {
        let policy = policies::policy(word);
        (name.clone(), policy.unwrap_or(Policy::Deny), policy.is_some())
    })
}
