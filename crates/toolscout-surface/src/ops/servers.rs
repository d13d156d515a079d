//! Which servers there are, and how they are.

use schemars::JsonSchema;
use serde::Serialize;
use std::time::Duration;
use toolscout_core::Tool;

/// A tool of a server in the catalogue.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CatalogEntry {
    /// `server/tool`.
    pub name: String,
    /// What it does; `server tool: name` where nobody said.
    pub description: String,
    /// `mcp`.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// What a person set for this tool.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub configured_policy: Option<&'static str>,
    /// Of the server's last discovery.
    pub discovery_status: &'static str,
    /// When the tool was last listed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_discovered: Option<String>,
    /// `ready`, `held` …
    pub status: &'static str,
    /// Why it is not ready.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

impl CatalogEntry {
    /// The tool of a server whose last discovery went this way.
    pub fn new(tool: &Tool, discovery_status: &'static str, configured_policy: Option<&'static str>) -> Self {
        let described = tool.description.clone().filter(|it| !it.is_empty());
        Self {
            name: tool.id.to_string(),
            description: described.unwrap_or_else(|| format!("{} tool: {}", tool.id.source, tool.id.name)),
            kind: "mcp",
            configured_policy,
            discovery_status,
            last_discovered: tool.provenance.seen.map(|it| it.to_string()),
            status: tool.status.word(),
            reason: tool.status.reason().map(str::to_owned),
        }
    }
}

/// What came of trying a server out, as `server test --json` shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Tested {
    /// Whether it answered.
    pub ok: bool,
    /// How long that took.
    pub latency_ms: u64,
    /// How many tools it has.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_count: Option<usize>,
    /// Which revision of the protocol it speaks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub protocol: Option<String>,
    /// Why it did not answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// The next thing to type.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

impl Tested {
    /// It did not answer.
    pub fn failed(latency_ms: u64, error: String, hint: String) -> Self {
        let (error, hint) = (Some(error), Some(hint));
        Self { ok: false, latency_ms, tool_count: None, protocol: None, error, hint }
    }
}

/// `40 s`, `3 min`, `5 h`, `2 days`: as people say it.
pub fn age(age: Duration) -> String {
    match age.as_secs() {
        seconds @ 0..60 => format!("{seconds} s"),
        seconds @ 60..3_600 => format!("{} min", seconds / 60),
        seconds @ 3_600..172_800 => format!("{} h", seconds / 3_600),
        seconds => format!("{} days", seconds / 86_400),
    }
}
