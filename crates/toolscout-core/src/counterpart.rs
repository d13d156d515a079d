//! Who is on the other end of a request, and can be asked something back.

use crate::{BoxFuture, RawJson};

/// Whoever made a request, where something can be wanted of them in the middle of it: a form to be filled in, a text by
/// a model, the folders of a project.
///
/// What goes back and forth is of the MCP protocol and passes as it came; whoever stands between need not understand it.
pub trait Counterpart: Send + Sync {
    /// What they can do: the `capabilities` object they sent.
    fn capabilities(&self) -> RawJson;

    /// Puts a request to them, such as `elicitation/create`, `sampling/createMessage` or `roots/list`.
    fn ask<'a>(&'a self, method: &'a str, params: RawJson) -> BoxFuture<'a, Result<RawJson, CounterpartError>>;

    /// Tells them something that belongs to the request, such as `notifications/message`. Never waits; in order.
    fn tell(&self, method: &str, params: RawJson);
}

/// Why a question was not answered: an error of the protocol.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{message}")]
pub struct CounterpartError {
    /// The protocol's number for it.
    pub code: i64,
    /// In words; not yet escaped.
    pub message: String,
    /// More, for programs.
    pub data: Option<RawJson>,
}

impl CounterpartError {
    /// The protocol's number for a method that somebody does not know.
    pub const UNKNOWN_METHOD: i64 = -32601;
    /// The protocol's number for a failure of one's own.
    pub const FAILED: i64 = -32603;

    /// Nobody there can do that.
    pub fn unknown(method: &str) -> Self {
        Self { code: Self::UNKNOWN_METHOD, message: format!("`{method}` is not supported here"), data: None }
    }

    /// It was tried, and failed.
    pub fn failed(message: impl Into<String>) -> Self {
        Self { code: Self::FAILED, message: message.into(), data: None }
    }
}
