//! Why an operation failed: one error type and one code for every surface.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolscout_core::authorization::AuthorizationError;
use toolscout_core::change::DryRun;
use toolscout_core::{ErrorKind, SourceError, redact};
use toolscout_gateway::{Error, Violation};

/// Why an operation failed. Its text is redacted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, thiserror::Error)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Error", inline)]
#[error("{message}")]
pub struct OperationError {
    /// What happened.
    #[serde(rename = "error")]
    pub message: String,
    /// The machine-readable code.
    pub code: ErrorCode,
    /// How to fix it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// The id of the pending approval, if the call needs one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approval: Option<String>,
    /// The change that a dry run would have made.
    #[serde(skip)]
    pub(crate) dry_run: Option<Box<DryRun>>,
}

/// Error codes. [`crate::codes`] has the HTTP status and the exit code of each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[schemars(inline)]
#[non_exhaustive]
pub enum ErrorCode {
    /// The resource does not exist.
    ResourceNotFound,
    /// The input is invalid.
    ValidationFailed,
    /// The request is not authenticated.
    Unauthorized,
    /// The role of the caller does not allow it.
    Forbidden,
    /// A policy denies it, or the tool is quarantined.
    PolicyDenied,
    /// An operator has to approve the call first.
    ApprovalRequired,
    /// A server with this id exists already.
    DuplicateServer,
    /// The resource is in another state than the request expects.
    Conflict,
    /// The path does not support this method.
    MethodNotAllowed,
    /// The request body is too large.
    TooLarge,
    /// Too many concurrent requests.
    TooManyRequests,
    /// A server, or the program of a tool, is unavailable.
    SourceUnavailable,
    /// The server needs a login first.
    LoginRequired,
    /// The timeout was exceeded.
    TimedOut,
    /// The tool failed.
    ToolFailed,
    /// The client disconnected.
    Cancelled,
    /// The process serves no clients now: it is draining, or has lost the database of its fleet.
    NotReady,
    /// A bug of toolscout, or its own storage failed.
    Internal,
}

impl OperationError {
    /// A failure of this kind.
    pub fn new(code: ErrorCode, message: impl AsRef<str>) -> Self {
        // Messages quote output of servers and files, which may contain secrets.
        let message = redact::text(message.as_ref());
        Self { message, code, hint: None, approval: None, dry_run: None }
    }

    /// The resource does not exist: `Server`, `Tool`, `Session`.
    pub fn not_found(what: &str) -> Self {
        Self::new(ErrorCode::ResourceNotFound, format!("{what} not found"))
    }

    /// The input is invalid.
    pub fn invalid(message: impl AsRef<str>) -> Self {
        Self::new(ErrorCode::ValidationFailed, message)
    }

    /// A failure of a core kind.
    pub fn from_kind(kind: ErrorKind, message: impl AsRef<str>) -> Self {
        Self::new(kind.into(), message)
    }

    /// The code of an error of the gateway.
    pub fn gateway_code(error: &Error) -> ErrorCode {
        match error {
            Error::Refused(AuthorizationError::NeedsApproval { .. }) => ErrorCode::ApprovalRequired,
            Error::Refused(AuthorizationError::Changed { .. })
            | Error::Source(SourceError::Changed { .. }) => ErrorCode::Conflict,
            Error::ChangedAgain { .. } | Error::Unreliable { .. } | Error::Contended => {
                ErrorCode::Conflict
            }
            Error::NotForAgents => ErrorCode::Forbidden,
            Error::Source(SourceError::Login { .. }) => ErrorCode::LoginRequired,
            other => other.kind().into(),
        }
    }

    /// Replaces the code.
    pub fn with_code(self, code: ErrorCode) -> Self {
        Self { code, ..self }
    }

    /// Adds the next step for the user.
    pub fn hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }

    /// All violations of an input schema; `part` names the input: `the body`.
    pub(crate) fn violations(part: &str, violations: &[Violation]) -> Self {
        const MAX_SHOWN: usize = 10;
        let all: Vec<_> = violations.iter().take(MAX_SHOWN).map(ToString::to_string).collect();
        Self::invalid(format!("{part} is invalid: {}", all.join("; ")))
    }
}

impl From<Error> for OperationError {
    fn from(error: Error) -> Self {
        if let Some(dry_run) = DryRun::find(&error) {
            return dry_run.clone().into();
        }
        let code = Self::gateway_code(&error);
        let approval = match &error {
            Error::Refused(AuthorizationError::NeedsApproval { approval_id, .. }) => {
                approval_id.clone()
            }
            _ => None,
        };
        let hint = match &error {
            Error::Source(SourceError::Login { id, .. }) => {
                Some(format!("toolscout server login {id}"))
            }
            other => other.hint(),
        };
        Self { hint, approval, ..Self::new(code, error.to_string()) }
    }
}

impl From<SourceError> for OperationError {
    fn from(error: SourceError) -> Self {
        Error::Source(error).into()
    }
}

impl From<DryRun> for OperationError {
    fn from(dry_run: DryRun) -> Self {
        let error = Self::new(ErrorCode::Conflict, dry_run.to_string());
        Self { dry_run: Some(Box::new(dry_run)), ..error }
    }
}
