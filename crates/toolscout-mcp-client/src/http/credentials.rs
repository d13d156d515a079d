//! Headers that a person configured. All of them may be secrets, so none is ever named together with its value.

use super::super::value::ReferenceLookup;
use super::super::{ClientError, HttpEndpoint};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
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

/// All headers that the configuration asks for; credentials in the address become one of them.
pub(super) fn headers(endpoint: &HttpEndpoint, url: &Url, lookup: &ReferenceLookup) -> Result<HeaderMap, ClientError> {
    let mut out = HeaderMap::new();
    for (name, text) in &endpoint.headers {
        let what = format!("header `{}`", name.escape_debug());
        let header = HeaderName::try_from(name.as_str()).map_err(|_| invalid(format!("{what} is no header name")))?;
        if OURS.contains(&header.as_str()) {
            return Err(invalid(format!("{what} cannot be set; remove it from the server's `headers`")));
        }
        let value = text.resolve(lookup).map_err(|why| invalid(format!("{what}: {why}")))?;
        out.insert(header, secret(&value, &what)?);
    }
    if let Some(text) = &endpoint.bearer {
        let token = text.resolve(lookup).map_err(|why| invalid(format!("the server's token: {why}")))?;
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
        return Err(invalid("the server's token is empty".to_owned()));
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

/// What a browser makes of `https://name:password@host`.
fn basic(url: &Url) -> Result<Option<HeaderValue>, ClientError> {
    if url.username().is_empty() && url.password().is_none() {
        return Ok(None);
    }
    let pair = format!("{}:{}", url.username(), url.password().unwrap_or_default());
    secret(&format!("Basic {}", STANDARD.encode(decoded(&pair))), "the name and password in the server's `url`")
        .map(Some)
}

/// Undoes percent-encoding; a `%` that begins none stands for itself.
fn decoded(text: &str) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        let hex = after.get(..2).filter(|it| first == b'%' && it.iter().all(u8::is_ascii_hexdigit));
        let hex = hex.and_then(|it| std::str::from_utf8(it).ok());
        match hex.and_then(|it| u8::from_str_radix(it, 16).ok()) {
            Some(byte) => {
                out.push(byte);
                rest = &after[2..];
            }
            None => {
                out.push(first);
                rest = after;
            }
        }
    }
    out
}

fn secret(value: &str, what: &str) -> Result<HeaderValue, ClientError> {
    let made = HeaderValue::try_from(value).map_err(|_| invalid(format!("{what} holds what no header can carry")));
    made.map(|mut it| {
        it.set_sensitive(true);
        it
    })
}

fn invalid(reason: String) -> ClientError {
    ClientError::Invalid { reason }
}
