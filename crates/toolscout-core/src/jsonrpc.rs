//! JSON-RPC 2.0, as MCP uses it: reads untrusted messages, and writes each message on one line.
//!
//! Only the envelope is parsed. Parameters and results stay the bytes that were received, so they
//! pass on unchanged.

mod scan;

#[cfg(test)]
mod tests;

pub use scan::{check_size, ids_of_responses, parse_integer};

use crate::{RawJson, escape};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::fmt;

/// One message.
#[derive(Debug)]
pub enum Message<'a> {
    /// A request. Its id may be anything but null; see [`is_id`].
    Request {
        /// Chosen by the sender, which expects it in the response.
        id: &'a RawValue,
        /// The method.
        method: String,
        /// Its parameters.
        params: Option<&'a RawValue>,
    },
    /// A notification.
    Notification {
        /// The method.
        method: String,
        /// Its parameters.
        params: Option<&'a RawValue>,
    },
    /// A response to a request.
    Response {
        /// The id of the request; none if it is missing or null.
        id: Option<&'a RawValue>,
        /// The result, as received.
        outcome: Result<&'a RawValue, RpcError>,
    },
}

/// A text that is not a valid message.
#[derive(Debug)]
pub struct InvalidMessage<'a> {
    /// The id, if the envelope can be read.
    pub id: Option<&'a RawValue>,
    /// The reason.
    pub reason: InvalidReason,
    /// The syntax error, if the text is not JSON either.
    pub syntax: Option<serde_json::Error>,
}

/// Why a text is not a valid message; displayed as the object of "it sent …".
#[derive(Debug, thiserror::Error)]
pub enum InvalidReason {
    /// It is not UTF-8.
    #[error("a message that is not UTF-8")]
    NotUtf8,
    /// It is a list. MCP has no batches.
    #[error("a batch of messages, which toolscout does not accept")]
    Batch,
    /// It is neither an object nor a list.
    #[error("a line that is not a message")]
    NotAnObject,
    /// It is not JSON, or a part of the envelope has the wrong type or occurs twice.
    #[error("invalid JSON: {0}")]
    Envelope(serde_json::Error),
    /// It is not version 2.0.
    #[error("a message that is not JSON-RPC 2.0")]
    Version,
    /// It is a request and a response at once.
    #[error("a message that is both a request and a response")]
    RequestAndResponse,
    /// It is a response with both a result and an error.
    #[error("a response with both a result and an error")]
    ResultAndError,
    /// It is a response with neither a result nor an error.
    #[error("a response with neither a result nor an error")]
    NoOutcome,
    /// The error of a response is not an object.
    #[error("an error that is not a JSON object")]
    ErrorNotAnObject,
    /// The error of a response has no code, or no message.
    #[error("a malformed error: {0}")]
    MalformedError(serde_json::Error),
}

/// The error of a response.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{message}")]
pub struct RpcError {
    /// The JSON-RPC error code.
    pub code: i64,
    /// The text for users; not yet escaped if it came from elsewhere.
    pub message: String,
    /// The data for programs.
    pub data: Option<RawJson>,
}

/// The envelope. Keys are case-sensitive, and the parser refuses a duplicate key.
#[derive(Deserialize)]
struct Envelope<'a> {
    jsonrpc: Option<String>,
    #[serde(borrow)]
    id: Option<&'a RawValue>,
    #[serde(borrow)]
    method: Option<&'a RawValue>,
    #[serde(borrow)]
    params: Option<&'a RawValue>,
    #[serde(borrow)]
    result: Option<&'a RawValue>,
    #[serde(borrow)]
    error: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct ErrorObject {
    code: i64,
    message: String,
    data: Option<RawJson>,
}

/// Reads one message. The caller limits its length, and its depth with [`check_size`] if the sender
/// is not trusted.
pub fn read(bytes: &[u8]) -> Result<Message<'_>, InvalidMessage<'_>> {
    let text = std::str::from_utf8(bytes).map_err(|_| invalid(bytes, InvalidReason::NotUtf8))?;
    // A struct can be read from a list as well, so the first character decides.
    match text.trim_start().as_bytes().first() {
        Some(b'{') => {}
        Some(b'[') => return Err(invalid(bytes, InvalidReason::Batch)),
        _ => return Err(invalid(bytes, InvalidReason::NotAnObject)),
    }
    let envelope: Envelope<'_> = serde_json::from_str(text)
        .map_err(|error| invalid(bytes, InvalidReason::Envelope(error)))?;
    let id = envelope.id;
    classify(envelope).map_err(|reason| InvalidMessage { id, reason, syntax: None })
}

fn invalid(bytes: &[u8], reason: InvalidReason) -> InvalidMessage<'_> {
    InvalidMessage { id: None, reason, syntax: serde_json::from_slice::<&RawValue>(bytes).err() }
}

fn classify(envelope: Envelope<'_>) -> Result<Message<'_>, InvalidReason> {
    let Envelope { jsonrpc, id, method, params, result, error } = envelope;
    if jsonrpc.as_deref() != Some("2.0") {
        return Err(InvalidReason::Version);
    }
    match (method, result, error) {
        (Some(method), None, None) => {
            let method = serde_json::from_str(method.get()).map_err(InvalidReason::Envelope)?;
            Ok(match id {
                Some(id) => Message::Request { id, method, params },
                None => Message::Notification { method, params },
            })
        }
        (Some(_), ..) => Err(InvalidReason::RequestAndResponse),
        (None, Some(_), Some(_)) => Err(InvalidReason::ResultAndError),
        (None, None, None) => Err(InvalidReason::NoOutcome),
        (None, Some(result), None) => Ok(Message::Response { id, outcome: Ok(result) }),
        (None, None, Some(error)) => {
            Ok(Message::Response { id, outcome: Err(RpcError::read(error)?) })
        }
    }
}

/// Whether a request can be answered under this id: a string or a number.
pub fn is_id(id: &str) -> bool {
    id.starts_with(|first: char| first == '"' || first == '-' || first.is_ascii_digit())
}

/// A request with this id. Its parameters are JSON.
pub fn request(id: impl fmt::Display, method: &str, params: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"method":{},"params":{}}}"#,
        quoted(method),
        on_one_line(params)
    )
}

/// A notification.
pub fn notification(method: &str, params: Option<&str>) -> String {
    let params =
        params.map(|params| format!(r#","params":{}"#, on_one_line(params))).unwrap_or_default();
    format!(r#"{{"jsonrpc":"2.0","method":{}{params}}}"#, quoted(method))
}

/// The response to a request with this id. Results may be long, so they are copied once.
pub fn result(id: &str, result: &str) -> String {
    let result = on_one_line(result);
    let mut text = String::with_capacity(id.len() + result.len() + 40);
    text.extend([r#"{"jsonrpc":"2.0","id":"#, id, r#","result":"#, &result, "}"]);
    text
}

/// The response to a request that failed; without an id, to a message that could not be read.
pub fn error(id: Option<&str>, error: &RpcError) -> String {
    let RpcError { code, message, data } = error;
    let data = data
        .as_ref()
        .map(|data| format!(r#","data":{}"#, on_one_line(data.as_str())))
        .unwrap_or_default();
    let (id, message) = (id.unwrap_or("null"), quoted(message));
    format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":{code},"message":{message}{data}}}}}"#)
}

/// The same JSON without line ends, since they end a message on some transports. JSON strings never
/// contain any.
pub fn on_one_line(json: &str) -> Cow<'_, str> {
    // Nearly no text has any, and bytes are compared faster than characters.
    if json.bytes().any(|byte| matches!(byte, b'\n' | b'\r')) {
        json.split(['\n', '\r']).collect()
    } else {
        json.into()
    }
}

/// A text as a JSON string.
pub fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

impl RpcError {
    /// The message is not JSON.
    pub const PARSE: i64 = -32700;
    /// The message is JSON, but not a request.
    pub const REQUEST: i64 = -32600;
    /// The method is unknown.
    pub const METHOD: i64 = -32601;
    /// The parameters of the method are wrong.
    pub const PARAMS: i64 = -32602;
    /// The receiver failed.
    pub const INTERNAL: i64 = -32603;

    /// An error without data.
    pub fn new(code: i64, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), data: None }
    }

    /// The receiver does not support this method.
    pub fn unsupported(method: &str) -> Self {
        Self::new(Self::METHOD, format!("method `{method}` is not supported"))
    }

    /// The receiver tried and failed.
    pub fn failed(message: impl Into<String>) -> Self {
        Self::new(Self::INTERNAL, message)
    }

    /// The parameters of the method are wrong.
    pub fn invalid_params(message: impl Into<String>) -> Self {
        Self::new(Self::PARAMS, message)
    }

    /// The receiver has no such method.
    pub fn unknown_method(method: &str) -> Self {
        Self::new(Self::METHOD, format!("method not found: `{}`", escape::line(method)))
    }

    /// The same error with data for programs.
    pub fn with_data(self, data: &Value) -> Self {
        Self { data: Some(RawJson::from_value(data)), ..self }
    }

    fn read(error: &RawValue) -> Result<Self, InvalidReason> {
        if !error.get().starts_with('{') {
            return Err(InvalidReason::ErrorNotAnObject);
        }
        let error = serde_json::from_str(error.get()).map_err(InvalidReason::MalformedError)?;
        let ErrorObject { code, message, data } = error;
        Ok(Self { code, message, data })
    }
}
