//! In which era a message was sent, and what it says of itself beside what it asks.

use super::headers::one;
use crate::mcp::fault::Fault;
use crate::mcp::message::{Incoming, Request};
use crate::mcp::version::{MODERN, SPOKEN, Version};
use axum::http::HeaderMap;
use serde::Deserialize;
use serde_json::json;
use serde_json::value::RawValue;

/// Says the version outside of the message.
pub(super) const VERSION: &str = "mcp-protocol-version";

/// In which era a message was sent.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Era {
    /// It stands alone.
    Modern,
    /// It belongs to a session, or begins one.
    Legacy,
}

/// Of the parameters of a request, what headers are compared with. A key that is there twice makes it unreadable, so that
/// nobody reads the other one.
#[derive(Deserialize, Default)]
pub(super) struct Params<'a> {
    #[serde(rename = "_meta", borrow)]
    meta: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) name: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) uri: Option<&'a RawValue>,
}

#[derive(Deserialize, Default)]
struct Meta<'a> {
    #[serde(rename = "io.modelcontextprotocol/protocolVersion", borrow)]
    version: Option<&'a RawValue>,
    #[serde(rename = "io.modelcontextprotocol/clientCapabilities", borrow)]
    capabilities: Option<&'a RawValue>,
}

/// Whether the headers alone say so.
pub(super) fn is_modern(headers: &HeaderMap) -> bool {
    headers.get(VERSION).is_some_and(|it| it == MODERN)
}

/// In which era this message was sent. A version nobody speaks is a fault in either.
pub(super) fn of(headers: &HeaderMap, incoming: &Incoming) -> Result<Era, Fault> {
    let outside = one(headers, VERSION)?;
    let Incoming::Request(request) = incoming else {
        return era_of(outside);
    };
    let params = params(request)?;
    let meta = meta(&params)?;
    let inside = meta.version.map(text).transpose()?;
    match (inside, outside) {
        // Who greets is of the old era, whatever it will speak later.
        (None, outside) if request.method == "initialize" => era_of(outside).map(|_| Era::Legacy),
        (None, outside) => match era_of(outside)? {
            Era::Modern => Err(lacking("protocolVersion")),
            Era::Legacy => Ok(Era::Legacy),
        },
        (Some(_), None) => Err(Fault::new(Fault::HEADERS, "`MCP-Protocol-Version` is missing")),
        (Some(inside), Some(outside)) if inside != outside => {
            Err(Fault::new(Fault::HEADERS, "`MCP-Protocol-Version` is not the version that the message says"))
        }
        (Some(inside), Some(_)) if inside != MODERN => Err(unsupported(&inside)),
        (Some(_), Some(_)) => match meta.capabilities {
            Some(capabilities) if capabilities.get().starts_with('{') => Ok(Era::Modern),
            _ => Err(lacking("clientCapabilities")),
        },
    }
}

fn era_of(outside: Option<&str>) -> Result<Era, Fault> {
    match outside.map(|it| (it, Version::spoken(it))) {
        None => Ok(Era::Legacy),
        Some((_, Some(version))) if version.is_modern() => Ok(Era::Modern),
        Some((_, Some(_))) => Ok(Era::Legacy),
        Some((asked, None)) => Err(unsupported(asked)),
    }
}

pub(super) fn params(request: &Request) -> Result<Params<'_>, Fault> {
    let Some(params) = &request.params else { return Ok(Params::default()) };
    serde_json::from_str(params.as_str())
        .map_err(|error| Fault::new(Fault::PARAMS, format!("`params` cannot be read: {error}")))
}

fn meta<'a>(params: &Params<'a>) -> Result<Meta<'a>, Fault> {
    let Some(meta) = params.meta else { return Ok(Meta::default()) };
    serde_json::from_str(meta.get())
        .map_err(|error| Fault::new(Fault::PARAMS, format!("`_meta` cannot be read: {error}")))
}

fn text(raw: &RawValue) -> Result<String, Fault> {
    serde_json::from_str(raw.get()).map_err(|_| Fault::new(Fault::PARAMS, "`_meta` names a version that is no text"))
}

fn lacking(what: &str) -> Fault {
    Fault::new(Fault::PARAMS, format!("`_meta` must say `io.modelcontextprotocol/{what}`"))
}

/// Those of the old era are spoken here, but only by who greets first.
fn unsupported(asked: &str) -> Fault {
    let supported: &[&str] = if SPOKEN.contains(&asked) { &[MODERN] } else { &SPOKEN };
    let data = Some(json!({"supported": supported, "requested": asked}));
    Fault { code: Fault::VERSION, message: "this version of the protocol is not spoken here".to_owned(), data }
}
