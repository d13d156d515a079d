//! What servers say about their logins, as it comes over the wire.

use serde::Deserialize;

/// A server's description of who gives tokens for it (RFC 9728).
#[derive(Debug, Clone, Default, Deserialize)]
pub(super) struct ResourceMetadata {
    pub(super) resource: String,
    #[serde(default)]
    pub(super) authorization_servers: Vec<String>,
    #[serde(default)]
    pub(super) scopes_supported: Vec<String>,
}

/// An authorization server's description of itself (RFC 8414, OpenID Connect Discovery).
#[derive(Debug, Clone, Default, Deserialize)]
pub(super) struct IssuerMetadata {
    pub(super) issuer: String,
    pub(super) authorization_endpoint: Option<String>,
    pub(super) token_endpoint: Option<String>,
    pub(super) registration_endpoint: Option<String>,
    pub(super) device_authorization_endpoint: Option<String>,
    #[serde(default)]
    pub(super) scopes_supported: Vec<String>,
    pub(super) code_challenge_methods_supported: Option<Vec<String>>,
    pub(super) token_endpoint_auth_methods_supported: Option<Vec<String>>,
    /// RFC 9207: each answer says whose it is.
    #[serde(default)]
    pub(super) authorization_response_iss_parameter_supported: bool,
}
