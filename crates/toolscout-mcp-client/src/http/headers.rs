//! Headers that describe a message, so that proxies can route without reading bodies.

use super::super::ClientError;
use super::super::wire::Outgoing;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use serde::Deserialize;

/// The protocol revision of a request.
pub(crate) const VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");
/// The session of a request, in the legacy era.
pub(crate) const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");
/// The event after which to resume a broken event stream.
pub(crate) const LAST_EVENT: HeaderName = HeaderName::from_static("last-event-id");
const METHOD: HeaderName = HeaderName::from_static("mcp-method");
const NAME: HeaderName = HeaderName::from_static("mcp-name");

/// All headers of the modern era.
pub(super) fn modern(message: &Outgoing, version: &str) -> Result<HeaderMap, ClientError> {
    let mut out = HeaderMap::new();
    out.insert(VERSION, plain(version)?);
    if let Some(method) = &message.method {
        out.insert(METHOD, plain(method)?);
    }
    if let Some(name) = &message.name {
        out.insert(NAME, plain(&encode(name))?);
    }
    for (name, value) in &message.mirrored {
        let invalid = || {
            ClientError::invalid(format!(
                "`Mcp-Param-{}` is not a valid header name",
                name.escape_debug()
            ))
        };
        let header = HeaderName::try_from(format!("mcp-param-{name}")).map_err(|_| invalid())?;
        let mut value = plain(&encode(value))?;
        value.set_sensitive(true);
        if out.insert(header, value).is_some() {
            return Err(ClientError::invalid(format!(
                "two arguments have the header `Mcp-Param-{name}`"
            )));
        }
    }
    Ok(out)
}

/// A header value that is already plain ASCII.
pub(crate) fn plain(value: &str) -> Result<HeaderValue, ClientError> {
    let is_plain = value.bytes().all(|byte| matches!(byte, b' '..=b'~'));
    let header = HeaderValue::try_from(value).ok().filter(|_| is_plain);
    header.ok_or_else(|| {
        ClientError::invalid(format!("`{}` cannot be sent in a header", value.escape_debug()))
    })
}

/// A value as the protocol encodes it in a header: plain if possible, else in base64.
pub(super) fn encode(value: &str) -> String {
    let is_plain = value.bytes().all(|byte| matches!(byte, b' '..=b'~'));
    let is_padded = value.starts_with(' ') || value.ends_with(' ');
    let looks_encoded = value.starts_with("=?base64?") && value.ends_with("?=");
    if is_plain && !is_padded && !looks_encoded {
        return value.to_owned();
    }
    format!("=?base64?{}?=", STANDARD.encode(value))
}

/// The revision named in the body of a request; only modern requests contain it.
pub(super) fn protocol_version_in(body: &str) -> Option<String> {
    #[derive(Deserialize)]
    struct VersionedMessage {
        params: VersionedParams,
    }
    #[derive(Deserialize)]
    struct VersionedParams {
        #[serde(rename = "_meta")]
        meta: VersionedMeta,
    }
    #[derive(Deserialize)]
    struct VersionedMeta {
        #[serde(rename = "io.modelcontextprotocol/protocolVersion")]
        version: String,
    }
    serde_json::from_str::<VersionedMessage>(body).ok().map(|value| value.params.meta.version)
}
