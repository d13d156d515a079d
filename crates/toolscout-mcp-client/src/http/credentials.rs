//! The configured headers. Any of them may be a secret, so no message contains a header's value.

use super::super::value::ReferenceLookup;
use super::super::{ClientError, HttpEndpoint};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use percent_encoding::percent_decode_str;
use reqwest::Url;
use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue};
use toolscout_core::redact;

/// Headers that delimit messages or belong to the protocol; a configuration must not set them.
const RESERVED: [&str; 14] = [
    "accept",
    "accept-encoding",
    "connection",
    "content-encoding",
    "content-length",
    "content-type",
    "expect",
    "keep-alive",
    "last-event-id",
    "mcp-protocol-version",
    "mcp-session-id",
    "te",
    "transfer-encoding",
    "upgrade",
];

/// All configured headers; credentials in the address become one of them.
pub(super) fn headers(
    endpoint: &HttpEndpoint,
    url: &Url,
    lookup: &ReferenceLookup,
) -> Result<HeaderMap, ClientError> {
    let mut out = HeaderMap::new();
    for (name, text) in &endpoint.headers {
        let what = format!("header `{}`", name.escape_debug());
        let header = HeaderName::try_from(name.as_str())
            .map_err(|_| ClientError::invalid(format!("{what} is not a valid header name")))?;
        if RESERVED.contains(&header.as_str()) {
            return Err(ClientError::invalid(format!(
                "{what} cannot be set; remove it from the server's `headers`"
            )));
        }
        let value = text
            .resolve(lookup)
            .map_err(|reason| ClientError::invalid(format!("{what}: {reason}")))?;
        out.insert(header, secret(&value, &what)?);
    }
    if let Some(text) = &endpoint.bearer {
        let token = text
            .resolve(lookup)
            .map_err(|reason| ClientError::invalid(format!("the server's token: {reason}")))?;
        out.insert(AUTHORIZATION, bearer(&token)?);
    } else if !out.contains_key(AUTHORIZATION)
        && let Some(value) = basic(url)?
    {
        out.insert(AUTHORIZATION, value);
    }
    Ok(out)
}

/// The value of an `Authorization` header with a bearer token.
pub(super) fn bearer(token: &str) -> Result<HeaderValue, ClientError> {
    let token = token.trim();
    if token.is_empty() {
        return Err(ClientError::invalid("the server's token is empty"));
    }
    // Configured tokens and tokens of logins all pass through here.
    redact::add_request_secret(token);
    secret(&format!("Bearer {token}"), "the server's token")
}

/// Removes the user name and password from the address.
pub(super) fn strip_userinfo(url: &mut Url) {
    // Fails only for addresses without a host, and `http` addresses have one.
    let _ = url.set_username("");
    let _ = url.set_password(None);
}

/// The header for `https://name:password@host`.
fn basic(url: &Url) -> Result<Option<HeaderValue>, ClientError> {
    if url.username().is_empty() && url.password().is_none() {
        return Ok(None);
    }
    let pair = format!("{}:{}", url.username(), url.password().unwrap_or_default());
    let pair: Vec<u8> = percent_decode_str(&pair).collect();
    secret(
        &format!("Basic {}", STANDARD.encode(pair)),
        "the user name and password in the server's `url`",
    )
    .map(Some)
}

fn secret(value: &str, what: &str) -> Result<HeaderValue, ClientError> {
    let header = HeaderValue::try_from(value).map_err(|_| {
        ClientError::invalid(format!("{what} has a value that is not allowed in a header"))
    });
    header.map(|mut value| {
        value.set_sensitive(true);
        value
    })
}
