//! Messages as they travel between a client and us: read once, and of the rest nothing is parsed before it is needed.

#[cfg(test)]
mod tests;

use super::fault::Fault;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;
use toolscout_core::{RpcError, RawJson};

/// Bytes of one message; more is refused before it is looked at.
pub const LONGEST: usize = 8 << 20;

/// One message of a client.
#[derive(Debug)]
pub enum Incoming {
    /// It wants an answer.
    Request(Request),
    /// It tells something.
    Notification {
        /// What kind of news.
        method: String,
        /// The news.
        params: Option<RawJson>,
    },
    /// It answers a question of ours.
    Response {
        /// Which question.
        id: RawJson,
        /// What it says.
        outcome: Result<RawJson, RpcError>,
    },
}

/// Somebody wants an answer.
#[derive(Debug, Clone)]
pub struct Request {
    /// Theirs, as they wrote it; goes back with the answer.
    pub id: RawJson,
    /// What for.
    pub method: String,
    /// An object, or nothing.
    pub params: Option<RawJson>,
}

/// Why a message cannot be taken, and to which request that is an answer.
#[derive(Debug)]
pub struct Unreadable {
    /// Known where the message has one.
    pub id: Option<RawJson>,
    /// What is wrong.
    pub fault: Fault,
}

#[derive(Deserialize)]
struct Envelope {
    jsonrpc: Option<String>,
    id: Option<RawJson>,
    method: Option<Value>,
    params: Option<RawJson>,
    result: Option<RawJson>,
    error: Option<Told>,
}

#[derive(Deserialize)]
struct Told {
    code: i64,
    message: String,
    data: Option<RawJson>,
}

/// Reads one message.
pub fn read(bytes: &[u8]) -> Result<Incoming, Unreadable> {
    let refuse = |fault| Unreadable { id: None, fault };
    if bytes.len() > LONGEST {
        return Err(refuse(Fault::invalid_request(format!("a message may have {LONGEST} bytes at most"))));
    }
    let envelope = serde_json::from_slice(bytes).map_err(|_| refuse(no_message(bytes)))?;
    sort(envelope)
}

/// Whether it is JSON at all and whether it is a message are different faults.
fn no_message(bytes: &[u8]) -> Fault {
    match serde_json::from_slice::<&RawValue>(bytes) {
        Err(error) => Fault::unreadable(error),
        Ok(whole) if whole.get().starts_with('[') => {
            Fault::invalid_request("batches are not taken; send one message at a time")
        }
        Ok(_) => Fault::invalid_request("this is no JSON-RPC message"),
    }
}

fn sort(envelope: Envelope) -> Result<Incoming, Unreadable> {
    let Envelope { jsonrpc, id, method, params, result, error } = envelope;
    let id = id.filter(is_id);
    let refuse = |words: &str| Err(Unreadable { id: id.clone(), fault: Fault::invalid_request(words) });
    if jsonrpc.as_deref() != Some("2.0") {
        return refuse("`jsonrpc` must be \"2.0\"");
    }
    match (method, result, error) {
        (Some(Value::String(method)), None, None) => {
            if params.as_ref().is_some_and(|it| !it.as_str().starts_with('{')) {
                return Err(Unreadable { id, fault: Fault::invalid_params("`params` must be an object") });
            }
            Ok(match id {
                Some(id) => Incoming::Request(Request { id, method, params }),
                None => Incoming::Notification { method, params },
            })
        }
        (None, Some(result), None) => answered(id, Ok(result)),
        (None, None, Some(Told { code, message, data })) => answered(id, Err(RpcError { code, message, data })),
        _ => refuse("a message is a request, a notification or a response"),
    }
}

fn answered(id: Option<RawJson>, outcome: Result<RawJson, RpcError>) -> Result<Incoming, Unreadable> {
    match id {
        Some(id) => Ok(Incoming::Response { id, outcome }),
        None => Err(Unreadable { id, fault: Fault::invalid_request("a response must say to what") }),
    }
}

/// A text or a number; nothing else can be told apart by everybody.
fn is_id(raw: &RawJson) -> bool {
    raw.as_str().starts_with(|it: char| it == '"' || it == '-' || it.is_ascii_digit())
}

/// The answer to a request.
pub(super) fn result(id: &RawJson, result: &str) -> String {
    let id = id.as_str();
    let mut text = String::with_capacity(id.len() + result.len() + 40);
    text.push_str(r#"{"jsonrpc":"2.0","id":"#);
    text.push_str(id);
    text.push_str(r#","result":"#);
    // A line is a message: what was written over several lines is put into one. Inside of texts JSON has no bare line ends.
    match has_line_ends(result) {
        true => text.extend(result.split(['\n', '\r'])),
        false => text.push_str(result),
    }
    text.push('}');
    text
}

/// The answer to a request that cannot be answered; `null` stands for one nobody could make out.
pub(super) fn fault(id: Option<&RawJson>, fault: &Fault) -> String {
    let id = id.map_or("null", RawJson::as_str);
    format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{}}}"#, fault.to_json())
}

/// A question to the client.
pub(super) fn request(id: u64, method: &str, params: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"method":{},"params":{}}}"#, quoted(method), one_line(params))
}

/// News for the client.
pub(super) fn notification(method: &str, params: Option<&str>) -> String {
    match params {
        Some(params) => format!(r#"{{"jsonrpc":"2.0","method":{},"params":{}}}"#, quoted(method), one_line(params)),
        None => format!(r#"{{"jsonrpc":"2.0","method":{}}}"#, quoted(method)),
    }
}

/// By bytes: results may be long, and nearly none has any.
fn has_line_ends(json: &str) -> bool {
    json.bytes().any(|it| matches!(it, b'\n' | b'\r'))
}

fn one_line(json: &str) -> String {
    json.split(['\n', '\r']).collect()
}

pub(super) fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}
