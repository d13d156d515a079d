//! Errors of a connection to a server.

use std::time::Duration;
use toolscout_core::{RawJson, SourceError, SourceId};

/// An error of a connection to a server. It does not name the server: the caller knows it.
///
/// Cloned for every pending request. Texts of the server in it are not yet escaped.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ClientError {
    /// Its program could not be started.
    #[error("could not run `{program}`: {reason}")]
    Spawn {
        /// Which program.
        program: String,
        /// Why, for people.
        reason: String,
    },
    /// It took too long.
    #[error("{what} took longer than {}", toolscout_core::spoken(*limit))]
    TimedOut {
        /// The step that timed out.
        what: String,
        /// How long it was given.
        limit: Duration,
    },
    /// It is gone: ended, closed, out of reach.
    #[error("{what}")]
    Lost {
        /// What happened, for people: `it exited with code 1: fatal: no config`.
        what: String,
    },
    /// A message of the server breaks the protocol or a limit.
    #[error("{reason}")]
    Protocol {
        /// The reason, for people.
        reason: String,
    },
    /// It answered with a status that means something else is at this address, or nothing: 400, 404, 405 and their like.
    #[error("{what}")]
    Status {
        /// The HTTP status.
        status: u16,
        /// What happened, for people.
        what: String,
    },
    /// It answered with an error.
    #[error("{message} ({code})")]
    Answered {
        /// The JSON-RPC code.
        code: i64,
        /// In its own words.
        message: String,
        /// The `data` of the error.
        data: Option<RawJson>,
    },
    /// It requires a login, or rejects the credentials.
    #[error("{what}")]
    Login {
        /// The description, for people.
        what: String,
        /// The `WWW-Authenticate` header, as it came.
        challenge: Option<String>,
    },
    /// It is busy; the request may be repeated later.
    #[error("{what}")]
    Busy {
        /// The description, for people.
        what: String,
        /// The delay, if the server names one.
        after: Option<Duration>,
    },
    /// The request cannot be sent: an invalid header, a reference that cannot be resolved.
    #[error("{reason}")]
    Invalid {
        /// Why, for people.
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

    /// The same as an error of this source.
    pub fn of(self, id: &SourceId) -> SourceError {
        let id = id.clone();
        match self {
            Self::Spawn { program, reason } => SourceError::Spawn { id, program, reason, cause: None },
            Self::TimedOut { what, limit } => SourceError::TimedOut { id, what, limit },
            Self::Lost { what } | Self::Status { what, .. } => SourceError::Unavailable { id, what },
            Self::Protocol { reason } => SourceError::Protocol { id, reason },
            Self::Answered { code, message, data } => SourceError::Answered { id, code, message, data },
            Self::Login { what, .. } => SourceError::Login { id, what },
            Self::Busy { what, after } => SourceError::Busy { id, what, after },
            Self::Invalid { reason } => SourceError::Invalid { reason: format!("server `{id}`: {reason}") },
        }
    }
}
