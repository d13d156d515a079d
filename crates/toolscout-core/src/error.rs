//! What ends a request, and whose fault it is.

use crate::{RawJson, SourceId};
use std::time::Duration;

/// Whose fault, and what to do: all a caller should need to branch on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// There is no such thing.
    NotFound,
    /// The caller said something that cannot be.
    Invalid,
    /// A policy, or missing trust, says no.
    Refused,
    /// What is needed is not there now.
    Unavailable,
    /// It took too long.
    TimedOut,
    /// The caller went away.
    Cancelled,
    /// The tool ran, and failed.
    Failed,
    /// A bug of ours.
    Internal,
}

/// Why a source could not answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SourceError {
    /// This source has no such tool; ask the next.
    #[error("source `{id}` has no tool `{name}`")]
    NotMine {
        /// Who was asked.
        id: SourceId,
        /// For what.
        name: String,
    },
    /// The program, runtime or server behind a tool could not be started or reached.
    #[error("source `{id}` could not run `{program}`: {reason}")]
    Spawn {
        /// Whose.
        id: SourceId,
        /// Which program.
        program: String,
        /// Why, for people.
        reason: String,
        /// The cause, where the system gave one.
        #[source]
        cause: Option<std::io::Error>,
    },
    /// The deadline passed.
    #[error("source `{id}`: {what} took longer than {}", spoken(*limit))]
    TimedOut {
        /// Whose.
        id: SourceId,
        /// What was under way.
        what: String,
        /// How long it was given.
        limit: Duration,
    },
    /// What came back cannot be understood.
    #[error("source `{id}`: {reason}")]
    Protocol {
        /// Whose.
        id: SourceId,
        /// What was wrong with it, for people.
        reason: String,
    },
    /// The call cannot be made as asked.
    #[error("{reason}")]
    Invalid {
        /// Why, for people.
        reason: String,
    },
    /// The source may not do this.
    #[error("{reason}")]
    Refused {
        /// Why, for people.
        reason: String,
    },
    /// The tool is not the one that was authorized: its live definition differs.
    #[error("`{id}/{name}` has changed since it was approved")]
    Changed {
        /// Whose.
        id: SourceId,
        /// Which tool.
        name: String,
    },
    /// Strict mode, or a conflict rule, made a problem fatal.
    #[error("{}", .0.message)]
    Stopped(Box<crate::Diagnostic>),
    /// The server behind a source answered with an error of its own.
    #[error("source `{id}` answered: {} ({code})", crate::escape::line(message))]
    Answered {
        /// Whose.
        id: SourceId,
        /// Its JSON-RPC code.
        code: i64,
        /// In its own words, not yet escaped.
        message: String,
        /// What it added.
        data: Option<RawJson>,
    },
    /// Somebody has to log in first, or the credentials are not taken. Asking again does not help.
    #[error("source `{id}`: {what}")]
    Login {
        /// Whose.
        id: SourceId,
        /// What was said, for people.
        what: String,
    },
    /// The source is there and asks to be left alone for a while.
    #[error("source `{id}`: {what}")]
    Busy {
        /// Whose.
        id: SourceId,
        /// What was said, for people.
        what: String,
        /// How long, if it said so.
        after: Option<Duration>,
    },
    /// Something outside our reach failed.
    #[error("source `{id}`: {what}")]
    Unavailable {
        /// Whose.
        id: SourceId,
        /// What failed, for people.
        what: String,
    },
}

/// A limit as people set it: `30 s`, or `300 ms` where it is no whole number of seconds.
pub fn spoken(limit: Duration) -> String {
    match limit.as_millis() {
        whole if whole > 0 && whole % 1_000 == 0 => format!("{} s", whole / 1_000),
        other => format!("{other} ms"),
    }
}

impl SourceError {
    /// Whose fault, and what to do.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::NotMine { .. } => ErrorKind::NotFound,
            Self::Spawn { .. } | Self::Unavailable { .. } | Self::Busy { .. } | Self::Login { .. } => {
                ErrorKind::Unavailable
            }
            Self::TimedOut { .. } => ErrorKind::TimedOut,
            // The codes for a method, a tool or arguments that the server does not know.
            Self::Answered { code: -32_602 | -32_601, .. } => ErrorKind::Invalid,
            Self::Protocol { .. } | Self::Answered { .. } => ErrorKind::Failed,
            Self::Invalid { .. } | Self::Stopped(_) => ErrorKind::Invalid,
            Self::Refused { .. } | Self::Changed { .. } => ErrorKind::Refused,
        }
    }
}
