//! The errors that end a request to the gateway.

use crate::Violation;
use toolscout_catalog::Unresolved;
use toolscout_core::authorization::{AuthorizationError, Policy};
use toolscout_core::change::DryRun;
use toolscout_core::{ErrorKind, SourceError, SourceId, StoreError, ToolId, escape};

/// The reason why a request failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// No tool has this name.
    #[error("Unknown tool: {}", escape::line(name))]
    UnknownTool {
        /// The requested name.
        name: String,
        /// The ids of tools with similar names.
        nearest: Vec<ToolId>,
    },
    /// Several tools have this name.
    #[error("`{}` could be {}", escape::line(name), list(candidates))]
    AmbiguousTool {
        /// The requested name.
        name: String,
        /// All tools of this name.
        candidates: Vec<ToolId>,
    },
    /// The arguments do not match the tool's schema.
    #[error("the arguments do not fit `{}`: {}", escape::line(&tool.to_string()), violations.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))]
    InvalidArguments {
        /// The tool.
        tool: ToolId,
        /// All violations of the schema.
        violations: Vec<Violation>,
    },
    /// The tool's schema cannot be used.
    #[error("the input schema of `{}` cannot be used: {}", escape::line(&tool.to_string()), escape::line(reason))]
    InvalidSchema {
        /// The tool.
        tool: ToolId,
        /// The reason, not yet escaped.
        reason: String,
    },
    /// The call was not authorized.
    #[error(transparent)]
    Refused(#[from] AuthorizationError),
    /// The source failed.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// The tool is not pending review.
    #[error("`{}` is not quarantined", escape::line(&tool.to_string()))]
    NotHeld {
        /// The tool.
        tool: ToolId,
    },
    /// The definition is no longer the one that the operator has seen.
    #[error("`{}` has changed again since you looked", escape::line(&tool.to_string()))]
    ChangedAgain {
        /// The tool.
        tool: ToolId,
    },
    /// The source needs no review, or it was not listed yet.
    #[error("nothing of `{source_id}` is under review")]
    NotUnderReview {
        /// The source.
        source_id: SourceId,
    },
    /// The review record of a source cannot be relied on, so its tools cannot be approved one by
    /// one.
    #[error("nothing of `{source_id}` counts as approved: {reason}")]
    Unreliable {
        /// The source.
        source_id: SourceId,
        /// The reason.
        reason: String,
    },
    /// There is no pending approval with this id.
    #[error("there is no pending approval `{}`", escape::line(id))]
    UnknownApproval {
        /// The given id.
        id: String,
    },
    /// A policy pattern is malformed.
    #[error("`pattern`: `{}` must be `source/tool`, `source/*` or `*`", escape::line(pattern))]
    InvalidPattern {
        /// The given pattern.
        pattern: String,
    },
    /// A policy is looser than the levels above allow.
    #[error("`policy`: `{}` is looser than what its parents say", policy.word())]
    PolicyTooLoose {
        /// The given policy.
        policy: Policy,
        /// The policies that this level may use.
        allowed: Vec<Policy>,
    },
    /// The request was a dry run, which only reports the change.
    #[error("{0}")]
    DryRun(#[from] DryRun),
    /// An agent tried to make a decision that is reserved for a person.
    #[error("only a person can answer that")]
    NotForAgents,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Too many concurrent writers changed the same record.
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

    /// The kind of error: who caused it, and what to do.
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
            Self::NotHeld { .. } | Self::NotUnderReview { .. } | Self::UnknownApproval { .. } => {
                ErrorKind::NotFound
            }
            Self::Store(_) | Self::Contended => ErrorKind::Unavailable,
        }
    }

    /// A suggested next command, if there is one.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::UnknownTool { nearest, .. } if !nearest.is_empty() => {
                Some(format!("did you mean {}?", list(nearest)))
            }
            Self::UnknownTool { .. } => Some("`toolscout tools` lists all tools".to_owned()),
            Self::AmbiguousTool { candidates, .. } => {
                candidates.first().map(|it| format!("say which one, for example `{it}`"))
            }
            Self::InvalidArguments { tool, .. } => {
                Some(format!("`toolscout describe {tool}` shows its parameters"))
            }
            Self::Refused(refusal) => refused(refusal),
            Self::Source(SourceError::Changed { .. }) => {
                Some("a person can look at it: `toolscout review`".to_owned())
            }
            Self::NotHeld { .. } | Self::ChangedAgain { .. } | Self::NotUnderReview { .. } => {
                Some("`toolscout review` lists quarantined tools".to_owned())
            }
            Self::Unreliable { source_id, .. } => Some(format!(
                "look with `toolscout review`, then `toolscout review --accept {source_id}`"
            )),
            Self::UnknownApproval { .. } => {
                Some("`toolscout approval list` lists pending approvals".to_owned())
            }
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
        AuthorizationError::Untrusted { .. } => {
            Some("a person can allow it: `toolscout trust`".to_owned())
        }
        AuthorizationError::Quarantined { tool, .. } => Some(held(tool)),
        AuthorizationError::NeedsApproval { question: Some(id), .. } => Some(format!(
            "a person can allow this very call within five minutes: `toolscout approve {id}`"
        )),
        AuthorizationError::Denied { .. } | AuthorizationError::Disabled { .. } => {
            Some("`toolscout policy` shows which level decided".to_owned())
        }
        _ => None,
    }
}

/// The commands to review and approve a tool. A name with special characters of the shell is
/// replaced, so that it cannot be copied into a command line.
fn held(tool: &str) -> String {
    let is_plain = |it: char| it.is_ascii_alphanumeric() || "/._-".contains(it);
    let shown = if tool.chars().all(is_plain) { tool } else { "TOOL" };
    format!(
        "a person can look at it: `toolscout review`, and let it in: `toolscout approve {shown}`"
    )
}

fn list(ids: &[ToolId]) -> String {
    ids.iter()
        .map(|it| format!("`{}`", escape::line(&it.to_string())))
        .collect::<Vec<_>>()
        .join(" or ")
}
