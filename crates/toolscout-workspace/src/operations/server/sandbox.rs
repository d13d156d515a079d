//! What `server add` and `server update` set about the sandbox of a server, and how `server show`
//! displays it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::path::PathBuf;
use toolscout_config::ServerEntry;
use toolscout_mcp_client::sandbox::{SandboxLevel, SandboxSettings};

/// The sandbox of a server. Paths are added to those that it has.
#[derive(Debug, Clone, PartialEq, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct SandboxFlags {
    /// Confine the command: default, strict or off
    #[serde(default)]
    #[schemars(extend("x-cli" = {"value": "LEVEL"}))]
    sandbox: Option<String>,
    /// Let the command read one more file or folder
    #[serde(default)]
    #[schemars(extend("x-cli" = {"value": "PATH"}))]
    allow_read: Option<Vec<String>>,
    /// Let the command read and write one more file or folder
    #[serde(default)]
    #[schemars(extend("x-cli" = {"value": "PATH"}))]
    allow_write: Option<Vec<String>>,
    /// The network of the command: none, web, all, or ports such as 443,5432
    #[serde(default)]
    #[schemars(extend("x-cli" = {"value": "NETWORK"}))]
    network: Option<String>,
}

impl SandboxFlags {
    pub(super) fn is_given(&self) -> bool {
        *self != Self::default()
    }

    /// All texts, for checks of their characters.
    pub(super) fn texts(&self) -> impl Iterator<Item = &String> {
        let paths = [&self.allow_read, &self.allow_write].into_iter().flatten().flatten();
        self.sandbox.iter().chain(&self.network).chain(paths)
    }

    /// Adds the settings to a new entry.
    pub(super) fn add_to(self, entry: ServerEntry) -> ServerEntry {
        ServerEntry {
            sandbox: self.sandbox,
            allow_read: self.allow_read.unwrap_or_default(),
            allow_write: self.allow_write.unwrap_or_default(),
            network: self.network,
            ..entry
        }
    }

    /// Sets what these flags do not set to its present value.
    pub(super) fn keep_present(&self, present: &SandboxSettings, settings: &mut SandboxSettings) {
        if self.sandbox.is_none() {
            settings.level = present.level;
        }
        if self.network.is_none() {
            settings.network.clone_from(&present.network);
        }
        if self.allow_read.is_none() {
            settings.allow_read.clone_from(&present.allow_read);
        }
        if self.allow_write.is_none() {
            settings.allow_write.clone_from(&present.allow_write);
        }
    }

    /// Adds the fields of an entry that change. `written` is the entry in the file.
    pub(super) fn add_fields(self, written: &Map<String, Value>, fields: &mut Map<String, Value>) {
        let joined = |key: &str, more: Vec<String>| {
            let mut paths = written.get(key).and_then(Value::as_array).cloned().unwrap_or_default();
            for path in more.into_iter().filter(|path| !path.is_empty()).map(Value::from) {
                if !paths.contains(&path) {
                    paths.push(path);
                }
            }
            Value::Array(paths)
        };
        let values = [
            ("sandbox", self.sandbox.map(Value::from)),
            ("network", self.network.map(Value::from)),
            ("allow_read", self.allow_read.map(|paths| joined("allow_read", paths))),
            ("allow_write", self.allow_write.map(|paths| joined("allow_write", paths))),
        ];
        fields
            .extend(values.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))));
    }
}

/// The sandbox of a server.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SandboxInfo {
    /// `default`, `strict` or `off`.
    level: &'static str,
    /// Files and folders that it may read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    allow_read: Vec<PathBuf>,
    /// Files and folders that it may read and write.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    allow_write: Vec<PathBuf>,
    /// The network that it may use.
    #[serde(skip_serializing_if = "Option::is_none")]
    network: Option<String>,
}

impl SandboxInfo {
    pub(super) fn new(level: SandboxLevel, settings: &SandboxSettings) -> Self {
        Self {
            level: level.word(),
            allow_read: settings.allow_read.clone(),
            allow_write: settings.allow_write.clone(),
            network: settings.network.as_ref().map(|network| network.words()),
        }
    }

    /// One line for users.
    pub(super) fn line(&self) -> String {
        let paths = |word: &str, paths: &[PathBuf]| {
            let shown: Vec<_> = paths.iter().map(|path| path.display().to_string()).collect();
            (!shown.is_empty()).then(|| format!("{word} {}", shown.join(", ")))
        };
        let parts = [
            Some(self.level.to_owned()),
            paths("may read", &self.allow_read),
            paths("may write", &self.allow_write),
            self.network.as_ref().map(|network| format!("network {network}")),
        ];
        parts.into_iter().flatten().collect::<Vec<_>>().join("; ")
    }
}
