//! The settings of a configuration file. A setting is one field with its documentation, which is
//! also its reference in `docs/reference/settings.md`.

use crate::section::{self, SectionError, milliseconds, one_of, path, paths, roots, text, texts};
use schemars::JsonSchema;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use toolscout_core::{Language, ShadowPolicy};
use toolscout_mcp_client::ConfigText;

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
    /// What happens to a tool if a source with higher precedence has one of the same name. `exclude` in either file
    /// wins.
    #[schemars(with = "Option<String>", extend("enum" = ["report", "exclude"], "default" = "report"))]
    pub shadow: Option<ShadowPolicy>,
    /// How tools are searched.
    pub search: SearchSettings,
    /// Settings of the tool summary for system prompts.
    pub context: ContextSettings,
    /// Settings of `toolscout serve`.
    pub serve: ServeSettings,
    /// Where traces are sent. Only in the user's own configuration.
    #[serde(skip_serializing)]
    pub telemetry: TelemetrySettings,
    /// Size of the audit log. Only in the user configuration.
    pub journal: JournalSettings,
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
}

/// Where traces are sent.
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

/// Size of the audit log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct JournalSettings {
    /// Maximum size in megabytes, from 8 to 4096, or `off`. The oldest records are deleted first.
    #[schemars(with = "Option<u64>", extend("default" = 64))]
    pub keep: Option<JournalRetention>,
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

/// Settings that form one decision: if one file sets any of them, those of the other file are
/// ignored.
const GROUPS: [&[&str]; 2] =
    [&["roots", "tool_directories", "tool_files"], &["patterns", "ignore"]];

impl Settings {
    /// These settings, completed by those of `other`.
    pub(crate) fn merge(self, other: Self) -> Result<Self, SectionError> {
        let telemetry = if self.telemetry == TelemetrySettings::default() {
            &other.telemetry
        } else {
            &self.telemetry
        };
        let (telemetry, shadow) = (telemetry.clone(), self.shadow.max(other.shadow));
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
        (merged.telemetry, merged.shadow) = (telemetry, shadow);
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

pub(crate) fn meta_tools<'de, D: Deserializer<'de>>(value: D) -> Result<Option<String>, D::Error> {
    one_of(value, &["auto", "always", "never"])
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
