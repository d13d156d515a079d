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
    /// How to get an OAuth token: `authorization_code` (a user logs in with `toolscout server login`) or
    /// `client_credentials` (`client_id` and `client_secret` are enough).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("enum" = ["authorization_code", "client_credentials"], "default" = "authorization_code"))]
    pub grant: Option<String>,
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
    /// What to do with a tool that the server did not have before: quarantine it until it is approved, or allow it unless
    /// it has a severe finding. By default, `allow` if the server is trusted, and `review` otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("enum" = ["review", "allow"]))]
    pub new_tools: Option<String>,
    /// Whether a failed discovery removes the cached tools. By default they stay, marked as stale.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = false))]
    pub drop_on_failure: Option<bool>,
    /// Whether to forward searches to this server, if it is a gateway with `tool_search` and `execute_tool`. If absent,
    /// searches are forwarded once these two tools are approved.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delegate: Option<bool>,
    /// Protocol to speak with the server: `auto` (the newest one that the server has, and an older one for clients that
    /// need it), `modern` (2026-07-28), `legacy` (2025-11-25 and earlier), or one revision.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = "auto", "enum" = ["auto", "modern", "legacy", "2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"]))]
    pub protocol: Option<String>,
    /// How strictly its command is confined: `default` (a private home, its own files and the network of `network`), `strict` (also no
    /// network, and less memory) or `off`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = "default", "enum" = ["default", "strict", "off"]))]
    pub sandbox: Option<String>,
    /// Files and folders that its command may read, besides its own. `~/` is the home of the user.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub allow_read: Vec<String>,
    /// Files and folders that its command may read and write.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub allow_write: Vec<String>,
    /// Network that its command may use: `none`, `web` (outgoing TCP connections to the ports 80 and 443, and name
    /// resolution), `all`, or ports such as `443,5432`. By default `web`, and `none` if `sandbox` is `strict`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub network: Option<String>,
    /// On how many replicas of a [fleet](../guide/fleet.md#placement-of-servers) the command runs: on `each` where it is called,
    /// or on `one`, to which the others forward calls.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = "each", "enum" = ["each", "one"]))]
    pub placement: Option<String>,
    /// Labels of the replicas that can run the command, with `placement = "one"`; see `labels` in `[fleet]`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub needs: Vec<String>,
    /// Timeout of a discovery in milliseconds.
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
