//! The settings of a configuration file. A setting is one field with its documentation, which is
//! also its reference in `docs/settings.md`.

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
    /// Folders to search for tools. `default` is the root of the project.
    #[serde(deserialize_with = "roots")]
    pub roots: Option<Vec<PathBuf>>,
    /// Folders that hold tools themselves.
    #[serde(deserialize_with = "paths")]
    pub tool_directories: Option<Vec<PathBuf>>,
    /// Single files with tools, listed before all others.
    #[serde(deserialize_with = "paths")]
    pub tool_files: Option<Vec<PathBuf>>,
    /// Patterns of files with tools, instead of `tools/**` and `src/tools/**`.
    pub patterns: Option<Vec<String>>,
    /// Patterns of files to ignore, instead of the usual ones.
    pub ignore: Option<Vec<String>>,
    /// What happens if two files of a folder define one tool: `replace`, `skip` or `error`.
    #[schemars(extend("default" = "replace"))]
    pub on_conflict: Option<String>,
    /// Whether the first diagnostic is an error.
    #[schemars(extend("default" = false))]
    pub strict: Option<bool>,
    /// How long a file may take to describe its tools. All files of a source together may take four times as long.
    #[serde(deserialize_with = "milliseconds")]
    #[schemars(range(min = 1, max = 86400000))]
    pub probe_timeout_ms: Option<u64>,
    /// Whether agents see the meta tools `tool_search` and `execute_tool`.
    #[serde(deserialize_with = "meta_tools")]
    #[schemars(extend("enum" = ["auto", "always", "never"], "default" = "auto"))]
    pub meta_tools: Option<String>,
    /// Which servers `toolscout serve` discovers at startup.
    pub discover_on_start: Option<DiscoverOnStart>,
    /// Folders of tools that a header of an HTTP request chooses, for this request only.
    pub request_tools: Option<Vec<RequestToolsSettings>>,
    /// Declared lists of tools that exist without being runnable, so that catalogs and policies can name them.
    pub presets: Option<Vec<ToolPreset>>,
    /// What happens to a tool if a source with higher precedence has one of the same name. `exclude` in either file
    /// wins.
    #[schemars(with = "Option<String>", extend("enum" = ["report", "exclude"], "default" = "report"))]
    pub shadow: Option<ShadowPolicy>,
    /// How tools are searched.
    pub search: SearchSettings,
    /// What models are told about tools before they ask.
    pub context: ContextSettings,
    /// Which operations agents may call. Only in the user's own configuration.
    pub serve: ServeSettings,
    /// Where traces are sent. Only in the user's own configuration.
    #[serde(skip_serializing)]
    pub telemetry: TelemetrySettings,
    /// How much of the audit log is kept. Only in the user's own configuration.
    pub journal: JournalSettings,
}

/// How tools are searched.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct SearchSettings {
    /// Whether meaning counts, and not only words.
    #[schemars(extend("default" = true))]
    pub semantic: Option<bool>,
    /// A sentence-transformers model to use instead of the built-in one. Only in the user's own configuration.
    #[serde(deserialize_with = "path")]
    pub model: Option<PathBuf>,
    /// The language that tools are described in, if its script is Latin.
    #[schemars(with = "Option<String>", extend("enum" = languages(), "default" = "english"))]
    pub language: Option<Language>,
    /// Whether search learns from calls which tool answers which query. `false` in either file wins.
    #[schemars(extend("default" = true))]
    pub learn: Option<bool>,
}

/// What models are told about tools before they ask.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ContextSettings {
    /// Parts of the names of tools to mention, instead of the usual ones.
    #[serde(deserialize_with = "essential")]
    pub essential: Option<Vec<String>>,
}

/// Which operations agents may call.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ServeSettings {
    /// Operations that `toolscout serve` offers to agents as tools, such as `server list`. Only operations that read.
    pub operations: Option<Vec<String>>,
}

/// Where traces are sent.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct TelemetrySettings {
    /// Address of an OTLP collector, as in `OTEL_EXPORTER_OTLP_ENDPOINT`.
    #[serde(deserialize_with = "text")]
    #[schemars(with = "Option<String>")]
    pub otlp: Option<ConfigText>,
    /// Headers of each request to it. Secrets are best written as references.
    #[serde(deserialize_with = "texts")]
    #[schemars(with = "BTreeMap<String, String>")]
    pub headers: BTreeMap<String, ConfigText>,
    /// Service name of the traces.
    #[schemars(extend("default" = "toolscout"))]
    pub service: Option<String>,
    /// Whether traces hold queries and arguments, with secrets redacted.
    #[schemars(extend("default" = false))]
    pub content: Option<bool>,
}

/// How much of the audit log is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct JournalSettings {
    /// Megabytes, from 8 to 4096, or `off`. The oldest lines go first.
    #[schemars(with = "Option<u64>", extend("default" = 64))]
    pub keep: Option<JournalRetention>,
}

/// How much of the audit log is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JournalRetention {
    /// Nothing is written.
    Off,
    /// The limit in bytes.
    Bytes(u64),
}

/// A folder of tools that a header of a request chooses.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RequestToolsSettings {
    /// The header.
    pub header: String,
    /// Regular expression that the whole value of the header must match.
    pub pattern: String,
    /// The folder, relative to the project, with `{value}` in it.
    pub folder: String,
    /// The id of the source of these tools.
    pub source: Option<String>,
}

/// Which servers are discovered at startup.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub enum DiscoverOnStart {
    /// Those never discovered, or whose entry has changed since.
    #[default]
    Missing,
    /// Also those whose tools are old.
    Stale,
    /// All of them.
    All,
}

/// A declared list of tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub enum ToolPreset {
    /// What most agents can do without tools: `bash`, `file_read` and the like.
    Native,
}

/// Settings that form one decision: if one file sets any of them, those of the other file are
/// ignored.
const GROUPS: [&[&str]; 2] =
    [&["roots", "tool_directories", "tool_files"], &["patterns", "ignore"]];

impl Settings {
    /// These settings, completed by those of `other`.
    pub(crate) fn or(self, other: Self) -> Result<Self, SectionError> {
        let telemetry = if self.telemetry == TelemetrySettings::default() {
            &other.telemetry
        } else {
            &self.telemetry
        };
        let (telemetry, shadow) = (telemetry.clone(), self.shadow.max(other.shadow));
        let is_learning_off = [self.search.learn, other.search.learn].contains(&Some(false));
        let (mut ours, theirs) = (table(self)?, table(other)?);
        let has =
            |group: &[&str]| group.iter().any(|it| ours.get(*it).is_some_and(|it| !it.is_null()));
        let decided: Vec<&str> =
            GROUPS.into_iter().filter(|it| has(it)).flatten().copied().collect();
        fill(
            &mut ours,
            theirs.into_iter().filter(|(key, _)| !decided.contains(&key.as_str())).collect(),
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
fn fill(table: &mut Map<String, Value>, other: Map<String, Value>) {
    for (key, value) in other {
        match (table.get_mut(&key), value) {
            (Some(Value::Object(ours)), Value::Object(theirs)) => fill(ours, theirs),
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
        Err(D::Error::custom("holds an empty text, which is part of every name"))
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
            other => match other.as_u64().filter(|it| MEGABYTES.contains(it)) {
                Some(megabytes) => Ok(Self::Bytes(megabytes << 20)),
                None => Err(D::Error::custom(format!(
                    "must be megabytes, from {} to {}, or `off`",
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
