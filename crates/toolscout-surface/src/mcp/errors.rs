//! Protocol errors, as opposed to the failure of a tool.

use serde_json::json;
use toolscout_core::jsonrpc::RpcError;
use toolscout_core::{ErrorKind, SourceError, escape};

/// The server is overloaded, or something it needs is unavailable.
pub(super) const BUSY: i64 = -32000;
/// Headers and body disagree.
pub(super) const HEADERS: i64 = -32020;
/// The protocol version is not supported.
pub(super) const VERSION: i64 = -32022;

pub(super) fn unknown_tool(name: &str) -> RpcError {
    RpcError::invalid_params(format!("Unknown tool: {}", escape::line(name)))
}

pub(super) fn busy(message: &str) -> RpcError {
    RpcError::new(BUSY, message).with_data(&json!({"retryAfterMs": 1_000}))
}

/// Converts an error of a source. An error response of a server is passed on unchanged; any other
/// error gets the code of its kind.
pub(super) fn from_source(error: &SourceError) -> RpcError {
    if let SourceError::Answered { code, message, data, .. } = error {
        return RpcError { code: *code, message: message.clone(), data: data.clone() };
    }
    let code = match error.kind() {
        ErrorKind::NotFound | ErrorKind::Invalid => RpcError::PARAMS,
        ErrorKind::Unavailable | ErrorKind::TimedOut | ErrorKind::Refused => BUSY,
        _ => RpcError::INTERNAL,
    };
    let rpc_error = RpcError::new(code, escape::line(&error.to_string()));
    match error {
        SourceError::Busy { after: Some(after), .. } => {
            rpc_error.with_data(&json!({"retryAfterMs": after.as_millis()}))
        }
        _ => rpc_error,
    }
}
