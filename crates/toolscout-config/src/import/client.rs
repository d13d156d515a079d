//! The description of a client: how to import its servers and how to write our entry into its
//! files.

use super::common::{self, BareUrl};
use super::fields::ClientFields;
use super::references::VariableSyntax;
use super::{ClientFolders, KeyPath};
use crate::{ConfigScope, ServerEntry};
use serde_json::{Map, Value, json};
use std::path::PathBuf;

/// Rewrites the fields of an entry before they are read.
pub(super) type PrepareFields = fn(&mut ClientFields<'_>) -> Result<(), String>;

/// A program that stores MCP servers in its own files. Plain data, as far as its format is regular.
pub struct ClientFormat {
    /// The name on the command line: `claude-desktop`.
    pub name: &'static str,
    /// The name in messages: `Claude Desktop`.
    pub title: &'static str,
    /// Whether it starts from a desktop, and so does not inherit the search path of the shell.
    pub is_desktop: bool,
    /// Its files: those of the project first; within a scope, the one it creates itself first.
    pub(super) files: &'static [ClientPath],
    /// The keys that lead to its table of servers.
    pub(super) servers: &'static [&'static str],
    /// Finds the tables of servers if their location depends on the document; the one for a new
    /// entry comes first.
    pub(super) locate: Option<fn(&Value, &ClientFolders) -> Vec<KeyPath>>,
    pub(super) syntax: VariableSyntax,
    pub(super) bare_url: BareUrl,
    /// Converts an irregular entry to the common form.
    pub(super) prepare: Option<PrepareFields>,
    /// Additional keys of an entry.
    pub(super) keys: &'static [(&'static str, ClientKey)],
    pub(super) own_entry: OwnEntry,
}

/// The location of a client's file.
pub(super) enum ClientPath {
    /// In the project.
    Project(&'static str),
    /// In the project, and read by toolscout in place.
    Native(&'static str),
    /// In the home folder.
    Home(&'static str),
    /// Below `XDG_CONFIG_HOME`.
    Config(&'static str),
    /// In the settings folder of desktop programs, for each system.
    Apps(&'static str),
    /// In the folder named by a variable, else in one of the home folder.
    Variable(&'static str, &'static str, &'static str),
    /// The file named by a variable.
    VariableFile(&'static str),
}

/// The meaning of a key of an entry.
#[derive(Clone, Copy)]
pub(super) enum ClientKey {
    /// The timeout of calls, in units of this many milliseconds.
    CallTimeout(f64),
    /// The same, for discovery.
    DiscoveryTimeout(f64),
    IncludeTools,
    ExcludeTools,
    /// Whether the tools are listed without a search.
    Listed,
    /// A table with OAuth settings.
    OAuth,
    Scopes,
    Bearer,
    /// The variable that contains the bearer token.
    BearerVariable,
    Environment,
    /// Names of inherited variables.
    VariableNames,
    Headers,
    /// Headers, by the variables that contain their values.
    VariableHeaders,
    /// The tools that run without approval.
    Approval,
    /// Cannot be imported, for this reason.
    Note(&'static str),
    /// Not relevant for toolscout.
    Ignored,
}

/// The form of our own entry.
pub(super) enum OwnEntry {
    Plain,
    /// With `type = "stdio"`.
    Typed,
    /// Command and arguments in one list.
    CommandList,
}

/// A file of a client, which may not exist.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClientFile {
    pub path: PathBuf,
    pub scope: ConfigScope,
    /// Whether toolscout reads this file in place, so that nothing is imported from it.
    pub is_native: bool,
}

/// The command that a client should start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LaunchCommand {
    pub command: String,
    pub args: Vec<String>,
}

impl ClientFormat {
    /// Its files, existing or not.
    pub fn files(&self, folders: &ClientFolders) -> Vec<ClientFile> {
        self.files.iter().flat_map(|file| file.files(folders)).collect()
    }

    /// The tables of its servers in a document, which may be empty; the table for a new entry comes
    /// first.
    pub(crate) fn sections(&self, document: &Value, folders: &ClientFolders) -> Vec<KeyPath> {
        match self.locate {
            Some(locate) => locate(document, folders),
            None => vec![self.servers.iter().map(|server| (*server).to_owned()).collect()],
        }
    }

    /// One of its entries in our form, or the reason why it cannot be converted.
    pub(crate) fn entry(&self, fields: &mut ClientFields<'_>) -> Result<ServerEntry, String> {
        if let Some(prepare) = self.prepare {
            prepare(fields)?;
        }
        let mut entry = common::read_entry(fields, self.bare_url)?;
        for (key, meaning) in self.keys {
            meaning.read(key, fields, &mut entry)?;
        }
        Ok(entry)
    }

    /// The entry that makes the client start this command.
    pub(crate) fn own_entry(&self, launch: &LaunchCommand, section: &KeyPath) -> Value {
        let LaunchCommand { command, args } = launch;
        match self.own_entry {
            OwnEntry::Plain => json!({"command": command, "args": args}),
            OwnEntry::Typed => json!({"type": "stdio", "command": command, "args": args}),
            OwnEntry::CommandList => {
                let plain_texts: Vec<_> = [command].into_iter().chain(args).collect();
                let mut entry = Map::from_iter([
                    ("type".to_owned(), json!("local")),
                    ("command".to_owned(), json!(plain_texts)),
                ]);
                if section.len() == 1 {
                    entry.insert("enabled".to_owned(), json!(true));
                }
                Value::Object(entry)
            }
        }
    }
}

impl ClientPath {
    fn files(&self, folders: &ClientFolders) -> Vec<ClientFile> {
        let (scope, is_native, paths) = match self {
            Self::Project(path) => (ConfigScope::Project, false, vec![folders.project.join(path)]),
            Self::Native(path) => (ConfigScope::Project, true, vec![folders.project.join(path)]),
            Self::Home(path) => {
                (ConfigScope::User, false, folders.home(path).into_iter().collect())
            }
            Self::Config(path) => {
                (ConfigScope::User, false, folders.config(path).into_iter().collect())
            }
            Self::Apps(path) => (ConfigScope::User, false, folders.apps(path)),
            Self::Variable(variable, folder, path) => {
                let folder = folders.variable(variable).or_else(|| folders.home(folder));
                (
                    ConfigScope::User,
                    false,
                    folder.into_iter().map(|folder| folder.join(path)).collect(),
                )
            }
            Self::VariableFile(variable) => {
                (ConfigScope::User, false, folders.variable(variable).into_iter().collect())
            }
        };
        paths.into_iter().map(|path| ClientFile { path, scope, is_native }).collect()
    }
}

impl ClientKey {
    /// Moves the key from `fields` into `entry`.
    fn read(
        self,
        key: &str,
        fields: &mut ClientFields<'_>,
        entry: &mut ServerEntry,
    ) -> Result<(), String> {
        match self {
            Self::CallTimeout(unit) => {
                entry.call_timeout_ms = entry.call_timeout_ms.or(fields.duration(key, unit))
            }
            Self::DiscoveryTimeout(unit) => {
                entry.discovery_timeout_ms =
                    entry.discovery_timeout_ms.or(fields.duration(key, unit));
            }
            Self::IncludeTools => {
                let include = fields.plain_texts(key)?;
                if !include.is_empty() {
                    entry.filter.get_or_insert_default().include = Some(include);
                }
            }
            Self::ExcludeTools => {
                let exclude = fields.plain_texts(key)?;
                if !exclude.is_empty() {
                    entry.filter.get_or_insert_default().exclude = exclude;
                }
            }
            Self::Listed => {
                entry.visibility = (fields.boolean(key) == Some(true)).then(|| "listed".to_owned())
            }
            Self::OAuth => oauth(key, fields, entry),
            Self::Scopes => entry.scopes = fields.plain_texts(key)?,
            Self::Bearer => entry.bearer = fields.text(key)?,
            Self::BearerVariable => {
                entry.bearer = fields.plain_text(key)?.map(|name| format!("env:{name}"))
            }
            Self::Environment => entry.env.extend(fields.table(key)?),
            Self::VariableNames => {
                // Names, or tables with a name.
                let name = |value: &Value| {
                    value.as_str().or_else(|| value.get("name")?.as_str()).map(str::to_owned)
                };
                for name in fields.list(key).unwrap_or_default().iter().filter_map(name) {
                    let reference = format!("env:{name}");
                    entry.env.entry(name).or_insert(reference);
                }
            }
            Self::Headers => entry.headers.extend(fields.table(key)?),
            Self::VariableHeaders => {
                let headers = fields.table(key)?.into_iter();
                entry.headers.extend(headers.map(|(header, name)| (header, format!("env:{name}"))));
            }
            Self::Approval => {
                let is_set = fields.list(key).is_some_and(|value| !value.is_empty())
                    || fields.boolean(key) == Some(true);
                if is_set {
                    fields.note(format!(
                        "its `{key}` is not imported: use `tools` to choose what may run"
                    ));
                }
            }
            Self::Note(note) if fields.has(key) => {
                fields.ignore(key);
                fields.note(note);
            }
            Self::Note(_) | Self::Ignored => fields.ignore(key),
        }
        Ok(())
    }
}

/// Reads the client id and the scopes; a secret is not copied.
fn oauth(key: &str, fields: &mut ClientFields<'_>, entry: &mut ServerEntry) {
    let take = |oauth: &mut Map<String, Value>, keys: [&str; 2]| {
        let value = keys.iter().find_map(|key| oauth.remove(*key))?;
        Some(value.as_str()?.to_owned())
    };
    if let Some(mut oauth) = fields.nested_table(key) {
        entry.client_id =
            take(&mut oauth, ["clientId", "CLIENT_ID"]).map(|value| fields.translate(&value));
        let scopes = take(&mut oauth, ["scope", "scopes"]).unwrap_or_default();
        entry.scopes = scopes.split_whitespace().map(str::to_owned).collect();
        if oauth.contains_key("clientSecret") || oauth.contains_key("CLIENT_SECRET") {
            fields.note(format!("the client secret in its `{key}` is not imported"));
        }
    }
    fields.ignore(key);
}
