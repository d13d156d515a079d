//! Messages as they travel: reads what a server sends without trusting any of it, and writes what we send.
//!
//! The order of the checks is the point. A message is measured by a scan that neither recurses nor allocates before any
//! parser sees it; only then is its envelope read, and of the rest nothing at all: results stay the bytes they came as.

mod scan;

#[cfg(test)]
mod tests;

use super::ClientError;
use super::limits::Limits;
use super::params::{RequestParams, on_one_line};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use toolscout_core::{CounterpartError, RawJson};

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
    understand(bytes, limits).map_err(|reason| UnreadableMessage { about: scan::about(bytes), reason })
}

/// The envelope; keys in exactly this case. One that comes twice is refused by its parser.
#[derive(Deserialize)]
struct MessageEnvelope<'a> {
    jsonrpc: Option<String>,
    #[serde(borrow)]
    id: Option<&'a RawValue>,
    method: Option<String>,
    #[serde(borrow)]
    params: Option<&'a RawValue>,
    #[serde(borrow)]
    result: Option<&'a RawValue>,
    #[serde(borrow)]
    error: Option<&'a RawValue>,
}

fn understand<'a>(bytes: &'a [u8], limits: &Limits) -> Result<ServerMessage<'a>, String> {
    scan::check(bytes, limits)?;
    let text = std::str::from_utf8(bytes).map_err(|_| "it sent a message that is not UTF-8")?;
    match text.trim_start().as_bytes().first() {
        Some(b'{') => {}
        Some(b'[') => return Err("it sent a batch of messages, which the protocol does not have".to_owned()),
        _ => return Err("it sent a line that is no message".to_owned()),
    }
    let envelope: MessageEnvelope<'_> =
        serde_json::from_str(text).map_err(|err| format!("it sent broken JSON: {err}"))?;
    if envelope.jsonrpc.as_deref() != Some("2.0") {
        return Err("it sent a message that is not JSON-RPC 2.0".to_owned());
    }
    sort(envelope)
}

fn sort(envelope: MessageEnvelope<'_>) -> Result<ServerMessage<'_>, String> {
    let MessageEnvelope { id, method, params, result, error, .. } = envelope;
    match (method, id, result, error) {
        (Some(method), Some(id), None, None) => Ok(ServerMessage::Request { id, method, params }),
        (Some(method), None, None, None) => Ok(ServerMessage::Notification { method, params }),
        (Some(_), ..) => Err("it sent a message that is a request and an answer at once".to_owned()),
        (None, _, Some(_), Some(_)) => Err("it sent an answer with both a result and an error".to_owned()),
        (None, _, None, None) => Err("it sent an answer with neither a result nor an error".to_owned()),
        (None, id, Some(result), None) => Ok(reply(id, Ok(result))),
        (None, id, None, Some(error)) => Ok(reply(id, Err(answered(error)?))),
    }
}

fn reply<'a>(id: Option<&RawValue>, outcome: Result<&'a RawValue, ClientError>) -> ServerMessage<'a> {
    match id.and_then(|it| number(it.get().as_bytes())) {
        Some(id) => ServerMessage::Reply { id, outcome },
        None => ServerMessage::Stray,
    }
}

#[derive(Deserialize)]
struct ErrorObject<'a> {
    code: i64,
    message: String,
    #[serde(borrow)]
    data: Option<&'a RawValue>,
}

fn answered(error: &RawValue) -> Result<ClientError, String> {
    if !error.get().starts_with('{') {
        return Err("it sent an error that is no JSON object".to_owned());
    }
    let error: ErrorObject<'_> =
        serde_json::from_str(error.get()).map_err(|err| format!("it sent a malformed error: {err}"))?;
    let data = error.data.filter(|it| it.get().len() <= ERROR_DATA).map(keep);
    Ok(ClientError::Answered { code: error.code, message: clip(error.message, ERROR_TEXT), data })
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

/// A plain whole number, and nothing else.
fn number(bytes: &[u8]) -> Option<u64> {
    let digits = !bytes.is_empty() && bytes.iter().all(u8::is_ascii_digit);
    if digits { std::str::from_utf8(bytes).ok()?.parse().ok() } else { None }
}

/// A request of ours.
pub(super) fn request(id: u64, method: &str, params: &RequestParams) -> String {
    let mut text = format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":{},\"params\":", Value::from(method));
    params.write(&mut text);
    text.push('}');
    text
}

/// News for the server.
pub(super) fn notification(method: &str, params: Option<Value>) -> String {
    match params {
        Some(params) => json!({"jsonrpc": "2.0", "method": method, "params": params}).to_string(),
        None => json!({"jsonrpc": "2.0", "method": method}).to_string(),
    }
}

/// The id of a server's request, if it can be answered under it.
pub(super) fn foreign_id(id: &RawValue) -> Option<&RawValue> {
    let text = id.get();
    let is_id = text.starts_with(|it: char| it == '"' || it == '-' || it.is_ascii_digit());
    Some(id).filter(|_| is_id && text.len() <= FOREIGN_ID)
}

/// The answer to a request of the server.
pub(super) fn answer(id: &RawValue, outcome: &Result<RawJson, CounterpartError>) -> String {
    let (key, value) = match outcome {
        Ok(result) => ("result", on_one_line(result.as_str()).into_owned()),
        Err(CounterpartError { code, message, data }) => {
            let data = data.as_ref().map_or(String::new(), |it| format!(",\"data\":{}", on_one_line(it.as_str())));
            let message = Value::from(message.as_str());
            ("error", format!("{{\"code\":{code},\"message\":{message}{data}}}"))
        }
    };
    format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"{key}\":{value}}}")
}
