//! Why a conversation with a server came to nothing.

use std::time::Duration;
use toolscout_core::{RawJson, SourceError, SourceId};

/// Why a conversation with a server came to nothing. Says nothing of which server: who asked knows.
///
/// Cloned to everybody who waited. Texts of the server in it are not yet escaped.
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
        /// What was under way.
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
    /// What it sent breaks the protocol or a limit.
    #[error("{reason}")]
    Protocol {
        /// What was wrong with it, for people.
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
        /// What it added.
        data: Option<RawJson>,
    },
    /// It wants somebody to log in first, or does not take the credentials it was sent.
    #[error("{what}")]
    Login {
        /// What it said, for people.
        what: String,
        /// The `WWW-Authenticate` header, as it came.
        challenge: Option<String>,
    },
    /// It asks us to come back later.
    #[error("{what}")]
    Busy {
        /// What it said, for people.
        what: String,
        /// When, if it said so.
        after: Option<Duration>,
    },
    /// What was asked cannot be sent: a header that cannot be, a setting that cannot be resolved.
    #[error("{reason}")]
    Invalid {
        /// Why, for people.
        reason: String,
    },
}

impl ClientError {
    /// The same, said of this source.
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
