//! Headers of MCP: their one value, decoded, and the errors about them.

use crate::mcp::errors;
use axum::http::HeaderMap;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use std::borrow::Cow;
use toolscout_core::jsonrpc::RpcError;

/// The one value of a header, without what surrounds it.
pub(super) fn one<'a>(headers: &'a HeaderMap, name: &str) -> Result<Option<&'a str>, RpcError> {
    let mut values = headers.get_all(name).iter();
    match (values.next(), values.next()) {
        (None, _) => Ok(None),
        (Some(value), None) => value.to_str().map(|it| Some(it.trim())).map_err(|_| malformed(name)),
        (_, Some(_)) => Err(RpcError::new(errors::HEADERS, format!("`{name}` is there twice"))),
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

pub(super) fn missing(header: &str) -> RpcError {
    RpcError::new(errors::HEADERS, format!("`{header}` is missing"))
}

pub(super) fn differs(header: &str, field: &str) -> RpcError {
    RpcError::new(errors::HEADERS, format!("`{header}` is not what the message says in `{field}`"))
}

pub(super) fn malformed(header: &str) -> RpcError {
    RpcError::new(errors::HEADERS, format!("`{header}` cannot be read"))
}
