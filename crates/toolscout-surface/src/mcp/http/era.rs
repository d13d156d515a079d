//! The era of a message over HTTP, and the check that its headers agree with it.

use super::headers::{decode, differs, malformed, missing, single_value};
use crate::mcp::errors;
use crate::mcp::message::{Incoming, Request};
use crate::mcp::version::{MODERN, SUPPORTED_VERSIONS, Version};
use axum::http::HeaderMap;
use serde::Deserialize;
use serde_json::json;
use serde_json::value::RawValue;
use toolscout_core::jsonrpc::RpcError;

/// The header that names the protocol version.
pub(super) const VERSION: &str = "mcp-protocol-version";

const METHOD: &str = "mcp-method";
const NAME: &str = "mcp-name";

/// The era of a message.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Era {
    /// The message is self-contained.
    Modern,
    /// The message belongs to a session, or starts one.
    Legacy,
}

/// The parameters of a request that headers are compared with. A duplicate key is an error, so that
/// no other parser reads the other value.
#[derive(Deserialize, Default)]
struct Params<'a> {
    #[serde(rename = "_meta", borrow)]
    meta: Option<&'a RawValue>,
    #[serde(borrow)]
    name: Option<&'a RawValue>,
    #[serde(borrow)]
    uri: Option<&'a RawValue>,
}

#[derive(Deserialize, Default)]
struct Meta<'a> {
    #[serde(rename = "io.modelcontextprotocol/protocolVersion", borrow)]
    version: Option<&'a RawValue>,
    #[serde(rename = "io.modelcontextprotocol/clientCapabilities", borrow)]
    capabilities: Option<&'a RawValue>,
}

/// Whether the headers alone name the modern version.
pub(super) fn is_modern(headers: &HeaderMap) -> bool {
    headers.get(VERSION).is_some_and(|header| header == MODERN)
}

/// The era of this message. An unsupported version is an error in either.
pub(super) fn detect(headers: &HeaderMap, incoming: &Incoming) -> Result<Era, RpcError> {
    let header_version = single_value(headers, VERSION)?;
    let Incoming::Request(request) = incoming else {
        return header_era(header_version);
    };
    let params = params(request)?;
    let meta = meta(&params)?;
    let body_version = meta.version.map(text).transpose()?;
    match (body_version, header_version) {
        // `initialize` belongs to the old era, whatever version is negotiated.
        (None, header_version) if request.method == "initialize" => {
            header_era(header_version).map(|_| Era::Legacy)
        }
        (None, header_version) => match header_era(header_version)? {
            Era::Modern => Err(missing_meta("protocolVersion")),
            Era::Legacy => Ok(Era::Legacy),
        },
        (Some(_), None) => Err(RpcError::new(errors::HEADERS, "`MCP-Protocol-Version` is missing")),
        (Some(body_version), Some(header_version)) if body_version != header_version => {
            Err(RpcError::new(
                errors::HEADERS,
                "`MCP-Protocol-Version` does not match the version in the message",
            ))
        }
        (Some(body_version), Some(_)) if body_version != MODERN => Err(unsupported(&body_version)),
        (Some(_), Some(_)) => match meta.capabilities {
            Some(capabilities) if capabilities.get().starts_with('{') => Ok(Era::Modern),
            _ => Err(missing_meta("clientCapabilities")),
        },
    }
}

/// Compares the headers of a modern request with its message: a proxy that reads only the headers
/// must not be misled.
pub(super) fn check_headers(headers: &HeaderMap, request: &Request) -> Result<(), RpcError> {
    match single_value(headers, METHOD)? {
        Some(method) if method == request.method => {}
        Some(_) => return Err(differs("Mcp-Method", "method")),
        None => return Err(missing("Mcp-Method")),
    }
    let params = params(request)?;
    let (field, value) = match request.method.as_str() {
        "tools/call" | "prompts/get" => ("params.name", params.name),
        "resources/read" => ("params.uri", params.uri),
        _ => return Ok(()),
    };
    let value: Option<String> = value.and_then(|value| serde_json::from_str(value.get()).ok());
    match (single_value(headers, NAME)?, value) {
        (Some(name), Some(value))
            if decode(name).ok_or_else(|| malformed("Mcp-Name"))? == value =>
        {
            Ok(())
        }
        (Some(_), _) => Err(differs("Mcp-Name", field)),
        (None, Some(_)) => Err(missing("Mcp-Name")),
        // If both are missing, the method itself reports the error.
        (None, None) => Ok(()),
    }
}

fn header_era(header_version: Option<&str>) -> Result<Era, RpcError> {
    match header_version.map(|header_version| (header_version, Version::supported(header_version)))
    {
        None => Ok(Era::Legacy),
        Some((_, Some(version))) if version.is_modern() => Ok(Era::Modern),
        Some((_, Some(_))) => Ok(Era::Legacy),
        Some((requested, None)) => Err(unsupported(requested)),
    }
}

fn params(request: &Request) -> Result<Params<'_>, RpcError> {
    let Some(params) = &request.params else { return Ok(Params::default()) };
    serde_json::from_str(params.as_str()).map_err(|error| {
        RpcError::new(RpcError::PARAMS, format!("`params` cannot be parsed: {error}"))
    })
}

fn meta<'a>(params: &Params<'a>) -> Result<Meta<'a>, RpcError> {
    let Some(meta) = params.meta else { return Ok(Meta::default()) };
    serde_json::from_str(meta.get()).map_err(|error| {
        RpcError::new(RpcError::PARAMS, format!("`_meta` cannot be parsed: {error}"))
    })
}

fn text(raw: &RawValue) -> Result<String, RpcError> {
    serde_json::from_str(raw.get())
        .map_err(|_| RpcError::new(RpcError::PARAMS, "the version in `_meta` is not a string"))
}

fn missing_meta(what: &str) -> RpcError {
    RpcError::new(
        RpcError::PARAMS,
        format!("`_meta` must contain `io.modelcontextprotocol/{what}`"),
    )
}

/// The error for an unsupported version. Versions of the old era are supported only after
/// `initialize`, so they are not offered here.
fn unsupported(requested: &str) -> RpcError {
    let supported: &[&str] =
        if SUPPORTED_VERSIONS.contains(&requested) { &[MODERN] } else { &SUPPORTED_VERSIONS };
    let error = RpcError::new(errors::VERSION, "unsupported protocol version");
    error.with_data(&json!({"supported": supported, "requested": requested}))
}
