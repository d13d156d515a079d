//! Servers that need a token for each user, from a header of the HTTP request.

use toolscout_mcp_client::ServerConfig;
use toolscout_mcp_client::per_user::request_headers;

/// Whether the server needs a header from each request.
pub(super) fn is_per_user(server: &ServerConfig) -> bool {
    !request_headers(server).is_empty()
}

/// Why the server cannot be used without a request, and what to do instead.
pub(super) fn missing_header_reason(server: &ServerConfig) -> (String, String) {
    let (id, headers) = (&server.id, request_headers(server).join("` and `"));
    let reason = format!(
        "`{id}` needs header `{headers}` from each HTTP request; it cannot be used from the command line"
    );
    (reason, "toolscout serve --http 127.0.0.1:7420".to_owned())
}
