//! Errors of a connection to a server.

use std::time::Duration;
use toolscout_core::{RawJson, SourceError, SourceId};

/// An error of a connection to a server. It does not name the server: the caller knows it.
///
/// The error is cloned for every pending request. Texts of the server in it are not escaped.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ClientError {
    /// The program of the server could not be started.
    #[error("could not run `{program}`: {reason}")]
    Spawn {
        program: String,
        /// The reason, for display.
        reason: String,
    },
    /// A step took too long.
    #[error("{what} timed out after {}", toolscout_core::format_duration(*limit))]
    TimedOut {
        /// The step that timed out.
        what: String,
        /// The time it was given.
        limit: Duration,
    },
    /// The server is gone: it exited, closed the connection, or is unreachable.
    #[error("{what}")]
    Lost {
        /// A description for display: `it exited with code 1: fatal: no config`.
        what: String,
    },
    /// A message of the server violates the protocol or a limit.
    #[error("{reason}")]
    Protocol {
        /// The reason, for display.
        reason: String,
    },
    /// The server answered with a status that means that the address is wrong: 400, 404, 405 and
    /// similar.
    #[error("{what}")]
    Status {
        status: u16,
        /// A description for display.
        what: String,
    },
    /// The server answered with a JSON-RPC error.
    #[error("{message} ({code})")]
    Answered {
        /// The JSON-RPC code.
        code: i64,
        /// The message, as the server wrote it.
        message: String,
        /// The `data` of the error.
        data: Option<RawJson>,
    },
    /// The server requires a login, or rejects the credentials.
    #[error("{what}")]
    Login {
        /// A description for display.
        what: String,
        /// The `WWW-Authenticate` header, as received.
        challenge: Option<String>,
    },
    /// The server is busy; the request may be repeated later.
    #[error("{what}")]
    Busy {
        /// A description for display.
        what: String,
        /// The delay, if the server names one.
        after: Option<Duration>,
    },
    /// The server must not run here: another replica of the fleet runs it, or can.
    #[error("{reason}")]
    Elsewhere {
        /// The replica that runs it, if there is one.
        replica: Option<String>,
        /// The reason, for display.
        reason: String,
    },
    /// The request cannot be sent: an invalid header, a reference that cannot be resolved.
    #[error("{reason}")]
    Invalid {
        /// The reason, for display.
        reason: String,
    },
}

impl ClientError {
    pub(crate) fn lost(what: impl Into<String>) -> Self {
        Self::Lost { what: what.into() }
    }

    pub(crate) fn protocol(reason: impl Into<String>) -> Self {
        Self::Protocol { reason: reason.into() }
    }

    pub(crate) fn invalid(reason: impl Into<String>) -> Self {
        Self::Invalid { reason: reason.into() }
    }

    /// Converts it to an error of this source.
    pub fn into_source_error(self, id: &SourceId) -> SourceError {
        let id = id.clone();
        match self {
            Self::Spawn { program, reason } => {
                SourceError::Spawn { id, program, reason, cause: None }
            }
            Self::TimedOut { what, limit } => SourceError::TimedOut { id, what, limit },
            Self::Lost { what } | Self::Status { what, .. } => {
                SourceError::Unavailable { id, what }
            }
            Self::Elsewhere { reason: what, .. } => SourceError::Unavailable { id, what },
            Self::Protocol { reason } => SourceError::Protocol { id, reason },
            Self::Answered { code, message, data } => {
                SourceError::Answered { id, code, message, data }
            }
            Self::Login { what, .. } => SourceError::Login { id, what },
            Self::Busy { what, after } => SourceError::Busy { id, what, after },
            Self::Invalid { reason } => {
                SourceError::Invalid { reason: format!("server `{id}`: {reason}") }
            }
        }
    }
}
