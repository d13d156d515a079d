//! The configuration files, in order of precedence.

use super::document::Document;
use crate::error::ConfigError;
use serde::Serialize;
use serde_json::{Map, Value};
use std::path::{Path, PathBuf};
use toolscout_core::{Diagnostic, DiagnosticKind};

/// The extensions of our own files; the first existing file is read.
const EXTENSIONS: [&str; 4] = ["toml", "json", "yaml", "yml"];

/// Files of other programs that are read in place. They configure servers and nothing else.
const FOREIGN_FILES: [&str; 4] =
    [".mcp.json", ".lace/mcp-config.json", ".orion/config.yaml", ".orion/config.yml"];

/// The tables of servers in our own files.
pub(crate) const SERVER_TABLES: [&str; 2] = ["servers", "mcpServers"];
/// The keys that lead to the servers: in our files, and in those of other programs.
const OWN_SERVER_KEYS: [&[&str]; 2] = [&[SERVER_TABLES[0]], &[SERVER_TABLES[1]]];
const FOREIGN_SERVER_KEYS: [&[&str]; 4] =
    [&["mcpServers"], &["servers"], &["mcp_servers"], &["mcp", "servers"]];

/// The scope of a configuration file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ConfigScope {
    /// All users of the project. Trusted only if the user trusts the project.
    Project,
    /// The current user, in all projects.
    User,
}

impl ConfigScope {
    /// `project` or `user`.
    pub fn word(self) -> &'static str {
        match self {
            Self::Project => "project",
            Self::User => "user",
        }
    }
}

/// A configuration file that was read.
#[derive(Debug)]
pub(super) struct ConfigFile {
    pub(super) document: Document,
    pub(super) scope: ConfigScope,
    /// Whether its format is our own, not shared with another program.
    pub(super) is_ours: bool,
}

/// One server entry as found in a file.
#[derive(Debug)]
pub(super) struct RawEntry {
    /// The keys that lead to it in the file, its own last.
    pub(super) path: Vec<String>,
    pub(super) value: Value,
}

impl ConfigFile {
    /// All existing files, highest precedence first.
    pub(super) fn read_all(
        root: Option<&Path>,
        user: Option<&Path>,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Result<Vec<Self>, ConfigError> {
        let mut files = Vec::new();
        if let Some(root) = root {
            files.extend(read_own_file(root, "toolscout", ConfigScope::Project, diagnostics)?);
            for name in FOREIGN_FILES {
                let document = Document::read(&root.join(name))?;
                files.extend(document.map(|document| Self {
                    document,
                    scope: ConfigScope::Project,
                    is_ours: false,
                }));
            }
        }
        if let Some(user) = user {
            files.extend(read_own_file(user, "config", ConfigScope::User, diagnostics)?);
        }
        Ok(files)
    }

    /// Parses this text as a configuration file, by its name; `None` if no file of this name is
    /// read as configuration.
    pub(super) fn parse(path: &Path, text: &str) -> Result<Option<Self>, ConfigError> {
        let is_named = |stem: &str| {
            EXTENSIONS.iter().any(|extension| path.ends_with(format!("{stem}.{extension}")))
        };
        let (scope, is_ours) = if FOREIGN_FILES.iter().any(|foreign| path.ends_with(foreign)) {
            (ConfigScope::Project, false)
        } else if is_named("toolscout") {
            (ConfigScope::Project, true)
        } else if is_named("config") {
            (ConfigScope::User, true)
        } else {
            return Ok(None);
        };
        Ok(Some(Self { document: Document::parse(path, text)?, scope, is_ours }))
    }

    /// Removes the servers from the document and returns them in file order.
    pub(super) fn take_servers(&mut self) -> Result<Vec<RawEntry>, ConfigError> {
        let paths: &[&[&str]] = if self.is_ours { &OWN_SERVER_KEYS } else { &FOREIGN_SERVER_KEYS };
        let mut all = Vec::new();
        for path in paths {
            match remove_at(&mut self.document.map, path) {
                None | Some(Value::Null) => {}
                Some(Value::Object(map)) => {
                    all.extend(map.into_iter().map(|(key, value)| raw_entry(path, key, value)))
                }
                Some(Value::Array(items)) if !self.is_ours => {
                    all.extend(items.into_iter().filter_map(|item| listed_entry(path, item)))
                }
                Some(_) => {
                    let reason = format!("`{}` must be a table of servers", path.join("."));
                    return Err(self.document.error_at(path, reason).in_file(&self.document.path));
                }
            }
        }
        Ok(all)
    }
}

/// Every path that is read if the file exists.
pub(super) fn candidates(root: Option<&Path>, user: Option<&Path>) -> Vec<PathBuf> {
    let own = |folder: &Path, stem: &str| {
        EXTENSIONS.map(|extension| folder.join(format!("{stem}.{extension}"))).to_vec()
    };
    let in_project = |root: &Path| {
        own(root, "toolscout")
            .into_iter()
            .chain(FOREIGN_FILES.map(|foreign| root.join(foreign)))
            .collect()
    };
    let mut all: Vec<PathBuf> = root.map(in_project).unwrap_or_default();
    all.extend(user.map(|user| own(user, "config")).unwrap_or_default());
    all
}

/// The path of our own file in this folder: the existing one, else the one that would be created.
pub(crate) fn own_path(folder: &Path, stem: &str) -> PathBuf {
    let mut paths = EXTENSIONS.iter().map(|extension| folder.join(format!("{stem}.{extension}")));
    paths.find(|path| path.is_file()).unwrap_or_else(|| folder.join(format!("{stem}.toml")))
}

fn read_own_file(
    folder: &Path,
    stem: &str,
    scope: ConfigScope,
    diagnostics: &mut Vec<Diagnostic>,
) -> Result<Option<ConfigFile>, ConfigError> {
    let mut existing = EXTENSIONS
        .iter()
        .map(|extension| folder.join(format!("{stem}.{extension}")))
        .filter(|path| path.is_file());
    let Some(first) = existing.next() else { return Ok(None) };
    for other in existing {
        let message = format!("is ignored because `{}` exists", first.display());
        diagnostics.push(
            Diagnostic::warning(DiagnosticKind::Setting, message)
                .with_path(other)
                .with_hint("keep only one of them"),
        );
    }
    Ok(Document::read(&first)?.map(|document| ConfigFile { document, scope, is_ours: true }))
}

fn remove_at(map: &mut Map<String, Value>, path: &[&str]) -> Option<Value> {
    match path {
        [] => None,
        [last] => map.shift_remove(*last),
        [first, rest @ ..] => remove_at(map.get_mut(*first)?.as_object_mut()?, rest),
    }
}

fn raw_entry(table: &[&str], key: String, value: Value) -> RawEntry {
    let path = table.iter().map(|key| (*key).to_owned()).chain([key]).collect();
    RawEntry { path, value }
}

/// An item of a list of servers, which contains its own name.
fn listed_entry(table: &[&str], item: Value) -> Option<RawEntry> {
    let name = ["id", "name"].iter().find_map(|key| item.get(key)?.as_str().map(str::to_owned))?;
    Some(raw_entry(table, name, item))
}
