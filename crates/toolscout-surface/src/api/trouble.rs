//! Why a request is not answered as it was asked, in words and in a code that programs can tell apart.

use axum::http::StatusCode;
use schemars::JsonSchema;
use serde::Serialize;
use toolscout_core::door::Refusal;
use toolscout_core::{ErrorKind, SourceError, redact};
use toolscout_gateway::{Error, Violation};

/// Why a request is not answered as it was asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Error", inline)]
pub struct Trouble {
    /// What happened.
    #[serde(rename = "error")]
    pub message: String,
    /// Of which kind it is.
    pub code: Code,
    /// The next thing to do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// The question that waits for a person, where one has to say yes first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub approval: Option<String>,
}

/// Kinds of trouble. Each has one status.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[schemars(rename = "ErrorCode", inline)]
pub enum Code {
    /// There is no such thing.
    ResourceNotFound,
    /// The request says something that cannot be.
    ValidationFailed,
    /// Nobody knows who asks.
    Unauthorized,
    /// Who asks may not do this.
    Forbidden,
    /// A policy says no, or nobody has looked at the tool yet.
    PolicyDenied,
    /// A person has to say yes first.
    ApprovalRequired,
    /// There is a server of this id already.
    DuplicateServer,
    /// Something else is there than who asks thinks.
    Conflict,
    /// The path is known, and the method is not.
    MethodNotAllowed,
    /// The body is too large.
    TooLarge,
    /// Too much at once.
    TooManyRequests,
    /// The server or the program behind a tool is not there now.
    SourceUnavailable,
    /// It took too long.
    TimedOut,
}

impl Code {
    /// The status it is said with.
    pub fn status(self) -> StatusCode {
        match self {
            Self::ResourceNotFound => StatusCode::NOT_FOUND,
            Self::ValidationFailed => StatusCode::BAD_REQUEST,
            Self::Unauthorized => StatusCode::UNAUTHORIZED,
            Self::Forbidden | Self::PolicyDenied | Self::ApprovalRequired => StatusCode::FORBIDDEN,
            Self::DuplicateServer | Self::Conflict => StatusCode::CONFLICT,
            Self::MethodNotAllowed => StatusCode::METHOD_NOT_ALLOWED,
            Self::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            Self::TooManyRequests => StatusCode::TOO_MANY_REQUESTS,
            Self::SourceUnavailable | Self::TimedOut => StatusCode::FAILED_DEPENDENCY,
        }
    }

    /// What the listener means by a status that it gave itself.
    pub(crate) fn of(status: StatusCode) -> Self {
        match status {
            StatusCode::UNAUTHORIZED => Self::Unauthorized,
            StatusCode::FORBIDDEN => Self::Forbidden,
            StatusCode::NOT_FOUND => Self::ResourceNotFound,
            StatusCode::METHOD_NOT_ALLOWED => Self::MethodNotAllowed,
            StatusCode::PAYLOAD_TOO_LARGE => Self::TooLarge,
            StatusCode::TOO_MANY_REQUESTS => Self::TooManyRequests,
            StatusCode::REQUEST_TIMEOUT => Self::TimedOut,
            StatusCode::SERVICE_UNAVAILABLE => Self::SourceUnavailable,
            _ => Self::ValidationFailed,
        }
    }
}

impl Trouble {
    /// Trouble of this kind, in these words.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self { message: message.into(), code, hint: None, approval: None }
    }

    /// There is no such thing: `Project`, `Session`, `Server`, `Tool`.
    pub fn not_found(what: &str) -> Self {
        Self::new(Code::ResourceNotFound, format!("{what} not found"))
    }

    /// The request says something that cannot be.
    pub fn invalid(message: impl Into<String>) -> Self {
        Self::new(Code::ValidationFailed, message)
    }

    /// The same, with the next thing to do.
    pub fn hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }

    /// Whatever went wrong of this kind, in these words.
    pub fn of_kind(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self::new(code_of(kind), message)
    }

    /// All that is wrong with a part of the request.
    pub(super) fn violations(part: &str, violations: &[Violation]) -> Self {
        let all: Vec<_> = violations.iter().take(SHOWN).map(ToString::to_string).collect();
        Self::invalid(format!("{part} cannot be understood: {}", all.join("; ")))
    }
}

/// So many violations are told; who has more knows what to do.
const SHOWN: usize = 10;

fn code_of(kind: ErrorKind) -> Code {
    match kind {
        ErrorKind::NotFound => Code::ResourceNotFound,
        ErrorKind::Invalid => Code::ValidationFailed,
        ErrorKind::Refused => Code::PolicyDenied,
        ErrorKind::TimedOut => Code::TimedOut,
        ErrorKind::Unavailable | ErrorKind::Failed | ErrorKind::Cancelled => Code::SourceUnavailable,
        _ => Code::Conflict,
    }
}

impl From<Error> for Trouble {
    fn from(error: Error) -> Self {
        let code = match &error {
            Error::Refused(Refusal::NeedsApproval { .. }) => Code::ApprovalRequired,
            Error::Refused(Refusal::Changed { .. }) | Error::Source(SourceError::Changed { .. }) => Code::Conflict,
            Error::ChangedAgain { .. } | Error::Unreliable { .. } | Error::Contended => Code::Conflict,
            Error::NotForAgents => Code::Forbidden,
            other => code_of(other.kind()),
        };
        let approval = match &error {
            Error::Refused(Refusal::NeedsApproval { question, .. }) => question.clone(),
            _ => None,
        };
        // What a source says may hold what it was started with.
        let message = redact::text(&error.to_string());
        Self { message, code, hint: error.hint(), approval }
    }
}

impl From<SourceError> for Trouble {
    fn from(error: SourceError) -> Self {
        Error::Source(error).into()
    }
}
