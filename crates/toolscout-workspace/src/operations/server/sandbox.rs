//! What `server add` and `server update` set about the sandbox of a server, and how `server show`
//! displays it.

use crate::servers::ServerSet;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::path::PathBuf;
use toolscout_config::ConfiguredServer;
use toolscout_config::ServerEntry;
use toolscout_core::escape;
use toolscout_mcp_client::ReportedDenial;
use toolscout_mcp_client::sandbox::{
    Denial, NetworkAccess, SandboxHost, SandboxLevel, SandboxSettings,
};

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
    /// What the server reported as denied and does not have yet, the latest last.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) denied: Vec<DeniedAccess>,
}

/// Something that the server wanted and its sandbox denied, as the server reported it.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct DeniedAccess {
    /// What was denied: `read PATH`, `write PATH` or `connect PORT`.
    access: String,
    /// When the server last reported it; RFC 3339.
    reported: String,
    /// The command that grants it.
    command: String,
    /// The body for `PUT /api/servers/{id}` that grants it; missing for keys and settings in hidden folders of the home.
    #[serde(skip_serializing_if = "Option::is_none")]
    grant: Option<SandboxGrant>,
}

/// The fields of an update that grant something.
#[derive(Debug, Clone, PartialEq, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct SandboxGrant {
    #[serde(skip_serializing_if = "Option::is_none")]
    allow_read: Option<[String; 1]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    allow_write: Option<[String; 1]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    network: Option<String>,
}

impl SandboxInfo {
    /// The sandbox of a configured server, with what it has denied. Reads the store.
    pub(super) fn of(set: &ServerSet, configured: &ConfiguredServer) -> Self {
        let (server, level) = (&configured.server, set.sandbox_level(configured));
        let info = Self::new(level, &server.sandbox);
        let Some((log, host)) = set
            .shared
            .as_ref()
            .and_then(|shared| Some((shared.denials()?, shared.sandbox()?)))
            .filter(|_| level != SandboxLevel::Off)
        else {
            return info;
        };
        let is_missing = |reported: &ReportedDenial| {
            !reported.denial.is_granted_by(&server.sandbox)
                && !reported.denial.is_granted_by(&host.settings)
        };
        // What cannot be read is not shown: it can be reported again.
        let denied = log.of(&server.id).unwrap_or_default().into_iter().filter(is_missing);
        let shown = |reported| DeniedAccess::new(&reported, configured, level, host);
        Self { denied: denied.map(shown).collect(), ..info }
    }

    fn new(level: SandboxLevel, settings: &SandboxSettings) -> Self {
        Self {
            denied: Vec::new(),
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

impl DeniedAccess {
    fn new(
        reported: &ReportedDenial,
        configured: &ConfiguredServer,
        level: SandboxLevel,
        host: &SandboxHost,
    ) -> Self {
        let (grant, is_private) = match &reported.denial {
            Denial::Read(path) => (
                SandboxGrant {
                    allow_read: Some([path.display().to_string()]),
                    ..SandboxGrant::default()
                },
                host.is_private(path),
            ),
            Denial::Write(path) => (
                SandboxGrant {
                    allow_write: Some([path.display().to_string()]),
                    ..SandboxGrant::default()
                },
                host.is_private(path),
            ),
            Denial::Connect(port) => {
                let settings = &configured.server.sandbox;
                let configured = settings.network.as_ref().or(host.settings.network.as_ref());
                let network = Some(with_port(configured, level, *port).words());
                (SandboxGrant { network, ..SandboxGrant::default() }, false)
            }
        };
        let (flag, value) = grant.flag();
        let value = if value.contains(' ') { format!("'{value}'") } else { value.to_owned() };
        let command = format!("toolscout server update {} {flag} {value}", configured.server.id);
        Self {
            access: match &reported.denial {
                Denial::Read(path) => format!("read {}", path.display()),
                Denial::Write(path) => format!("write {}", path.display()),
                Denial::Connect(port) => format!("connect {port}"),
            },
            reported: reported.at.to_string(),
            command,
            grant: (!is_private).then_some(grant),
        }
    }

    /// One line for users.
    pub(super) fn line(&self) -> String {
        format!("{}; to grant it: {}", escape::line(&self.access), escape::line(&self.command))
    }
}

impl SandboxGrant {
    fn flag(&self) -> (&'static str, &str) {
        match self {
            Self { allow_read: Some([path]), .. } => ("--allow-read", path),
            Self { allow_write: Some([path]), .. } => ("--allow-write", path),
            Self { network, .. } => ("--network", network.as_deref().unwrap_or_default()),
        }
    }
}

/// The present network, and one more port.
fn with_port(configured: Option<&NetworkAccess>, level: SandboxLevel, port: u16) -> NetworkAccess {
    let mut ports = match configured {
        Some(NetworkAccess::Ports(ports)) => ports.clone(),
        Some(NetworkAccess::All) => return NetworkAccess::All,
        None if level == SandboxLevel::Default => NetworkAccess::WEB.to_vec(),
        Some(NetworkAccess::None) | None => Vec::new(),
    };
    ports.push(port);
    NetworkAccess::Ports(ports)
}
