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
    /// Program to start, for a server on standard input and output. Looked up in `PATH`; a relative path is relative to
    /// the folder it starts in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// Arguments of the program.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub args: Vec<String>,
    /// Environment variables of the program, besides the usual few.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub env: BTreeMap<String, String>,
    /// Folder the program starts in. Relative to the root of the project; in the user's configuration, to its folder.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// Address of a server on the web.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Transport. Needed only for `sse`.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    #[schemars(extend("enum" = ["stdio", "http", "sse"]))]
    pub kind: Option<String>,
    /// HTTP headers of each request.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub headers: BTreeMap<String, String>,
    /// Token sent as `Authorization: Bearer …`, best written as a reference.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bearer: Option<String>,
    /// OAuth client id; registered with the server if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client_id: Option<String>,
    /// OAuth client secret, best written as a reference.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client_secret: Option<String>,
    /// OAuth scopes to request.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub scopes: Vec<String>,
    /// `false` keeps the entry and does not use the server. `disabled = true` means the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = true))]
    pub enabled: Option<bool>,
    /// Policies by tool name; `*` is for tools without one.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub tools: BTreeMap<String, String>,
    /// Whether agents find its tools by search only, or see them in every list.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("enum" = ["searchable", "listed"], "default" = "searchable"))]
    pub visibility: Option<String>,
    /// Names of its tools that agents see in every list; `*` matches any text.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub listed: Vec<String>,
    /// Which of its tools exist: `{ include = ["read_*"], exclude = ["read_all"] }`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub filter: Option<ToolFilterEntry>,
    /// `false` quarantines each of its tools until it is reviewed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trust: Option<bool>,
    /// What happens to a tool whose definition changes: `hold` quarantines it, `accept` takes it unless a severe finding
    /// is in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("enum" = ["hold", "accept"], "default" = "hold"))]
    pub on_change: Option<String>,
    /// Whether searches are forwarded to it, if it hides its tools behind `tool_search` and `execute_tool`. If absent,
    /// once these two tools are approved.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delegate: Option<bool>,
    /// How long discovery may take.
    #[serde(deserialize_with = "milliseconds", skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 86400000))]
    pub discovery_timeout_ms: Option<u64>,
    /// How long a call may take.
    #[serde(deserialize_with = "milliseconds", skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 86400000))]
    pub call_timeout_ms: Option<u64>,
    /// How long it keeps running without a call.
    #[serde(deserialize_with = "milliseconds", skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 86400000))]
    pub idle_timeout_ms: Option<u64>,
}

/// Which tools of a server exist; `*` in a name matches any text.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ToolFilterEntry {
    /// Only these tools.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub include: Option<Vec<String>>,
    /// Never these tools.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub exclude: Vec<String>,
}
