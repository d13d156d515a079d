//! A server's entry as written in a configuration file.

mod read;
mod server;
#[cfg(test)]
mod tests;

use crate::section::milliseconds;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

pub use server::EntryContext;

/// A server's entry as written in our own files. Entries of other programs are brought into this form when they are read
/// or imported.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ServerEntry {
    /// Command of a stdio server. It is looked up in `PATH`; a relative path is relative to `cwd`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// Arguments of the command.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub args: Vec<String>,
    /// Environment variables of the command. It inherits only a few others, such as `PATH` and `HOME`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub env: BTreeMap<String, String>,
    /// Working directory of the command. Relative to the project root; in the user configuration, to its folder.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// URL of an HTTP server.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Transport. Required only for `sse`.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    #[schemars(extend("enum" = ["stdio", "http", "sse"]))]
    pub kind: Option<String>,
    /// HTTP headers of the requests to the server. Use references for secrets.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub headers: BTreeMap<String, String>,
    /// Bearer token for the `Authorization` header. Use a reference.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bearer: Option<String>,
    /// OAuth client id. If absent, toolscout registers a client with the authorization server.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client_id: Option<String>,
    /// OAuth client secret. Use a reference.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client_secret: Option<String>,
    /// OAuth scopes to request.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub scopes: Vec<String>,
    /// `false` disables the server and keeps the entry, as does `disabled = true`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = true))]
    pub enabled: Option<bool>,
    /// Policies by tool name; `*` applies to all other tools.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub tools: BTreeMap<String, String>,
    /// Whether agents find its tools by search, or also see them in the tool list.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("enum" = ["searchable", "listed"], "default" = "searchable"))]
    pub visibility: Option<String>,
    /// Names of its tools that agents see in the tool list; `*` matches any text.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub listed: Vec<String>,
    /// Tools to include or exclude: `{ include = ["read_*"], exclude = ["read_all"] }`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub filter: Option<ToolFilterEntry>,
    /// `false` quarantines each of its tools until it is approved.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trust: Option<bool>,
    /// What to do if the definition of a tool changes: quarantine the tool, or accept the change unless it has a severe
    /// finding.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("enum" = ["quarantine", "accept"], "default" = "quarantine"))]
    pub on_change: Option<String>,
    /// Whether searches are forwarded to it, if it hides its tools behind `tool_search` and `execute_tool`. If absent,
    /// once these two tools are approved.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delegate: Option<bool>,
    /// How long discovery may take.
    #[serde(deserialize_with = "milliseconds", skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 86400000))]
    pub discovery_timeout_ms: Option<u64>,
    /// Timeout of a call in milliseconds.
    #[serde(deserialize_with = "milliseconds", skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 86400000))]
    pub call_timeout_ms: Option<u64>,
    /// Time without a call after which the server is stopped, in milliseconds.
    #[serde(deserialize_with = "milliseconds", skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 86400000))]
    pub idle_timeout_ms: Option<u64>,
}

/// Tools of a server to include or exclude; `*` in a name matches any text.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ToolFilterEntry {
    /// Include only these tools.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub include: Option<Vec<String>>,
    /// Exclude these tools.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub exclude: Vec<String>,
}
