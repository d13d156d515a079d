//! Tools that one request has and another has not: of a user, of a tenant.
//!
//! [`request_tools`] is a [`toolscout_core::RequestSources`] of tools made in code. `RequestFolder` of `toolscout-folder`
//! and `PerUserServer` of `toolscout-mcp-client` use the functions here to read the request's headers and to form keys.

mod of_request;
mod tools;

#[cfg(test)]
mod tests;

pub use of_request::OfRequest;
pub use tools::{RequestTools, request_tools};

use toolscout_core::{Cx, SourceId};

/// Headers that say who somebody is to us, or belong to the connection: they are never passed on, so nothing can be chosen
/// by them.
const KEPT_BACK: [&str; 4] = ["authorization", "cookie", "proxy-authorization", "mcp-session-id"];

/// The value of a header of the request, whatever case its name is written in. One that is there twice has no value that all
/// readers agree on, so it is as good as left out.
pub fn header<'a>(cx: &'a Cx, name: &str) -> Option<&'a str> {
    let mut values = cx.headers.iter().filter(|(it, _)| it.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str());
    match (values.next(), values.next()) {
        (Some(value), None) => Some(value),
        _ => None,
    }
}

/// The header's name in lower case, if a request may bring something in it.
///
/// # Errors
///
/// Says why not, for people.
pub fn header_name(name: &str) -> Result<String, String> {
    let lower = name.to_ascii_lowercase();
    let is_token = |it: u8| it.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&it);
    if lower.is_empty() || !lower.bytes().all(is_token) {
        return Err(format!("`{}` is not the name of a header", toolscout_core::escape::line(name)));
    }
    if KEPT_BACK.contains(&lower.as_str()) {
        Err(format!("the header `{lower}` is reserved for toolscout and never forwarded; use another one"))
    } else {
        Ok(lower)
    }
}

/// Whose a request is: the user whom the surface has recognised, and what the request says. Both, always: a header alone can
/// be said by anybody.
pub fn whose(cx: &Cx, said: &[&str]) -> String {
    serde_json::json!([cx.user.as_deref(), said]).to_string()
}

/// What sources of requests are called, unless they say otherwise.
pub fn own() -> SourceId {
    SourceId::new("own").unwrap_or_else(|_| SourceId::app())
}
