//! Our file to which imported servers are added.

use super::{ImportPlan, PlannedFile};
use crate::edit::ConfigEditor;
use crate::files::SERVER_TABLES;
use crate::{Config, ConfigError, ConfigScope, ConfiguredServer, Document, ServerEntry};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use toolscout_mcp_client::{ConfigText, HttpEndpoint, Program, ServerTransport};

/// The servers that are already configured, by id; `None` for an entry that cannot be read.
pub type ExistingServers = BTreeMap<String, Option<ServerEntry>>;

/// Our file to which imported servers are added.
pub struct ImportTarget {
    pub scope: ConfigScope,
    pub file: PathBuf,
    /// The base folder of `cwd` in it.
    pub base: PathBuf,
    pub project: PathBuf,
}

impl ImportTarget {
    /// The project's file, or the user's.
    pub fn new(config: &Config, scope: ConfigScope) -> Result<Self, ConfigError> {
        let file = config.own_file(scope)?;
        let base = file.parent().unwrap_or(Path::new("/")).to_owned();
        let project = config.project_folder().to_owned();
        Ok(Self { scope, file, base, project })
    }

    /// The servers that this file must not repeat. A project's file repeats no server of the whole
    /// configuration; the user's file is compared with itself only, because a project may configure
    /// the same server differently.
    pub fn existing(&self, config: &Config) -> Result<ExistingServers, ConfigError> {
        let mut existing = self.own()?;
        if self.scope == ConfigScope::Project {
            let all = config.servers.iter();
            existing.extend(
                all.map(|server| (server.server.id.as_str().to_owned(), Some(entry(server)))),
            );
        }
        Ok(existing)
    }

    /// The servers in this file.
    pub fn own(&self) -> Result<ExistingServers, ConfigError> {
        let map = Document::read(&self.file)?.map(|document| document.map).unwrap_or_default();
        let tables = SERVER_TABLES
            .iter()
            .filter_map(|server_table| map.get(*server_table)?.as_object())
            .flatten();
        let read = |(id, entry): (&String, &Value)| {
            (
                id.clone(),
                ServerEntry::read(entry.clone()).ok().and_then(|section| section.strict().ok()),
            )
        };
        Ok(tables
            .map(read)
            .map(|(id, entry)| (id, entry.map(|entry| self.absolute(entry))))
            .collect())
    }

    /// Adds the servers of the plan that belong into this file, in one edit.
    pub fn add_all(&self, editor: &ConfigEditor, plan: &ImportPlan) -> Result<(), ConfigError> {
        let files = plan.files.iter().filter(|file| file.scope == self.scope);
        let added: Vec<_> = files
            .flat_map(PlannedFile::additions)
            .map(|(id, prepared)| (id, &prepared.entry))
            .collect();
        if added.is_empty() { Ok(()) } else { editor.add_servers(&self.file, &added, false) }
    }

    fn absolute(&self, mut entry: ServerEntry) -> ServerEntry {
        entry.cwd = entry.cwd.map(|cwd| self.base.join(cwd).display().to_string());
        entry
    }
}

/// The transport of a server as an entry, without its other settings.
fn entry(configured: &ConfiguredServer) -> ServerEntry {
    let written = |text: &ConfigText| text.written().to_owned();
    let table = |texts: &BTreeMap<String, ConfigText>| {
        texts.iter().map(|(name, text)| (name.clone(), written(text))).collect()
    };
    match &configured.server.transport {
        ServerTransport::Stdio(Program { command, args, env, cwd }) => ServerEntry {
            command: Some(written(command)),
            args: args.iter().map(written).collect(),
            env: table(env),
            cwd: cwd.as_ref().map(|cwd| cwd.display().to_string()),
            ..ServerEntry::default()
        },
        ServerTransport::Http(HttpEndpoint { url, headers, bearer, sse, .. }) => ServerEntry {
            url: Some(written(url)),
            kind: sse.then(|| "sse".to_owned()),
            headers: table(headers),
            bearer: bearer.as_ref().map(written),
            ..ServerEntry::default()
        },
    }
}
