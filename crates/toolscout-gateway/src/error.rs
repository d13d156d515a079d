//! What ends a request to the gateway.

use crate::Violation;
use toolscout_catalog::Unresolved;
use toolscout_core::door::Refusal;
use toolscout_core::{ErrorKind, SourceError, ToolId, escape};

/// Why a request could not be answered.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// No tool answers to the name.
    #[error("Unknown tool: {}", escape::line(name))]
    UnknownTool {
        /// What was asked for.
        name: String,
        /// What comes nearest.
        nearest: Vec<ToolId>,
    },
    /// Several tools answer to the name.
    #[error("`{}` could be {}", escape::line(name), list(candidates))]
    AmbiguousTool {
        /// What was asked for.
        name: String,
        /// All of them.
        candidates: Vec<ToolId>,
    },
    /// The arguments do not fit the tool's schema.
    #[error("the arguments do not fit `{tool}`: {}", violations.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))]
    InvalidArguments {
        /// Which tool.
        tool: ToolId,
        /// Everything that is wrong with them.
        violations: Vec<Violation>,
    },
    /// The tool's own schema cannot be used.
    #[error("the input schema of `{tool}` cannot be used: {reason}")]
    InvalidSchema {
        /// Which tool.
        tool: ToolId,
        /// Why.
        reason: String,
    },
    /// The door stayed shut.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// The source could not answer.
    #[error(transparent)]
    Source(#[from] SourceError),
}

impl Error {
    pub(crate) fn unresolved(name: &str, why: Unresolved) -> Self {
        let name = name.to_owned();
        match why {
            Unresolved::Unknown { nearest } => Self::UnknownTool { name, nearest },
            Unresolved::Ambiguous { candidates } => Self::AmbiguousTool { name, candidates },
        }
    }

    /// Whose fault, and what to do.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::UnknownTool { .. } => ErrorKind::NotFound,
            Self::AmbiguousTool { .. } | Self::InvalidArguments { .. } => ErrorKind::Invalid,
            Self::InvalidSchema { .. } => ErrorKind::Unavailable,
            Self::Refused(_) => ErrorKind::Refused,
            Self::Source(error) => error.kind(),
        }
    }

    /// The next thing to type, where there is one.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::UnknownTool { nearest, .. } if !nearest.is_empty() => {
                Some(format!("did you mean {}?", list(nearest)))
            }
            Self::UnknownTool { .. } => Some("`toolscout tools` lists what there is".to_owned()),
            Self::AmbiguousTool { candidates, .. } => {
                candidates.first().map(|it| format!("say which one, for example `{it}`"))
            }
            Self::InvalidArguments { tool, .. } => Some(format!("`toolscout describe {tool}` shows what it takes")),
            Self::Refused(Refusal::Untrusted { .. }) => Some("a person can allow it: `toolscout trust`".to_owned()),
            _ => None,
        }
    }
}

fn list(ids: &[ToolId]) -> String {
    ids.iter().map(|it| format!("`{}`", escape::line(&it.to_string()))).collect::<Vec<_>>().join(" or ")
}
