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
    /// How its entry differs from the one that the user has trusted. It is not started then.
    pub change: Option<EntryChange>,
}

/// An entry that is not the trusted one.
#[derive(Debug, Clone, PartialEq)]
pub struct EntryChange {
    /// The trusted command line or address, without secrets; `None` if the entry is new.
    pub before: Option<String>,
    /// The present one.
    pub now: String,
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
    decisions: BTreeMap<String, EntryDecision>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum EntryDecision {
    Final,
    Disabled,
}

impl<'a> ServerCollector<'a> {
    /// `is_trusted` returns whether the project root is trusted; it is called only if needed.
    pub(super) fn new(
        config: &'a mut Config,
        root: Option<&'a Path>,
        lookup: ReferenceLookup,
        is_trusted: &'a dyn Fn() -> bool,
    ) -> Self {
        Self { config, root, lookup, is_trusted, decisions: BTreeMap::new() }
    }

    /// Adds the servers of the next file.
    pub(super) fn add(&mut self, file: &ConfigFile, entries: Vec<RawEntry>) {
        if entries.is_empty() {
            return;
        }
        let context = self.context(file);
        let mut names: BTreeMap<String, String> = BTreeMap::new();
        for RawEntry { path, value } in entries {
            let reader = EntryReader { file, context: &context, path: &path };
            if let Some(id) = self.resolve_id(&reader, &mut names) {
                self.add_entry(id, &reader, value);
            }
        }
    }

    fn context(&self, file: &ConfigFile) -> EntryContext {
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
    fn resolve_id(
        &mut self,
        reader: &EntryReader<'_>,
        names: &mut BTreeMap<String, String>,
    ) -> Option<SourceId> {
        let name = reader.name();
        let id = match SourceId::new(name) {
            Ok(id) => id,
            Err(invalid) if reader.file.is_ours => {
                self.warn(reader, &[], invalid.to_string());
                return None;
            }
            Err(invalid) => SourceId::new(&invalid.nearest).ok()?,
        };
        if SourceId::RESERVED.contains(&id.as_str()) {
            let reason = format!(
                "the id `{id}` is reserved for toolscout; use another one, for example `{id}-server`"
            );
            self.warn(reader, &[], reason);
            return None;
        }
        if let Some(other) = names.insert(id.as_str().to_owned(), name.to_owned()) {
            self.warn(
                reader,
                &[],
                format!("`{name}` and `{other}` would both get the id `{id}`; `{name}` is skipped"),
            );
            return None;
        }
        if id.as_str() != name {
            self.note(reader, format!("server `{name}` gets the id `{id}`"));
        }
        Some(id)
    }

    fn add_entry(&mut self, id: SourceId, reader: &EntryReader<'_>, value: Value) {
        let ParsedSection { value: entry, unknown } = match ServerEntry::read(value) {
            Ok(section) => section,
            Err(error) => {
                self.decide(&id, EntryDecision::Final);
                return self.warn(
                    reader,
                    &error.keys(&[]),
                    format!("server `{id}`: {error}; it is skipped"),
                );
            }
        };
        let decision = self.decisions.get(id.as_str()).copied();
        // The user's rules for a server apply even if a project configures the same server.
        if decision != Some(EntryDecision::Final) || reader.file.scope == ConfigScope::User {
            self.add_rules(&id, &entry, reader);
        }
        if decision == Some(EntryDecision::Final) {
            return self.note(
                reader,
                format!("server `{id}` is also configured in another file, which takes precedence"),
            );
        }
        self.warn_unknown_keys(&id, &unknown, reader);
        if entry.only_disables() {
            return self.decide(&id, EntryDecision::Disabled);
        }
        self.decide(&id, EntryDecision::Final);
        if entry.command.as_deref().is_some_and(|command| OWN_PROGRAM.is_started_by(command)) {
            return self.note(reader, format!("server `{id}` is toolscout itself; it is skipped"));
        }
        match entry.to_server_config(id.clone(), reader.context) {
            Err(reason) => {
                self.warn(reader, &[], format!("server `{id}`: {reason}; it is skipped"))
            }
            Ok(mut server) => {
                if reader.file.scope == ConfigScope::Project && !server.trusted {
                    // A project does not loosen the review of its own tools.
                    server.new_tools = None;
                }
                server.enabled &= decision != Some(EntryDecision::Disabled);
                self.config.listed.extend(ToolPatterns::for_source(&id, &entry.listed));
                server.policies =
                    tool_policies(&entry).map(|(name, policy, _)| (name, policy)).collect();
                self.config.servers.push(reader.to_configured(server));
            }
        }
    }

    fn decide(&mut self, id: &SourceId, decision: EntryDecision) {
        let before = self.decisions.entry(id.as_str().to_owned()).or_insert(decision);
        if decision == EntryDecision::Final {
            *before = decision;
        }
    }

    fn add_rules(&mut self, id: &SourceId, entry: &ServerEntry, reader: &EntryReader<'_>) {
        for (name, policy, is_known) in tool_policies(entry) {
            if !is_known {
                let word = entry.tools.get(&name).map_or("", String::as_str);
                let reason = policies::unknown_policy(&format!("the policy of `{name}`"), word);
                self.warn(reader, &["tools", &name], format!("server `{id}`: {reason}"));
            }
            let level = match reader.file.scope {
                ConfigScope::Project => &mut self.config.project_rules,
                ConfigScope::User => &mut self.config.user_rules,
            };
            level.rules.push((format!("{id}/{name}"), policy));
        }
    }

    fn warn_unknown_keys(&mut self, id: &SourceId, keys: &[UnknownKey], reader: &EntryReader<'_>) {
        for key in keys {
            let suggestion = if reader.file.is_ours { key.suggestion() } else { String::new() };
            self.warn(
                reader,
                &[key.name()],
                format!("server `{id}`: unknown key `{}`{suggestion}", key.name()),
            );
        }
    }

    fn warn(&mut self, reader: &EntryReader<'_>, keys: &[&str], reason: String) {
        let path: Vec<&str> =
            reader.path.iter().map(String::as_str).chain(keys.iter().copied()).collect();
        self.config.diagnostics.push(reader.file.document.warning(&path, reason));
    }

    fn note(&mut self, reader: &EntryReader<'_>, message: String) {
        self.config.diagnostics.push(
            Diagnostic::debug(DiagnosticKind::Setting, message)
                .with_path(&reader.file.document.path),
        );
    }
}

/// The entry being read.
struct EntryReader<'a> {
    file: &'a ConfigFile,
    context: &'a EntryContext,
    path: &'a [String],
}

impl EntryReader<'_> {
    fn name(&self) -> &str {
        self.path.last().map_or("", String::as_str)
    }

    fn to_configured(&self, server: ServerConfig) -> ConfiguredServer {
        ConfiguredServer {
            server,
            scope: self.file.scope,
            file: self.file.document.path.clone(),
            path: self.path.to_vec(),
            may_start: self.file.scope == ConfigScope::User || self.context.trusted,
            change: None,
        }
    }
}

/// The policy of each tool, and whether its word is valid.
fn tool_policies(entry: &ServerEntry) -> impl Iterator<Item = (String, Policy, bool)> {
    entry.tools.iter().map(|(name, word)| {
        let policy = policies::parse_policy(word);
        (name.clone(), policy.unwrap_or(Policy::Deny), policy.is_some())
    })
}
