//! Tools that belong to one request: those of a user or a tenant.
//!
//! [`request_tools`] is a [`toolscout_core::RequestSources`] of tools made in code. `RequestFolder`
//! of `toolscout-folder` and `PerUserServer` of `toolscout-mcp-client` use the functions here to
//! read the request's headers and to form keys.

mod of_request;
mod tools;

#[cfg(test)]
mod tests;

pub use of_request::OfRequest;
pub use tools::{RequestTools, request_tools};

use toolscout_core::{Cx, SourceId};

/// Headers that authenticate the client to toolscout, or belong to the connection. They are never
/// forwarded, so they cannot select sources either.
const RESERVED_HEADERS: [&str; 4] =
    ["authorization", "cookie", "proxy-authorization", "mcp-session-id"];

/// The value of a header of the request; the name is case-insensitive. Readers disagree on the
/// meaning of a duplicate header, so it counts as missing.
pub fn header<'a>(cx: &'a Cx, name: &str) -> Option<&'a str> {
    let mut matches = cx
        .headers
        .iter()
        .filter(|(header, _)| header.eq_ignore_ascii_case(name))
        .map(|(_, value)| value.as_str());
    match (matches.next(), matches.next()) {
        (Some(value), None) => Some(value),
        _ => None,
    }
}

/// The header's name in lower case, if a request may carry a value in it.
///
/// # Errors
///
/// The reason why not, as text for users.
pub fn header_name(name: &str) -> Result<String, String> {
    let lower = name.to_ascii_lowercase();
    let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    if lower.is_empty() || !lower.bytes().all(is_token) {
        return Err(format!("`{}` is not a valid header name", toolscout_core::escape::line(name)));
    }
    if RESERVED_HEADERS.contains(&lower.as_str()) {
        Err(format!(
            "the header `{lower}` is reserved for toolscout and never forwarded; use another one"
        ))
    } else {
        Ok(lower)
    }
}

/// The cache key of a request: the authenticated user and the values from the request. It always
/// contains both, because any client can send a header.
pub fn cache_key(cx: &Cx, values: &[&str]) -> String {
    serde_json::json!([cx.user.as_deref(), values]).to_string()
}

/// The default id of request sources.
pub fn default_id() -> SourceId {
    SourceId::new("own").unwrap_or_else(|_| SourceId::app())
}
