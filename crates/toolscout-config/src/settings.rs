//! The settings of a configuration file. A setting is one field with its documentation, which is
//! also its reference in `docs/reference/settings.md`.

use crate::section::{self, SectionError, milliseconds, one_of, path, paths, roots, text, texts};
use schemars::JsonSchema;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;
use toolscout_core::{Language, ShadowPolicy, escape};
use toolscout_mcp_client::ConfigText;
use toolscout_mcp_client::sandbox::NetworkAccess;

/// Settings about tool folders and the run itself. Paths are relative to the file they are in.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Settings {
    /// Folders to search for tools with `patterns`. `default` is the project root.
    #[serde(deserialize_with = "roots")]
    pub roots: Option<Vec<PathBuf>>,
    /// Folders whose files are tools.
    #[serde(deserialize_with = "paths")]
    pub tool_directories: Option<Vec<PathBuf>>,
    /// Single tool files. Their tools come before all others.
    #[serde(deserialize_with = "paths")]
    pub tool_files: Option<Vec<PathBuf>>,
    /// Globs of tool files. Replaces the default `tools/**` and `src/tools/**`.
    pub patterns: Option<Vec<String>>,
    /// Globs of files to ignore. Replaces the default list.
    pub ignore: Option<Vec<String>>,
    /// What to do if two files define the same tool: `replace` keeps the later one, `skip` the earlier one, `error` stops.
    #[schemars(extend("default" = "replace"))]
    pub on_conflict: Option<String>,
    /// Whether to stop at the first diagnostic.
    #[schemars(extend("default" = false))]
    pub strict: Option<bool>,
    /// Timeout for running a file to read its tools, in milliseconds. All files of a source together may take four times as long.
    #[serde(deserialize_with = "milliseconds")]
    #[schemars(range(min = 1, max = 86400000))]
    pub probe_timeout_ms: Option<u64>,
    /// Whether agents see the meta tools `tool_search` and `execute_tool`.
    #[serde(deserialize_with = "meta_tools")]
    #[schemars(extend("enum" = ["auto", "always", "never"], "default" = "auto"))]
    pub meta_tools: Option<String>,
    /// Which servers `toolscout serve` discovers at startup.
    pub discover_on_start: Option<DiscoverOnStart>,
    /// Tool folders that an HTTP header selects, for one request.
    pub request_tools: Option<Vec<RequestToolsSettings>>,
    /// Predefined lists of tools without handlers. Catalogs and policies can name these tools; calls fail.
    pub presets: Option<Vec<ToolPreset>>,
    /// Programs whose tasks are tools of the project: targets of the Makefile, recipes of the justfile, scripts of the package.json.
    pub tasks: Option<Vec<TaskProgram>>,
    /// What to do with a tool if a source with higher precedence has a tool of the same name: report it, or exclude it.
    /// `exclude` in either file applies.
    #[schemars(with = "Option<String>", extend("enum" = ["report", "exclude"], "default" = "report"))]
    pub shadow: Option<ShadowPolicy>,
    /// Whether MCP clients get text results of tools marked as data, between two lines with a random number.
    /// `true` in either file applies.
    #[schemars(extend("default" = false))]
    pub spotlight: Option<bool>,
    /// How long a call with the policy `ask` stays open until an operator has decided, such as `60s` or `2m`, and at most
    /// `5m`. After it, the call fails with the command that approves it.
    #[serde(deserialize_with = "ask_wait")]
    #[schemars(extend("default" = "0s"))]
    pub ask_wait: Option<String>,
    /// Search settings.
    pub search: SearchSettings,
    /// Settings of the tool summary for system prompts.
    pub context: ContextSettings,
    /// Settings of `toolscout serve`.
    pub serve: ServeSettings,
    /// Confinement of servers and tools. Only in the user configuration.
    pub sandbox: SandboxTable,
    /// Export of traces. Only in the user configuration.
    #[serde(skip_serializing)]
    pub telemetry: TelemetrySettings,
    /// Size of the audit log. Only in the user configuration.
    pub journal: JournalSettings,
    /// The database that several replicas share. In the user configuration, or in that of a trusted project, where
    /// `database`, `listen_database` and `key` must name variables: `env:NAME`.
    #[serde(skip_serializing)]
    pub fleet: FleetTable,
}

/// Search settings.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct SearchSettings {
    /// Whether to search by meaning as well as by keywords.
    #[schemars(extend("default" = true))]
    pub semantic: Option<bool>,
    /// Folder of a sentence-transformers model to use instead of the built-in one. Only in the user configuration.
    #[serde(deserialize_with = "path")]
    pub model: Option<PathBuf>,
    /// Language of the tool descriptions, if it has a Latin script.
    #[schemars(with = "Option<String>", extend("enum" = languages(), "default" = "english"))]
    pub language: Option<Language>,
    /// Whether calls after a search improve later rankings (relevance feedback). `false` in either file applies.
    #[schemars(extend("default" = true))]
    pub learn: Option<bool>,
}

/// Settings of the tool summary for system prompts.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ContextSettings {
    /// Name the tools whose names contain one of these texts. Replaces the default list.
    #[serde(deserialize_with = "essential")]
    pub essential: Option<Vec<String>>,
}

/// Settings of `toolscout serve`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ServeSettings {
    /// Operations to offer to agents as tools, for example `server list`. Only operations that change nothing. Only in the user configuration.
    pub operations: Option<Vec<String>>,
    /// Longest wait for servers whose tools are still loading, in seconds, from 0 to 60: the first list and the first search
    /// of a client wait, and a changed configuration takes effect when its new servers have answered.
    #[serde(deserialize_with = "discovery_wait")]
    #[schemars(range(min = 0, max = 60), extend("default" = 5))]
    pub wait_for_discovery: Option<f64>,
    /// Name of this server towards MCP clients. By default the name of the program.
    #[serde(deserialize_with = "server_text")]
    #[schemars(extend("default" = "toolscout"))]
    pub name: Option<String>,
    /// Version of this server towards MCP clients. By default the version of the program.
    #[serde(deserialize_with = "server_text")]
    pub version: Option<String>,
    /// Maximum number of entries on one page of `tools/list` and of the other lists over MCP.
    #[serde(deserialize_with = "page_size")]
    #[schemars(range(min = 1, max = 10000), extend("default" = 500))]
    pub page_size: Option<u64>,
    /// Whether a client approves calls of tools with the policy `ask`: `client` if it supports elicitation, and every such
    /// client shows the question to a person. A token for HTTP decides for itself (`token create --approvals`). Only in the user configuration.
    #[serde(deserialize_with = "approvals")]
    #[schemars(extend("enum" = ["operator", "client"], "default" = "operator"))]
    pub approvals: Option<String>,
    /// The claims of access tokens (JWT), for `--auth jwt`. Only in the user configuration.
    pub jwt: JwtSettings,
    /// Folders of further projects that `toolscout serve --http` and `toolscout ui` serve, as with `--projects`. Only in the user configuration.
    #[serde(deserialize_with = "paths")]
    pub projects: Option<Vec<PathBuf>>,
}

/// The claims of access tokens (JWT). A name that starts with `/` is a JSON pointer: `/realm_access/roles`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct JwtSettings {
    /// The claim with the user.
    #[schemars(extend("default" = "sub"))]
    pub user: Option<String>,
    /// The claim with the tenant. Users of different tenants are different users. Tokens without it are refused.
    pub tenant: Option<String>,
    /// The claim with the profile that the token is limited to. Tokens without it are refused.
    pub profile: Option<String>,
    /// The claim with the roles: words in a text, or a list.
    #[schemars(extend("default" = "scope"))]
    pub role: Option<String>,
    /// The role of operators. Without it, no token has operator rights.
    pub operator: Option<String>,
}

impl ServeSettings {
    /// Whether clients that support elicitation approve calls.
    pub fn client_approvals(&self) -> bool {
        approves(self.approvals.as_deref())
    }

    /// The longest wait for servers whose tools are still loading.
    pub fn discovery_wait(&self) -> Duration {
        Duration::from_secs_f64(self.wait_for_discovery.unwrap_or(DISCOVERY_WAIT))
    }
}

/// The default of `serve.wait_for_discovery`, in seconds.
const DISCOVERY_WAIT: f64 = 5.0;

/// Confinement of servers and tools.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct SandboxTable {
    /// Level of servers and tools without one of their own. If set, servers of a project that no operator has added
    /// cannot loosen it.
    #[serde(deserialize_with = "sandbox_level")]
    #[schemars(extend("enum" = ["default", "strict", "off"], "default" = "default"))]
    pub level: Option<String>,
    /// Whether to refuse to start programs on a system that cannot confine them.
    #[schemars(extend("default" = false))]
    pub required: Option<bool>,
    /// What confines programs: `kernel` (Landlock and seccomp), or `bwrap` (bubblewrap, which hides everything that is
    /// not granted, and needs user namespaces).
    #[serde(deserialize_with = "sandbox_runner")]
    #[schemars(extend("enum" = ["kernel", "bwrap"], "default" = "kernel"))]
    pub runner: Option<String>,
    /// Files and folders that all servers and tools may read. `~/` is the home of the user.
    pub allow_read: Option<Vec<String>>,
    /// Files and folders that all servers and tools may read and write.
    pub allow_write: Option<Vec<String>>,
    /// Network of servers and tools without a setting of their own: `none`, `web`, `all`, or ports such as `443,5432`.
    #[serde(deserialize_with = "network")]
    pub network: Option<String>,
}

/// Export of traces.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct TelemetrySettings {
    /// URL of an OTLP collector, like `OTEL_EXPORTER_OTLP_ENDPOINT`.
    #[serde(deserialize_with = "text")]
    #[schemars(with = "Option<String>")]
    pub otlp: Option<ConfigText>,
    /// HTTP headers of the requests to the collector. Use references for secrets.
    #[serde(deserialize_with = "texts")]
    #[schemars(with = "BTreeMap<String, String>")]
    pub headers: BTreeMap<String, ConfigText>,
    /// Service name of the traces.
    #[schemars(extend("default" = "toolscout"))]
    pub service: Option<String>,
    /// Whether traces contain queries and arguments, with secrets redacted.
    #[schemars(extend("default" = false))]
    pub content: Option<bool>,
}

/// The database that several replicas share.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct FleetTable {
    /// URL of the PostgreSQL database: `env:TOOLSCOUT_DATABASE_URL`.
    #[serde(deserialize_with = "text", skip_serializing)]
    #[schemars(with = "Option<String>")]
    pub database: Option<ConfigText>,
    /// Direct URL for notifications, if `database` goes through a connection pooler. Without it, changes of other
    /// replicas take effect within half a second.
    #[serde(deserialize_with = "text", skip_serializing)]
    #[schemars(with = "Option<String>")]
    pub listen_database: Option<ConfigText>,
    /// Key of the fleet, from `toolscout fleet key`. While a key is replaced: the new and the old one, separated by a comma.
    #[serde(deserialize_with = "text", skip_serializing)]
    #[schemars(with = "Option<String>")]
    pub key: Option<ConfigText>,
    /// Name of the project, the same on every replica.
    pub project: Option<String>,
    /// Address on which this replica accepts requests of other replicas.
    pub listen: Option<String>,
    /// Whether a replica that has lost the database for six seconds admits calls of tools: `serve` for up to 15 minutes, `refuse`
    /// none.
    #[schemars(extend("default" = "serve"))]
    pub when_cut_off: Option<CutOffMode>,
    /// What this machine offers, for servers that need it: `["browser"]`.
    pub labels: Vec<String>,
}

/// What a replica does that has lost the database of its fleet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub enum CutOffMode {
    /// It admits calls for a limited time, by the decisions that it knows.
    #[default]
    Serve,
    /// It admits no calls.
    Refuse,
}

/// Size of the audit log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct JournalSettings {
    /// Maximum size in megabytes, from 8 to 4096, or `off`. The oldest records are deleted first.
    #[schemars(with = "Option<u64>", extend("default" = 64))]
    #[serde(rename = "keep")]
    pub retention: Option<JournalRetention>,
}

/// The maximum size of the audit log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JournalRetention {
    /// Nothing is written.
    Off,
    /// The limit in bytes.
    Bytes(u64),
}

/// A tool folder that an HTTP header selects.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RequestToolsSettings {
    /// Name of the header.
    pub header: String,
    /// Regular expression that must match the whole header value.
    pub pattern: String,
    /// The folder, relative to the project root; `{value}` stands for the header value.
    pub folder: String,
    /// Id of the source for these tools.
    pub source: Option<String>,
}

/// Which servers are discovered at startup.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub enum DiscoverOnStart {
    /// Servers that were never discovered, or whose entry has changed since.
    #[default]
    Missing,
    /// Also servers whose cached tools have expired.
    Stale,
    /// All servers.
    All,
}

/// A predefined list of tools without handlers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub enum ToolPreset {
    /// Tools that most agents have built in, for example `bash` and `file_read`.
    Native,
}

/// A program that runs the tasks of a project.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub enum TaskProgram {
    /// Targets of the Makefile that are phony or described by `## text`.
    Make,
    /// Recipes of the justfile.
    Just,
    /// Scripts of the package.json.
    Npm,
}

/// Settings that form one decision: if one file sets any of them, those of the other file are
/// ignored.
const GROUPS: [&[&str]; 2] =
    [&["roots", "tool_directories", "tool_files"], &["patterns", "ignore"]];

impl Settings {
    /// How long a call with the policy `ask` stays open.
    pub fn ask_wait(&self) -> Duration {
        self.ask_wait.as_deref().and_then(seconds).unwrap_or_default()
    }

    /// These settings, completed by those of `other`.
    pub(crate) fn merge(self, other: Self) -> Result<Self, SectionError> {
        let telemetry = if self.telemetry == TelemetrySettings::default() {
            &other.telemetry
        } else {
            &self.telemetry
        };
        let fleet = if self.fleet.database.is_some() { &self.fleet } else { &other.fleet };
        let (telemetry, fleet) = (telemetry.clone(), fleet.clone());
        let shadow = self.shadow.max(other.shadow);
        let is_spotlight_on = [self.spotlight, other.spotlight].contains(&Some(true));
        let is_learning_off = [self.search.learn, other.search.learn].contains(&Some(false));
        let (mut ours, theirs) = (table(self)?, table(other)?);
        let has = |group: &[&str]| {
            group.iter().any(|key| ours.get(*key).is_some_and(|value| !value.is_null()))
        };
        let decided_keys: Vec<&str> =
            GROUPS.into_iter().filter(|group| has(group)).flatten().copied().collect();
        fill_missing(
            &mut ours,
            theirs.into_iter().filter(|(key, _)| !decided_keys.contains(&key.as_str())).collect(),
        );
        let mut merged: Self = section::read(ours, Path::new("/"))?.value;
        (merged.telemetry, merged.fleet, merged.shadow) = (telemetry, fleet, shadow);
        if is_spotlight_on {
            merged.spotlight = Some(true);
        }
        if is_learning_off {
            merged.search.learn = Some(false);
        }
        Ok(merged)
    }
}

fn table(settings: Settings) -> Result<Map<String, Value>, SectionError> {
    match serde_json::to_value(settings) {
        Ok(Value::Object(table)) => Ok(table),
        Ok(_) => Ok(Map::new()),
        Err(error) => Err(Error::custom(error)),
    }
}

/// Adds missing keys, recursively for tables.
fn fill_missing(table: &mut Map<String, Value>, other: Map<String, Value>) {
    for (key, value) in other {
        match (table.get_mut(&key), value) {
            (Some(Value::Object(ours)), Value::Object(theirs)) => fill_missing(ours, theirs),
            (None | Some(Value::Null), value) => drop(table.insert(key, value)),
            _ => {}
        }
    }
}

fn languages() -> [&'static str; 14] {
    Language::ALL.map(|(_, name)| name)
}

fn sandbox_level<'de, D: Deserializer<'de>>(value: D) -> Result<Option<String>, D::Error> {
    one_of(value, &["default", "strict", "off"])
}

fn sandbox_runner<'de, D: Deserializer<'de>>(value: D) -> Result<Option<String>, D::Error> {
    one_of(value, &["kernel", "bwrap"])
}

fn network<'de, D: Deserializer<'de>>(value: D) -> Result<Option<String>, D::Error> {
    let words = Option::<String>::deserialize(value)?;
    match words {
        Some(words) if NetworkAccess::parse(&words).is_none() => Err(D::Error::custom(format!(
            "is `{words}`; use none, web, all, or ports such as 443,5432"
        ))),
        words => Ok(words),
    }
}

pub(crate) fn meta_tools<'de, D: Deserializer<'de>>(value: D) -> Result<Option<String>, D::Error> {
    one_of(value, &["auto", "always", "never"])
}

pub(crate) fn approvals<'de, D: Deserializer<'de>>(value: D) -> Result<Option<String>, D::Error> {
    one_of(value, &["operator", "client"])
}

/// Whether this setting says that clients approve calls.
pub(crate) fn approves(approvals: Option<&str>) -> bool {
    approvals == Some("client")
}

fn discovery_wait<'de, D: Deserializer<'de>>(value: D) -> Result<Option<f64>, D::Error> {
    match Option::<f64>::deserialize(value)? {
        Some(value) if !(0.0..=60.0).contains(&value) => Err(D::Error::custom(format!(
            "is `{value}`; it must be a number of seconds from 0 to 60"
        ))),
        value => Ok(value),
    }
}

/// The longest time that a call may stay open: its pending approval expires then.
const MAX_ASK_WAIT: Duration = Duration::from_secs(5 * 60);

fn ask_wait<'de, D: Deserializer<'de>>(value: D) -> Result<Option<String>, D::Error> {
    let text = Option::<String>::deserialize(value)?;
    let is_valid = |text: &String| seconds(text).is_some_and(|wait| wait <= MAX_ASK_WAIT);
    match text {
        Some(text) if !is_valid(&text) => Err(D::Error::custom(format!(
            "is `{text}`; it must be a time up to `5m`, such as `60s` or `2m`"
        ))),
        text => Ok(text),
    }
}

/// A time in seconds or minutes: `60s`, `2m`.
fn seconds(text: &str) -> Option<Duration> {
    let (number, unit) = match (text.strip_suffix('s'), text.strip_suffix('m')) {
        (Some(number), _) => (number, 1),
        (_, Some(number)) => (number, 60),
        _ => return None,
    };
    Some(Duration::from_secs(number.parse::<u64>().ok()?.checked_mul(unit)?))
}

/// A name or a version, which clients show to people.
fn server_text<'de, D: Deserializer<'de>>(value: D) -> Result<Option<String>, D::Error> {
    let text = Option::<String>::deserialize(value)?;
    let is_valid = |text: &String| {
        (1..=MAX_SERVER_TEXT).contains(&text.len()) && !text.chars().any(escape::is_dangerous)
    };
    if text.as_ref().is_none_or(is_valid) {
        return Ok(text);
    }
    Err(D::Error::custom(format!(
        "must have 1 to {MAX_SERVER_TEXT} bytes, without control characters"
    )))
}

/// Maximum length of a name or a version in bytes.
const MAX_SERVER_TEXT: usize = 128;

/// The valid sizes of a page.
const PAGE_SIZES: std::ops::RangeInclusive<u64> = 1..=10_000;

fn page_size<'de, D: Deserializer<'de>>(value: D) -> Result<Option<u64>, D::Error> {
    let Some(size) = Option::<Value>::deserialize(value)? else { return Ok(None) };
    size.as_u64().filter(|size| PAGE_SIZES.contains(size)).map(Some).ok_or_else(|| {
        D::Error::custom(format!(
            "must be a number from {} to {}",
            PAGE_SIZES.start(),
            PAGE_SIZES.end()
        ))
    })
}

fn essential<'de, D: Deserializer<'de>>(value: D) -> Result<Option<Vec<String>>, D::Error> {
    let names = Option::<Vec<String>>::deserialize(value)?;
    if names.iter().flatten().any(String::is_empty) {
        Err(D::Error::custom("has an empty string, which matches every name"))
    } else {
        Ok(names)
    }
}

/// The valid sizes in megabytes. A smaller size would not fit two files.
const MEGABYTES: std::ops::RangeInclusive<u64> = 8..=4_096;

impl<'de> Deserialize<'de> for JournalRetention {
    fn deserialize<D: Deserializer<'de>>(value: D) -> Result<Self, D::Error> {
        match Value::deserialize(value)? {
            Value::String(word) if word == "off" => Ok(Self::Off),
            other => match other.as_u64().filter(|value| MEGABYTES.contains(value)) {
                Some(megabytes) => Ok(Self::Bytes(megabytes << 20)),
                None => Err(D::Error::custom(format!(
                    "must be a number of megabytes from {} to {}, or `off`",
                    MEGABYTES.start(),
                    MEGABYTES.end()
                ))),
            },
        }
    }
}

impl Serialize for JournalRetention {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Off => serializer.serialize_str("off"),
            Self::Bytes(bytes) => serializer.serialize_u64(bytes >> 20),
        }
    }
}
