//! Messages of a server, read without trusting any of them: one is measured, without recursion or allocation, before any parser
//! sees it.

#[cfg(test)]
mod tests;

use super::ClientError;
use super::limits::Limits;
use super::params::RequestParams;
use serde_json::value::RawValue;
use toolscout_core::RawJson;
use toolscout_core::jsonrpc::{self, Message, RpcError};

/// Bytes of an error's words, and of what is beside them, that are kept.
const ERROR_TEXT: usize = 8 << 10;
const ERROR_DATA: usize = 64 << 10;
/// Bytes of the id of a server's request; more is nobody's honest id.
const FOREIGN_ID: usize = 256;

/// One message of a server.
#[derive(Debug)]
pub(super) enum ServerMessage<'a> {
    /// An answer to a request of ours.
    Reply { id: u64, outcome: Result<&'a RawValue, ClientError> },
    /// An answer whose id cannot be one of ours: a text, null, a fraction.
    Stray,
    /// The server wants something from us. Its id is its own business, even if it equals one of ours.
    Request { id: &'a RawValue, method: String, params: Option<&'a RawValue> },
    /// News.
    Notification { method: String, params: Option<&'a RawValue> },
}

/// A message that cannot be read.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct UnreadableMessage {
    /// The requests it seems to answer, as far as can be told without understanding it.
    pub(super) about: Vec<u64>,
    /// What is wrong with it, for people.
    pub(super) reason: String,
}

/// Reads one message.
pub(super) fn read<'a>(bytes: &'a [u8], limits: &Limits) -> Result<ServerMessage<'a>, UnreadableMessage> {
    let message = jsonrpc::check_size(bytes, limits.depth, limits.nodes);
    let message = message.and_then(|()| jsonrpc::read(bytes).map_err(|invalid| invalid.reason.to_string()));
    let message = message.map_err(|reason| UnreadableMessage {
        about: jsonrpc::ids_of_responses(bytes),
        reason: format!("it sent {reason}"),
    })?;
    Ok(match message {
        Message::Request { id, method, params } => ServerMessage::Request { id, method, params },
        Message::Notification { method, params } => ServerMessage::Notification { method, params },
        Message::Response { id, outcome } => match id.and_then(|id| jsonrpc::number(id.get().as_bytes())) {
            Some(id) => ServerMessage::Reply { id, outcome: outcome.map_err(answered) },
            None => ServerMessage::Stray,
        },
    })
}

fn answered(error: RpcError) -> ClientError {
    let data = error.data.filter(|data| data.as_str().len() <= ERROR_DATA);
    ClientError::Answered { code: error.code, message: clip(error.message, ERROR_TEXT), data }
}

/// A copy that outlives the message it came in.
pub(super) fn keep(raw: &RawValue) -> RawJson {
    // It was read with the message; a second look would find nothing new.
    raw.to_owned().into()
}

/// The text, cut to at most this many bytes, at the end of a character.
pub(super) fn clip(mut text: String, limit: usize) -> String {
    text.truncate(text.floor_char_boundary(limit));
    text
}

/// A request of ours.
pub(super) fn request(id: u64, method: &str, params: &RequestParams) -> String {
    let mut text = String::new();
    params.write(&mut text);
    jsonrpc::request(id, method, &text)
}

/// The id of a server's request, if it can be answered under it.
pub(super) fn foreign_id(id: &RawValue) -> Option<&RawValue> {
    Some(id).filter(|id| jsonrpc::is_id(id.get()) && id.get().len() <= FOREIGN_ID)
}

/// The answer to a request of the server.
pub(super) fn answer(id: &RawValue, outcome: &Result<RawJson, RpcError>) -> String {
    match outcome {
        Ok(result) => jsonrpc::result(id.get(), result.as_str()),
        Err(error) => jsonrpc::error(Some(id.get()), error),
    }
}
