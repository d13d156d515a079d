//! Messages of a client. Parameters are not parsed before a method needs them.

#[cfg(test)]
mod tests;

use serde_json::value::RawValue;
use toolscout_core::RawJson;
use toolscout_core::jsonrpc::{self, InvalidMessage, InvalidReason, Message, RpcError};

/// Bytes of one message; a longer one is refused before it is parsed.
pub const LONGEST: usize = 8 << 20;

/// One message of a client.
#[derive(Debug)]
pub enum Incoming {
    /// A request.
    Request(Request),
    /// A notification.
    Notification {
        /// The method.
        method: String,
        /// An object, or nothing.
        params: Option<RawJson>,
    },
    /// The response to a request of ours.
    Response {
        /// The id of our request.
        id: RawJson,
        /// Its result.
        outcome: Result<RawJson, RpcError>,
    },
}

/// A request of a client.
#[derive(Debug, Clone)]
pub struct Request {
    /// As the client wrote it; the response has the same.
    pub id: RawJson,
    /// The method.
    pub method: String,
    /// An object, or nothing.
    pub params: Option<RawJson>,
}

/// A message that cannot be read.
#[derive(Debug)]
pub struct Unreadable {
    /// The id, if the message has one.
    pub id: Option<RawJson>,
    /// The response.
    pub error: RpcError,
}

/// Reads one message of a client.
pub fn read(bytes: &[u8]) -> Result<Incoming, Unreadable> {
    let refuse = |error| Unreadable { id: None, error };
    if bytes.len() > LONGEST {
        let message = format!("a message may have {LONGEST} bytes at most");
        return Err(refuse(RpcError::new(RpcError::REQUEST, message)));
    }
    match jsonrpc::read(bytes).map_err(unreadable)? {
        Message::Request { id, method, params } => request(id, method, params),
        Message::Notification { method, params } => notification(method, params),
        Message::Response { id: Some(id), outcome } if jsonrpc::is_id(id.get()) => {
            Ok(Incoming::Response { id: owned(id), outcome: outcome.map(owned) })
        }
        Message::Response { .. } => Err(refuse(RpcError::new(RpcError::REQUEST, "a response must say to what"))),
    }
}

/// An id that nothing can be answered under makes a notification of a request.
fn request(id: &RawValue, method: String, params: Option<&RawValue>) -> Result<Incoming, Unreadable> {
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
        Some(params) if !params.get().starts_with('{') => Err(RpcError::invalid_params("`params` must be an object")),
        params => Ok(params.map(owned)),
    }
}

/// A copy that outlives the message it came in. It was checked with the message.
fn owned(raw: &RawValue) -> RawJson {
    raw.to_owned().into()
}

/// A text that is no JSON and one that is no message have different codes.
fn unreadable(invalid: InvalidMessage<'_>) -> Unreadable {
    if let Some(error) = invalid.syntax {
        return Unreadable { id: None, error: RpcError::new(RpcError::PARSE, format!("this is no JSON: {error}")) };
    }
    let id = invalid.id.filter(|id| jsonrpc::is_id(id.get())).map(owned);
    let (id, message) = match invalid.reason {
        InvalidReason::Batch => (None, "batches are not taken; send one message at a time"),
        InvalidReason::NotAnObject | InvalidReason::NotUtf8 => (None, "this is no JSON-RPC message"),
        InvalidReason::ErrorNotAnObject | InvalidReason::MalformedError(_) => (None, "this is no JSON-RPC message"),
        InvalidReason::Envelope(_) if id.is_none() => (None, "this is no JSON-RPC message"),
        InvalidReason::Version => (id, "`jsonrpc` must be \"2.0\""),
        _ => (id, "a message is a request, a notification or a response"),
    };
    Unreadable { id, error: RpcError::new(RpcError::REQUEST, message) }
}
