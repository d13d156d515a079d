//! The public information about a session.

use schemars::JsonSchema;
use serde::Serialize;
use std::sync::Arc;

/// A client that is connected, as it is listed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Session")]
pub struct SessionInfo {
    /// Names the session; it is no credential.
    pub id: String,
    /// `api`, `stdio` or `mcp`.
    pub kind: &'static str,
    /// The name of the client.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client: Option<String>,
    /// When it began, as RFC 3339.
    pub created: String,
    /// The user it belongs to; none if users are not told apart.
    #[serde(skip)]
    pub owner: Option<Arc<str>>,
    /// Whether it is a session of this process, and so uses its servers.
    #[serde(skip)]
    pub is_here: bool,
}
