//! The configuration files, in order of precedence.

use super::document::Document;
use crate::error::ConfigError;
use serde::Serialize;
use serde_json::{Map, Value};
use std::path::{Path, PathBuf};
use toolscout_core::{Diagnostic, DiagnosticKind};

/// The extensions of our own files; the first existing file is read.
const ENDINGS: [&str; 4] = ["toml", "json", "yaml", "yml"];

/// Files of other programs that are read in place. They configure servers and nothing else.
const FOREIGN: [&str; 4] =
    [".mcp.json", ".lace/mcp-config.json", ".orion/config.yaml", ".orion/config.yml"];

/// The tables of servers in our own files.
pub(crate) const SERVER_TABLES: [&str; 2] = ["servers", "mcpServers"];
/// The keys that lead to the servers: in our files, and in those of other programs.
const OURS: [&[&str]; 2] = [&[SERVER_TABLES[0]], &[SERVER_TABLES[1]]];
const THEIRS: [&[&str]; 4] = [&["mcpServers"], &["servers"], &["mcp_servers"], &["mcp", "servers"]];

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
    pub(super) fn all(
        root: Option<&Path>,
        user: Option<&Path>,
        problems: &mut Vec<Diagnostic>,
    ) -> Result<Vec<Self>, ConfigError> {
        let mut files = Vec::new();
        if let Some(root) = root {
            files.extend(own(root, "toolscout", ConfigScope::Project, problems)?);
            for name in FOREIGN {
                let document = Document::read(&root.join(name))?;
                files.extend(document.map(|document| Self {
                    document,
                    scope: ConfigScope::Project,
                    is_ours: false,
                }));
            }
        }
        if let Some(user) = user {
            files.extend(own(user, "config", ConfigScope::User, problems)?);
        }
        Ok(files)
    }

    /// Parses this text as a configuration file, by its name; `None` if no file of this name is
    /// read as configuration.
    pub(super) fn of_text(path: &Path, text: &str) -> Result<Option<Self>, ConfigError> {
        let is_named = |stem: &str| ENDINGS.iter().any(|it| path.ends_with(format!("{stem}.{it}")));
        let (scope, is_ours) = if FOREIGN.iter().any(|it| path.ends_with(it)) {
            (ConfigScope::Project, false)
        } else if is_named("toolscout") {
            (ConfigScope::Project, true)
        } else if is_named("config") {
            (ConfigScope::User, true)
        } else {
            return Ok(None);
        };
        Ok(Some(Self { document: Document::of_text(path, text)?, scope, is_ours }))
    }

    /// Removes the servers from the document and returns them in file order.
    pub(super) fn take_servers(&mut self) -> Result<Vec<RawEntry>, ConfigError> {
        let places: &[&[&str]] = if self.is_ours { &OURS } else { &THEIRS };
        let mut all = Vec::new();
        for place in places {
            match take(&mut self.document.map, place) {
                None | Some(Value::Null) => {}
                Some(Value::Object(map)) => {
                    all.extend(map.into_iter().map(|(key, value)| found(place, key, value)))
                }
                Some(Value::Array(items)) if !self.is_ours => {
                    all.extend(items.into_iter().filter_map(|it| named(place, it)))
                }
                Some(_) => {
                    let reason = format!("`{}` must be a table of servers", place.join("."));
                    return Err(self.document.flaw(place, reason).error(&self.document.path));
                }
            }
        }
        Ok(all)
    }
}

/// Every path that is read if the file exists.
pub(super) fn candidates(root: Option<&Path>, user: Option<&Path>) -> Vec<PathBuf> {
    let own =
        |folder: &Path, stem: &str| ENDINGS.map(|it| folder.join(format!("{stem}.{it}"))).to_vec();
    let of_project = |root: &Path| {
        own(root, "toolscout").into_iter().chain(FOREIGN.map(|it| root.join(it))).collect()
    };
    let mut all: Vec<PathBuf> = root.map(of_project).unwrap_or_default();
    all.extend(user.map(|it| own(it, "config")).unwrap_or_default());
    all
}

/// The path of our own file in this folder: the existing one, else the one that would be created.
pub(crate) fn own_path(folder: &Path, stem: &str) -> PathBuf {
    let mut paths = ENDINGS.iter().map(|it| folder.join(format!("{stem}.{it}")));
    paths.find(|it| it.is_file()).unwrap_or_else(|| folder.join(format!("{stem}.toml")))
}

fn own(
    folder: &Path,
    stem: &str,
    scope: ConfigScope,
    problems: &mut Vec<Diagnostic>,
) -> Result<Option<ConfigFile>, ConfigError> {
    let mut there =
        ENDINGS.iter().map(|it| folder.join(format!("{stem}.{it}"))).filter(|it| it.is_file());
    let Some(first) = there.next() else { return Ok(None) };
    for other in there {
        let message = format!("is not read, because `{}` is there", first.display());
        problems.push(
            Diagnostic::warning(DiagnosticKind::Setting, message)
                .at(other)
                .hint("keep one of them"),
        );
    }
    Ok(Document::read(&first)?.map(|document| ConfigFile { document, scope, is_ours: true }))
}

fn take(map: &mut Map<String, Value>, place: &[&str]) -> Option<Value> {
    match place {
        [] => None,
        [last] => map.shift_remove(*last),
        [first, rest @ ..] => take(map.get_mut(*first)?.as_object_mut()?, rest),
    }
}

fn found(place: &[&str], key: String, value: Value) -> RawEntry {
    let path = place.iter().map(|it| (*it).to_owned()).chain([key]).collect();
    RawEntry { path, value }
}

/// An item of a list of servers, which contains its own name.
fn named(place: &[&str], item: Value) -> Option<RawEntry> {
    let name = ["id", "name"].iter().find_map(|it| item.get(it)?.as_str().map(str::to_owned))?;
    Some(found(place, name, item))
}
