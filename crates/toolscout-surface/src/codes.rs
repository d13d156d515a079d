//! The only table from an error code to the responses of the surfaces: HTTP status, exit code,
//! JSON-RPC error code.

#[cfg(test)]
mod tests;

pub use crate::exit::Exit;

use crate::operation::ErrorCode;
use axum::http::StatusCode;
use toolscout_core::ErrorKind;

/// The response of every surface to one error code.
struct CodeRow {
    code: ErrorCode,
    status: StatusCode,
    exit: Exit,
    json_rpc: i32,
}

const fn row(code: ErrorCode, status: StatusCode, exit: Exit, json_rpc: i32) -> CodeRow {
    CodeRow { code, status, exit, json_rpc }
}

/// JSON-RPC: invalid parameters.
const INVALID_PARAMS: i32 = -32602;
/// JSON-RPC: internal error.
const INTERNAL_ERROR: i32 = -32603;

const TABLE: &[CodeRow] = &[
    row(ErrorCode::ResourceNotFound, StatusCode::NOT_FOUND, Exit::NotFound, INVALID_PARAMS),
    row(ErrorCode::ValidationFailed, StatusCode::BAD_REQUEST, Exit::Usage, INVALID_PARAMS),
    row(ErrorCode::Unauthorized, StatusCode::UNAUTHORIZED, Exit::Refused, INVALID_PARAMS),
    row(ErrorCode::Forbidden, StatusCode::FORBIDDEN, Exit::Refused, INVALID_PARAMS),
    row(ErrorCode::PolicyDenied, StatusCode::FORBIDDEN, Exit::Refused, INVALID_PARAMS),
    row(ErrorCode::ApprovalRequired, StatusCode::FORBIDDEN, Exit::Refused, INVALID_PARAMS),
    row(ErrorCode::DuplicateServer, StatusCode::CONFLICT, Exit::Usage, INVALID_PARAMS),
    row(ErrorCode::Conflict, StatusCode::CONFLICT, Exit::Refused, INVALID_PARAMS),
    row(ErrorCode::MethodNotAllowed, StatusCode::METHOD_NOT_ALLOWED, Exit::Usage, INVALID_PARAMS),
    row(ErrorCode::TooLarge, StatusCode::PAYLOAD_TOO_LARGE, Exit::Usage, INVALID_PARAMS),
    row(
        ErrorCode::TooManyRequests,
        StatusCode::TOO_MANY_REQUESTS,
        Exit::Unavailable,
        INTERNAL_ERROR,
    ),
    row(
        ErrorCode::SourceUnavailable,
        StatusCode::FAILED_DEPENDENCY,
        Exit::Unavailable,
        INTERNAL_ERROR,
    ),
    row(ErrorCode::LoginRequired, StatusCode::FAILED_DEPENDENCY, Exit::Unavailable, INTERNAL_ERROR),
    row(ErrorCode::TimedOut, StatusCode::FAILED_DEPENDENCY, Exit::Unavailable, INTERNAL_ERROR),
    row(ErrorCode::ToolFailed, StatusCode::FAILED_DEPENDENCY, Exit::Failed, INTERNAL_ERROR),
    row(ErrorCode::Cancelled, StatusCode::FAILED_DEPENDENCY, Exit::Interrupted, INTERNAL_ERROR),
    row(ErrorCode::NotReady, StatusCode::SERVICE_UNAVAILABLE, Exit::Unavailable, INTERNAL_ERROR),
    row(ErrorCode::Internal, StatusCode::INTERNAL_SERVER_ERROR, Exit::Bug, INTERNAL_ERROR),
];

impl ErrorCode {
    /// The HTTP status.
    pub fn status(self) -> StatusCode {
        self.row().status
    }

    /// The exit code of the command.
    pub fn exit(self) -> Exit {
        self.row().exit
    }

    /// The JSON-RPC error code.
    pub fn json_rpc(self) -> i32 {
        self.row().json_rpc
    }

    /// The error code for a status that the listener itself responded with.
    pub(crate) fn from_status(status: StatusCode) -> Self {
        match status {
            StatusCode::REQUEST_TIMEOUT => Self::TimedOut,
            StatusCode::SERVICE_UNAVAILABLE => Self::SourceUnavailable,
            status => TABLE
                .iter()
                .find(|row| row.status == status)
                .map_or(Self::ValidationFailed, |row| row.code),
        }
    }

    fn row(self) -> &'static CodeRow {
        TABLE.iter().find(|row| row.code == self).unwrap_or(&TABLE[TABLE.len() - 1])
    }
}

impl From<ErrorKind> for ErrorCode {
    fn from(kind: ErrorKind) -> Self {
        match kind {
            ErrorKind::NotFound => Self::ResourceNotFound,
            ErrorKind::Invalid => Self::ValidationFailed,
            ErrorKind::Refused => Self::PolicyDenied,
            ErrorKind::TimedOut => Self::TimedOut,
            ErrorKind::Unavailable => Self::SourceUnavailable,
            ErrorKind::Failed => Self::ToolFailed,
            ErrorKind::Cancelled => Self::Cancelled,
            _ => Self::Internal,
        }
    }
}

impl From<ErrorKind> for Exit {
    fn from(kind: ErrorKind) -> Self {
        ErrorCode::from(kind).exit()
    }
}
