//! Headers that repeat what the message says: whoever sees only them must have seen the truth.

use super::era;
use crate::mcp::fault::Fault;
use crate::mcp::message::Request;
use axum::http::HeaderMap;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use std::borrow::Cow;

const METHOD: &str = "mcp-method";
const NAME: &str = "mcp-name";

/// Compares the headers of a modern request with what it says.
pub(super) fn check(headers: &HeaderMap, request: &Request) -> Result<(), Fault> {
    match one(headers, METHOD)? {
        Some(method) if method == request.method => {}
        Some(_) => return Err(differs("Mcp-Method", "method")),
        None => return Err(missing("Mcp-Method")),
    }
    let params = era::params(request)?;
    let (field, value) = match request.method.as_str() {
        "tools/call" | "prompts/get" => ("params.name", params.name),
        "resources/read" => ("params.uri", params.uri),
        _ => return Ok(()),
    };
    let value: Option<String> = value.and_then(|it| serde_json::from_str(it.get()).ok());
    match (one(headers, NAME)?, value) {
        (Some(name), Some(value)) if decoded(name).ok_or_else(|| malformed("Mcp-Name"))? == value => Ok(()),
        (Some(_), _) => Err(differs("Mcp-Name", field)),
        (None, Some(_)) => Err(missing("Mcp-Name")),
        // What is missing in both is for whoever answers to say.
        (None, None) => Ok(()),
    }
}

/// The one value of a header, without what surrounds it.
pub(super) fn one<'a>(headers: &'a HeaderMap, name: &str) -> Result<Option<&'a str>, Fault> {
    let mut values = headers.get_all(name).iter();
    match (values.next(), values.next()) {
        (None, _) => Ok(None),
        (Some(value), None) => value.to_str().map(|it| Some(it.trim())).map_err(|_| malformed(name)),
        (_, Some(_)) => Err(Fault::new(Fault::HEADERS, format!("`{name}` is there twice"))),
    }
}

/// What a header says, where it had to be encoded to be said in one; none where that is broken.
pub(super) fn decoded(value: &str) -> Option<Cow<'_, str>> {
    let encoded = value.strip_prefix("=?base64?").and_then(|it| it.strip_suffix("?="));
    match encoded {
        Some(encoded) => Some(String::from_utf8(STANDARD.decode(encoded).ok()?).ok()?.into()),
        None => Some(value.into()),
    }
}

pub(super) fn missing(header: &str) -> Fault {
    Fault::new(Fault::HEADERS, format!("`{header}` is missing"))
}

pub(super) fn differs(header: &str, field: &str) -> Fault {
    Fault::new(Fault::HEADERS, format!("`{header}` is not what the message says in `{field}`"))
}

pub(super) fn malformed(header: &str) -> Fault {
    Fault::new(Fault::HEADERS, format!("`{header}` cannot be read"))
}
