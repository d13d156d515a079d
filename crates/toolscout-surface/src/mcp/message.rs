//! Messages of a client. Parameters are parsed only when a method needs them.

#[cfg(test)]
mod tests;

use serde_json::value::RawValue;
use toolscout_core::RawJson;
use toolscout_core::jsonrpc::{self, InvalidMessage, InvalidReason, Message, RpcError};

/// Maximum size of a message in bytes; a longer one is rejected before it is parsed.
pub const MAX_MESSAGE_BYTES: usize = 8 << 20;

/// Maximum number of messages in a batch.
const MAX_BATCH: usize = 100;

/// One message of a client.
#[derive(Debug)]
pub enum Incoming {
    /// A request.
    Request(Request),
    /// A notification.
    Notification {
        /// The method.
        method: String,
        /// An object, if present.
        params: Option<RawJson>,
    },
    /// The response to a request that this server sent.
    Response {
        /// The id of that request.
        id: RawJson,
        /// Its result or error.
        outcome: Result<RawJson, RpcError>,
    },
}

/// A request of a client.
#[derive(Debug, Clone)]
pub struct Request {
    /// The id as the client wrote it; the response repeats it.
    pub id: RawJson,
    /// The method.
    pub method: String,
    /// An object, if present.
    pub params: Option<RawJson>,
}

/// A message that cannot be parsed.
#[derive(Debug)]
pub struct Unreadable {
    /// The id, if the message has one.
    pub id: Option<RawJson>,
    /// The error to respond with.
    pub error: RpcError,
}

/// Reads one message of a client.
pub fn parse(bytes: &[u8]) -> Result<Incoming, Unreadable> {
    let reject = |error| Unreadable { id: None, error };
    if bytes.len() > MAX_MESSAGE_BYTES {
        let message = format!("the message is larger than {MAX_MESSAGE_BYTES} bytes");
        return Err(reject(RpcError::new(RpcError::REQUEST, message)));
    }
    match jsonrpc::read(bytes).map_err(unreadable)? {
        Message::Request { id, method, params } => request(id, method, params),
        Message::Notification { method, params } => notification(method, params),
        Message::Response { id: Some(id), outcome } if jsonrpc::is_id(id.get()) => {
            Ok(Incoming::Response { id: owned(id), outcome: outcome.map(owned) })
        }
        Message::Response { .. } => {
            Err(reject(RpcError::new(RpcError::REQUEST, "a response needs an `id`")))
        }
    }
}

/// Reads a batch: an array of messages. `None` if it is no batch, or too large; then [`parse`]
/// returns the error.
pub(super) fn parse_batch(bytes: &[u8]) -> Option<Vec<Result<Incoming, Unreadable>>> {
    if bytes.len() > MAX_MESSAGE_BYTES || bytes.trim_ascii_start().first() != Some(&b'[') {
        return None;
    }
    let batch: Vec<&RawValue> = serde_json::from_slice(bytes).ok()?;
    let is_valid = (1..=MAX_BATCH).contains(&batch.len());
    is_valid.then(|| batch.into_iter().map(|message| parse(message.get().as_bytes())).collect())
}

/// Reads a request. With an invalid id it becomes a notification, because no response could be
/// sent.
fn request(
    id: &RawValue,
    method: String,
    params: Option<&RawValue>,
) -> Result<Incoming, Unreadable> {
    if !jsonrpc::is_id(id.get()) {
        return notification(method, params);
    }
    let id = owned(id);
    match object(params) {
        Ok(params) => Ok(Incoming::Request(Request { id, method, params })),
        Err(error) => Err(Unreadable { id: Some(id), error }),
    }
}

fn notification(method: String, params: Option<&RawValue>) -> Result<Incoming, Unreadable> {
    let params = object(params).map_err(|error| Unreadable { id: None, error })?;
    Ok(Incoming::Notification { method, params })
}

fn object(params: Option<&RawValue>) -> Result<Option<RawJson>, RpcError> {
    match params {
        Some(params) if !params.get().starts_with('{') => {
            Err(RpcError::invalid_params("`params` must be an object"))
        }
        params => Ok(params.map(owned)),
    }
}

/// The error for a batch that is not accepted.
const BATCH: &str = "batches of 1 to 100 messages exist only in protocol revision 2025-03-26; send one message at a time";

/// A copy that outlives the message. It was validated with the message.
fn owned(raw: &RawValue) -> RawJson {
    raw.to_owned().into()
}

/// The response to an invalid message. Invalid JSON and invalid JSON-RPC have different codes.
fn unreadable(invalid: InvalidMessage<'_>) -> Unreadable {
    if let Some(error) = invalid.syntax {
        return Unreadable {
            id: None,
            error: RpcError::new(RpcError::PARSE, format!("invalid JSON: {error}")),
        };
    }
    let id = invalid.id.filter(|id| jsonrpc::is_id(id.get())).map(owned);
    let (id, message) = match invalid.reason {
        InvalidReason::Batch => (None, BATCH),
        InvalidReason::NotAnObject | InvalidReason::NotUtf8 => (None, "not a JSON-RPC message"),
        InvalidReason::ErrorNotAnObject | InvalidReason::MalformedError(_) => {
            (None, "not a JSON-RPC message")
        }
        InvalidReason::Envelope(_) if id.is_none() => (None, "not a JSON-RPC message"),
        InvalidReason::Version => (id, "`jsonrpc` must be \"2.0\""),
        _ => (id, "a message must be a request, a notification or a response"),
    };
    Unreadable { id, error: RpcError::new(RpcError::REQUEST, message) }
}
