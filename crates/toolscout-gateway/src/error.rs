//! What ends a request to the gateway.

use crate::Violation;
use toolscout_catalog::Unresolved;
use toolscout_core::authorization::{AuthorizationError, Policy};
use toolscout_core::change::DryRun;
use toolscout_core::{ErrorKind, SourceError, SourceId, StoreError, ToolId, escape};

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
    #[error("the arguments do not fit `{}`: {}", escape::line(&tool.to_string()), violations.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))]
    InvalidArguments {
        /// Which tool.
        tool: ToolId,
        /// Everything that is wrong with them.
        violations: Vec<Violation>,
    },
    /// The tool's own schema cannot be used.
    #[error("the input schema of `{}` cannot be used: {}", escape::line(&tool.to_string()), escape::line(reason))]
    InvalidSchema {
        /// Which tool.
        tool: ToolId,
        /// Why, not yet escaped.
        reason: String,
    },
    /// The door stayed shut.
    #[error(transparent)]
    Refused(#[from] AuthorizationError),
    /// The source could not answer.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// There is nothing about this tool to decide.
    #[error("`{}` is not quarantined", escape::line(&tool.to_string()))]
    NotHeld {
        /// Which tool.
        tool: ToolId,
    },
    /// The definition is no longer the one that the person has seen.
    #[error("`{}` has changed again since you looked", escape::line(&tool.to_string()))]
    ChangedAgain {
        /// Which tool.
        tool: ToolId,
    },
    /// Nothing of this source needs approval, or it was not listed yet.
    #[error("nothing of `{source_id}` is under review")]
    NotUnderReview {
        /// Which source.
        source_id: SourceId,
    },
    /// What is on record about a source cannot be relied on, so one tool cannot be decided about.
    #[error("nothing of `{source_id}` counts as approved: {reason}")]
    Unreliable {
        /// Which source.
        source_id: SourceId,
        /// Why.
        reason: String,
    },
    /// There is no pending approval of this id.
    #[error("there is no pending approval `{}`", escape::line(id))]
    UnknownApproval {
        /// What was given.
        id: String,
    },
    /// A policy pattern is malformed.
    #[error("`pattern`: `{}` must be `source/tool`, `source/*` or `*`", escape::line(pattern))]
    InvalidPattern {
        /// What was given.
        pattern: String,
    },
    /// A policy is looser than what the levels above say.
    #[error("`policy`: `{}` is looser than what its parents say", policy.word())]
    PolicyTooLoose {
        /// What was given.
        policy: Policy,
        /// What the level may say.
        allowed: Vec<Policy>,
    },
    /// The request only asks what would change.
    #[error("{0}")]
    DryRun(#[from] DryRun),
    /// An agent tried to answer in a person's place.
    #[error("only a person can answer that")]
    NotForAgents,
    /// What must be kept could not be.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Too many others write to the same place.
    #[error("others are changing the same record; try again")]
    Contended,
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
            Self::AmbiguousTool { .. }
            | Self::InvalidArguments { .. }
            | Self::InvalidPattern { .. }
            | Self::PolicyTooLoose { .. } => ErrorKind::Invalid,
            Self::InvalidSchema { .. } => ErrorKind::Unavailable,
            Self::Refused(_)
            | Self::ChangedAgain { .. }
            | Self::Unreliable { .. }
            | Self::NotForAgents
            | Self::DryRun(_) => ErrorKind::Refused,
            Self::Source(error) => error.kind(),
            Self::NotHeld { .. } | Self::NotUnderReview { .. } | Self::UnknownApproval { .. } => ErrorKind::NotFound,
            Self::Store(_) | Self::Contended => ErrorKind::Unavailable,
        }
    }

    /// The next thing to type, where there is one.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::UnknownTool { nearest, .. } if !nearest.is_empty() => {
                Some(format!("did you mean {}?", list(nearest)))
            }
            Self::UnknownTool { .. } => Some("`toolscout tools` lists all tools".to_owned()),
            Self::AmbiguousTool { candidates, .. } => {
                candidates.first().map(|it| format!("say which one, for example `{it}`"))
            }
            Self::InvalidArguments { tool, .. } => Some(format!("`toolscout describe {tool}` shows its parameters")),
            Self::Refused(refusal) => refused(refusal),
            Self::Source(SourceError::Changed { .. }) => Some("a person can look at it: `toolscout review`".to_owned()),
            Self::NotHeld { .. } | Self::ChangedAgain { .. } | Self::NotUnderReview { .. } => {
                Some("`toolscout review` lists quarantined tools".to_owned())
            }
            Self::Unreliable { source_id, .. } => {
                Some(format!("look with `toolscout review`, then `toolscout review --accept {source_id}`"))
            }
            Self::UnknownApproval { .. } => Some("`toolscout approval list` lists pending approvals".to_owned()),
            Self::PolicyTooLoose { allowed, .. } => {
                let words: Vec<_> = allowed.iter().map(|policy| policy.word()).collect();
                Some(format!("this level may say {}", words.join(", ")))
            }
            _ => None,
        }
    }
}

fn refused(refusal: &AuthorizationError) -> Option<String> {
    match refusal {
        AuthorizationError::Untrusted { .. } => Some("a person can allow it: `toolscout trust`".to_owned()),
        AuthorizationError::Quarantined { tool, .. } => Some(held(tool)),
        AuthorizationError::NeedsApproval { question: Some(id), .. } => {
            Some(format!("a person can allow this very call within five minutes: `toolscout approve {id}`"))
        }
        AuthorizationError::Denied { .. } | AuthorizationError::Disabled { .. } => {
            Some("`toolscout policy` shows which level decided".to_owned())
        }
        _ => None,
    }
}

/// How a person decides about it. A name that a shell would understand as something else is not there to be copied.
fn held(tool: &str) -> String {
    let is_plain = |it: char| it.is_ascii_alphanumeric() || "/._-".contains(it);
    let shown = if tool.chars().all(is_plain) { tool } else { "TOOL" };
    format!("a person can look at it: `toolscout review`, and let it in: `toolscout approve {shown}`")
}

fn list(ids: &[ToolId]) -> String {
    ids.iter().map(|it| format!("`{}`", escape::line(&it.to_string()))).collect::<Vec<_>>().join(" or ")
}
