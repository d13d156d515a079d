//! A server's entry in a configuration file, as it is written there.

mod read;
mod server;
#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

pub(super) use read::Read;
pub use server::EntryContext;

/// A server's entry as written in our own files; every field may be left out. Other programs' entries are brought into
/// this form when they are read or imported.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ServerEntry {
    /// The program, for a server on standard input and output.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub args: Vec<String>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub env: BTreeMap<String, String>,
    /// Relative to the file's folder, in the project's files to its root.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// The address, for a server on the web.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// `stdio`, `http` or `sse`; only `sse` need be said.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub headers: BTreeMap<String, String>,
    /// A token, best as a reference.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bearer: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client_id: Option<String>,
    /// Best as a reference.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client_secret: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub scopes: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enabled: Option<bool>,
    /// By the tool's name; `*` is for those not named.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub tools: BTreeMap<String, String>,
    /// `searchable` or `listed`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub visibility: Option<String>,
    /// Its tools that agents see without searching; names may hold `*`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub listed: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub filter: Option<ToolFilterEntry>,
    /// `false`: each of its tools waits for a review.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trust: Option<bool>,
    /// `hold` or `accept`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub on_change: Option<String>,
    /// Whether it is asked to search for itself; once its two tools for that are approved, if left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delegate: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub discovery_timeout_ms: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub call_timeout_ms: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub idle_timeout_ms: Option<u64>,
}

/// Which tools are there at all; names may hold `*`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ToolFilterEntry {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub include: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub exclude: Vec<String>,
}
