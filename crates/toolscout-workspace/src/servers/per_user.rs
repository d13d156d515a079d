//! Servers whose users each bring a token of their own: a source for each request, and none for all.

use toolscout_mcp_client::ServerConfig;
use toolscout_mcp_client::per_user::request_headers;

/// Whether the server is asked with what each request brings.
pub(super) fn is_per_user(server: &ServerConfig) -> bool {
    !request_headers(server).is_empty()
}

/// Why it cannot be asked on nobody's behalf.
pub(super) fn why(server: &ServerConfig) -> (String, String) {
    let (id, headers) = (&server.id, request_headers(server).join("` and `"));
    let what = format!("`{id}` is asked with what each request brings as header `{headers}`, and here is no request");
    (what, "toolscout serve --http 127.0.0.1:7420".to_owned())
}
