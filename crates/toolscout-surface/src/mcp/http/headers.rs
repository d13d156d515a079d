//! Parses and decodes headers of MCP, and creates the errors about them.

use crate::mcp::errors;
use axum::http::HeaderMap;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use std::borrow::Cow;
use toolscout_core::jsonrpc::RpcError;

/// The trimmed value of a header that may occur once.
pub(super) fn single_value<'a>(
    headers: &'a HeaderMap,
    name: &str,
) -> Result<Option<&'a str>, RpcError> {
    let mut values = headers.get_all(name).iter();
    match (values.next(), values.next()) {
        (None, _) => Ok(None),
        (Some(value), None) => {
            value.to_str().map(|value| Some(value.trim())).map_err(|_| malformed(name))
        }
        (_, Some(_)) => Err(RpcError::new(errors::HEADERS, format!("duplicate `{name}` header"))),
    }
}

/// Decodes a header value, which may be in base64. Returns none if the encoding is invalid.
pub(super) fn decode(value: &str) -> Option<Cow<'_, str>> {
    let encoded = value.strip_prefix("=?base64?").and_then(|rest| rest.strip_suffix("?="));
    match encoded {
        Some(encoded) => Some(String::from_utf8(STANDARD.decode(encoded).ok()?).ok()?.into()),
        None => Some(value.into()),
    }
}

pub(super) fn missing(header: &str) -> RpcError {
    RpcError::new(errors::HEADERS, format!("`{header}` is missing"))
}

pub(super) fn differs(header: &str, field: &str) -> RpcError {
    RpcError::new(errors::HEADERS, format!("`{header}` does not match `{field}` of the message"))
}

pub(super) fn malformed(header: &str) -> RpcError {
    RpcError::new(errors::HEADERS, format!("`{header}` is malformed"))
}
