//! Parses messages of a server without trusting them: each is measured, without recursion or
//! allocation, before any parser reads it.

#[cfg(test)]
mod tests;

use super::ClientError;
use super::limits::Limits;
use super::params::RequestParams;
use serde_json::value::RawValue;
use toolscout_core::RawJson;
use toolscout_core::jsonrpc::{self, Message, RpcError};

/// The number of bytes kept of an error's message and of its data.
const ERROR_TEXT: usize = 8 << 10;
const ERROR_DATA: usize = 64 << 10;
/// The longest id of a reverse request, in bytes; no legitimate id is longer.
const MAX_REVERSE_ID: usize = 256;

#[derive(Debug)]
pub(super) enum ServerMessage<'a> {
    /// A response to a request of the client.
    Reply { id: u64, outcome: Result<&'a RawValue, ClientError> },
    /// A response whose id the client never uses: a string, null, a fraction.
    Stray,
    /// A reverse request. Its id is independent of the client's ids, even if it equals one of them.
    Request { id: &'a RawValue, method: String, params: Option<&'a RawValue> },
    /// A notification.
    Notification { method: String, params: Option<&'a RawValue> },
}

#[derive(Debug, PartialEq, Eq)]
pub(super) struct UnreadableMessage {
    /// The ids of the requests it seems to answer, as far as they can be extracted without parsing.
    pub(super) request_ids: Vec<u64>,
    /// The reason, for display.
    pub(super) reason: String,
}

/// Reads one message.
pub(super) fn read<'a>(
    bytes: &'a [u8],
    limits: &Limits,
) -> Result<ServerMessage<'a>, UnreadableMessage> {
    let message = jsonrpc::check_size(bytes, limits.depth, limits.nodes);
    let message =
        message.and_then(|()| jsonrpc::read(bytes).map_err(|invalid| invalid.reason.to_string()));
    let message = message.map_err(|reason| UnreadableMessage {
        request_ids: jsonrpc::ids_of_responses(bytes),
        reason: format!("it sent {reason}"),
    })?;
    Ok(match message {
        Message::Request { id, method, params } => ServerMessage::Request { id, method, params },
        Message::Notification { method, params } => ServerMessage::Notification { method, params },
        Message::Response { id, outcome } => {
            match id.and_then(|id| jsonrpc::parse_integer(id.get().as_bytes())) {
                Some(id) => ServerMessage::Reply { id, outcome: outcome.map_err(error_response) },
                None => ServerMessage::Stray,
            }
        }
    })
}

fn error_response(error: RpcError) -> ClientError {
    let data = error.data.filter(|data| data.as_str().len() <= ERROR_DATA);
    ClientError::Answered { code: error.code, message: clip(error.message, ERROR_TEXT), data }
}

/// A copy that outlives the message.
pub(super) fn to_raw_json(raw: &RawValue) -> RawJson {
    // The value was parsed with the message, so it is not checked again.
    raw.to_owned().into()
}

/// The text, cut to at most this many bytes, at a character boundary.
pub(super) fn clip(mut text: String, limit: usize) -> String {
    text.truncate(text.floor_char_boundary(limit));
    text
}

/// Serializes a request of the client.
pub(super) fn request(id: u64, method: &str, params: &RequestParams) -> String {
    let mut text = String::new();
    params.write(&mut text);
    jsonrpc::request(id, method, &text)
}

/// The id of a reverse request, if it is valid for a response.
pub(super) fn reverse_request_id(id: &RawValue) -> Option<&RawValue> {
    Some(id).filter(|id| jsonrpc::is_id(id.get()) && id.get().len() <= MAX_REVERSE_ID)
}

/// Serializes the response to a reverse request.
pub(super) fn response(id: &RawValue, outcome: &Result<RawJson, RpcError>) -> String {
    match outcome {
        Ok(result) => jsonrpc::result(id.get(), result.as_str()),
        Err(error) => jsonrpc::error(Some(id.get()), error),
    }
}
