//! The public information about a session.

use schemars::JsonSchema;
use serde::Serialize;
use std::sync::Arc;

/// A session of a client.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Session")]
pub struct SessionInfo {
    /// The id of the session. It is not a credential.
    pub id: String,
    /// How the client is connected: `api`, `stdio` or `mcp` (over HTTP).
    pub kind: &'static str,
    /// The name of the client.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client: Option<String>,
    /// When the session started; RFC 3339.
    pub created: String,
    /// The id of its project.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    /// The user it belongs to; none if users are not told apart.
    #[serde(skip)]
    pub owner: Option<Arc<str>>,
    /// Whether it is a session of this process, and so uses its servers.
    #[serde(skip)]
    pub is_local: bool,
}
