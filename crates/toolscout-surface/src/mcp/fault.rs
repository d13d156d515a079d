//! Errors of the protocol itself, as opposed to a tool that failed.

use serde_json::{Value, json};
use std::fmt::Display;
use toolscout_core::{ErrorKind, SourceError, escape};
use toolscout_gateway::Error;

/// Why a request has no result.
#[derive(Debug, Clone, PartialEq)]
pub struct Fault {
    /// The protocol's number.
    pub code: i64,
    /// For people; safe to show.
    pub message: String,
    /// More, for programs.
    pub data: Option<Value>,
}

impl Fault {
    /// No JSON.
    pub const PARSE: i64 = -32700;
    /// JSON, but no message.
    pub const REQUEST: i64 = -32600;
    /// Nobody here knows the method.
    pub const METHOD: i64 = -32601;
    /// The method is known, and its parameters cannot be.
    pub const PARAMS: i64 = -32602;
    /// A bug of ours.
    pub const INTERNAL: i64 = -32603;
    /// There is too much to do right now.
    pub const BUSY: i64 = -32000;
    /// Headers and body disagree.
    pub const HEADERS: i64 = -32020;
    /// The version is not spoken here.
    pub const VERSION: i64 = -32022;

    /// With nothing more to say.
    pub fn new(code: i64, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), data: None }
    }

    pub(super) fn unreadable(error: impl Display) -> Self {
        Self::new(Self::PARSE, format!("this is no JSON: {error}"))
    }

    pub(super) fn invalid_request(message: impl Into<String>) -> Self {
        Self::new(Self::REQUEST, message)
    }

    pub(super) fn invalid_params(message: impl Into<String>) -> Self {
        Self::new(Self::PARAMS, message)
    }

    pub(super) fn unknown_method(method: &str) -> Self {
        Self::new(Self::METHOD, format!("method `{}` is not known here", escape::line(method)))
    }

    pub(super) fn unknown_tool(name: &str) -> Self {
        Self::new(Self::PARAMS, format!("Unknown tool: {}", escape::line(name)))
    }

    pub(super) fn busy(message: impl Into<String>) -> Self {
        let data = Some(json!({"retryAfterMs": 1_000}));
        Self { code: Self::BUSY, message: message.into(), data }
    }

    pub(super) fn to_json(&self) -> Value {
        let mut error = json!({"code": self.code, "message": self.message});
        if let Some(data) = &self.data {
            error["data"] = data.clone();
        }
        error
    }
}

/// What a server itself said passes on as it said it; the rest is sorted by whose fault it is.
impl From<&SourceError> for Fault {
    fn from(error: &SourceError) -> Self {
        if let SourceError::Answered { code, message, data, .. } = error {
            let data = data.as_ref().map(toolscout_core::RawJson::to_value);
            return Self { code: *code, message: message.clone(), data };
        }
        Self::new(code(error.kind()), escape::line(&error.to_string()))
    }
}

impl From<&Error> for Fault {
    fn from(error: &Error) -> Self {
        match error {
            Error::Source(error) => error.into(),
            error => Self::new(code(error.kind()), escape::line(&error.to_string())),
        }
    }
}

fn code(kind: ErrorKind) -> i64 {
    match kind {
        ErrorKind::NotFound | ErrorKind::Invalid => Fault::PARAMS,
        ErrorKind::Unavailable | ErrorKind::TimedOut | ErrorKind::Refused => Fault::BUSY,
        _ => Fault::INTERNAL,
    }
}
