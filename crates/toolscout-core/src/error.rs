//! Errors: they end a request, and their kind states whose fault it is.

use crate::{RawJson, SourceId};
use std::time::Duration;

/// Whose fault it is and what to do. A caller should not need to branch on anything else.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The requested object does not exist.
    NotFound,
    /// The request is invalid.
    Invalid,
    /// A policy or missing trust refuses the request.
    Refused,
    /// Something that the request needs is not available now.
    Unavailable,
    /// The deadline passed.
    TimedOut,
    /// The caller cancelled the request.
    Cancelled,
    /// The tool ran and failed.
    Failed,
    /// A bug in toolscout.
    Internal,
}

/// The reason why a source could not answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SourceError {
    /// This source has no such tool; try the next one.
    #[error("source `{id}` has no tool `{name}`")]
    NotMine {
        /// The source.
        id: SourceId,
        /// The name of the tool.
        name: String,
    },
    /// The program, runtime or server behind a tool could not be started or reached.
    #[error("source `{id}` could not run `{program}`: {reason}")]
    Spawn {
        /// The source.
        id: SourceId,
        /// The program.
        program: String,
        /// The reason, as text for users.
        reason: String,
        /// The cause, if the operating system reports one.
        #[source]
        cause: Option<std::io::Error>,
    },
    /// The deadline passed.
    #[error("source `{id}`: {what} timed out after {}", format_duration(*limit))]
    TimedOut {
        /// The source.
        id: SourceId,
        /// The step that was running.
        what: String,
        /// The time limit.
        limit: Duration,
    },
    /// A tool ran longer than its own time limit.
    #[error(
        "source `{id}`: {what} timed out after {}; {hint}",
        format_duration(*limit)
    )]
    ToolTimedOut {
        /// The source.
        id: SourceId,
        /// The program that was running.
        what: String,
        /// The time limit.
        limit: Duration,
        /// How to raise the limit.
        hint: String,
    },
    /// The response cannot be parsed or breaks the protocol.
    #[error("source `{id}`: {reason}")]
    Protocol {
        /// The source.
        id: SourceId,
        /// The defect of the response, as text for users.
        reason: String,
    },
    /// The call is invalid.
    #[error("{reason}")]
    Invalid {
        /// The reason, as text for users.
        reason: String,
    },
    /// The source refuses the call.
    #[error("{reason}")]
    Refused {
        /// The reason, as text for users.
        reason: String,
    },
    /// The tool is not the one that was authorized: its live definition differs.
    #[error("`{id}/{name}` has changed since it was approved")]
    Changed {
        /// The source.
        id: SourceId,
        /// The tool.
        name: String,
    },
    /// Strict mode, or a conflict rule, made a diagnostic fatal.
    #[error("{}", .0.message)]
    Stopped(Box<crate::Diagnostic>),
    /// The server behind a source answered with a JSON-RPC error.
    #[error("source `{id}` returned an error: {} ({code})", crate::escape::line(message))]
    Answered {
        /// The source.
        id: SourceId,
        /// The JSON-RPC error code.
        code: i64,
        /// The message of the server, not yet escaped.
        message: String,
        /// The `data` member of the error.
        data: Option<RawJson>,
    },
    /// A login is required, or the credentials were rejected. A retry does not help.
    #[error("source `{id}`: {what}")]
    Login {
        /// The source.
        id: SourceId,
        /// The cause, as text for users.
        what: String,
    },
    /// The source is reachable but wants no requests for a while (rate limit).
    #[error("source `{id}`: {what}")]
    Busy {
        /// The source.
        id: SourceId,
        /// The cause, as text for users.
        what: String,
        /// When to retry, if the source states it.
        after: Option<Duration>,
    },
    /// Something outside of toolscout failed.
    #[error("source `{id}`: {what}")]
    Unavailable {
        /// The source.
        id: SourceId,
        /// What failed, as text for users.
        what: String,
    },
}

/// A limit as text: `30 s`, or `300 ms` if it is no whole number of seconds.
pub fn format_duration(limit: Duration) -> String {
    match limit.as_millis() {
        millis if millis > 0 && millis % 1_000 == 0 => format!("{} s", millis / 1_000),
        other => format!("{other} ms"),
    }
}

impl SourceError {
    /// Whose fault it is and what to do.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::NotMine { .. } => ErrorKind::NotFound,
            Self::Spawn { .. }
            | Self::Unavailable { .. }
            | Self::Busy { .. }
            | Self::Login { .. } => ErrorKind::Unavailable,
            Self::TimedOut { .. } | Self::ToolTimedOut { .. } => ErrorKind::TimedOut,
            // The codes for a method, a tool or arguments that the server does not know.
            Self::Answered { code: -32_602 | -32_601, .. } => ErrorKind::Invalid,
            Self::Protocol { .. } | Self::Answered { .. } => ErrorKind::Failed,
            Self::Invalid { .. } | Self::Stopped(_) => ErrorKind::Invalid,
            Self::Refused { .. } | Self::Changed { .. } => ErrorKind::Refused,
        }
    }
}
