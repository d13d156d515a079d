//! Headers that a person configured. All of them may be secrets, so none is ever named together with its value.

use super::super::value::ReferenceLookup;
use super::super::{ClientError, HttpEndpoint};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use percent_encoding::percent_decode_str;
use reqwest::Url;
use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue};
use toolscout_core::redact;

/// Headers that say where a message ends, or belong to the protocol itself: not for a person to set.
const OURS: [&str; 14] = [
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
pub(super) fn headers(endpoint: &HttpEndpoint, url: &Url, lookup: &ReferenceLookup) -> Result<HeaderMap, ClientError> {
    let mut out = HeaderMap::new();
    for (name, text) in &endpoint.headers {
        let what = format!("header `{}`", name.escape_debug());
        let header = HeaderName::try_from(name.as_str())
            .map_err(|_| ClientError::invalid(format!("{what} is no header name")))?;
        if OURS.contains(&header.as_str()) {
            return Err(ClientError::invalid(format!("{what} cannot be set; remove it from the server's `headers`")));
        }
        let value = text.resolve(lookup).map_err(|why| ClientError::invalid(format!("{what}: {why}")))?;
        out.insert(header, secret(&value, &what)?);
    }
    if let Some(text) = &endpoint.bearer {
        let token = text.resolve(lookup).map_err(|why| ClientError::invalid(format!("the server's token: {why}")))?;
        out.insert(AUTHORIZATION, bearer(&token)?);
    } else if !out.contains_key(AUTHORIZATION)
        && let Some(value) = basic(url)?
    {
        out.insert(AUTHORIZATION, value);
    }
    Ok(out)
}

/// `Bearer …`
pub(super) fn bearer(token: &str) -> Result<HeaderValue, ClientError> {
    let token = token.trim();
    if token.is_empty() {
        return Err(ClientError::invalid("the server's token is empty"));
    }
    // From a configuration or from a login: this is where all of them pass.
    redact::remember_briefly(token);
    secret(&format!("Bearer {token}"), "the server's token")
}

/// Leaves only the place in the address.
pub(super) fn take_out(url: &mut Url) {
    // Fails only for addresses that have no host, and `http` ones have.
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
    secret(&format!("Basic {}", STANDARD.encode(pair)), "the name and password in the server's `url`").map(Some)
}

fn secret(value: &str, what: &str) -> Result<HeaderValue, ClientError> {
    let made = HeaderValue::try_from(value)
        .map_err(|_| ClientError::invalid(format!("{what} holds what no header can carry")));
    made.map(|mut it| {
        it.set_sensitive(true);
        it
    })
}
