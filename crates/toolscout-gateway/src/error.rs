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
    #[error("`{}` is ambiguous: it could be {}", escape::line(name), list(candidates))]
    AmbiguousTool {
        /// The requested name.
        name: String,
        /// All tools of this name.
        candidates: Vec<ToolId>,
    },
    /// The arguments do not match the tool's schema.
    #[error("invalid arguments for `{}`: {}", escape::line(&tool.to_string()), violations.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))]
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
    NotQuarantined {
        /// The tool.
        tool: ToolId,
    },
    /// The definition is no longer the one that the operator has seen.
    #[error("the definition of `{}` has changed since it was reviewed", escape::line(&tool.to_string()))]
    ChangedAgain {
        /// The tool.
        tool: ToolId,
    },
    /// The source needs no review, or it was not listed yet.
    #[error("no tool of `{source_id}` is under review")]
    NotUnderReview {
        /// The source.
        source_id: SourceId,
    },
    /// The review record of a source cannot be relied on, so its tools cannot be approved one by
    /// one.
    #[error("no tool of `{source_id}` counts as approved: {reason}")]
    Unreliable {
        /// The source.
        source_id: SourceId,
        /// The reason.
        reason: String,
    },
    /// A later version of the program wrote the review record of a source.
    #[error("the approvals of `{source_id}` were written by a newer toolscout")]
    NewerApprovals {
        /// The source.
        source_id: SourceId,
    },
    /// There is no pending approval with this id.
    #[error("no pending approval `{}`", escape::line(id))]
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
    #[error("`policy`: `{}` is looser than the levels above allow", policy.as_str())]
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
    #[error("only a person can make this decision, not an agent")]
    NotForAgents,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Too many concurrent writers changed the same record.
    #[error("other processes keep changing the same record; try again")]
    Contended,
}

impl Error {
    pub(crate) fn unresolved(name: &str, reason: Unresolved) -> Self {
        let name = name.to_owned();
        match reason {
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
            | Self::NewerApprovals { .. }
            | Self::NotForAgents
            | Self::DryRun(_) => ErrorKind::Refused,
            Self::Source(error) => error.kind(),
            Self::NotQuarantined { .. }
            | Self::NotUnderReview { .. }
            | Self::UnknownApproval { .. } => ErrorKind::NotFound,
            Self::Store(_) | Self::Contended => ErrorKind::Unavailable,
        }
    }

    /// A suggested next command, if there is one.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::UnknownTool { nearest, .. } if !nearest.is_empty() => {
                Some(format!("did you mean {}?", list(nearest)))
            }
            Self::UnknownTool { .. } => Some("run `toolscout tools` to list all tools".to_owned()),
            Self::AmbiguousTool { candidates, .. } => candidates
                .first()
                .map(|candidate| format!("use the full name, for example `{candidate}`")),
            Self::InvalidArguments { tool, .. } => {
                Some(format!("run `toolscout describe {tool}` to see its parameters"))
            }
            Self::Refused(refusal) => refusal_hint(refusal),
            Self::Source(SourceError::Changed { .. }) => {
                Some("an operator can review it with `toolscout review`".to_owned())
            }
            Self::NotQuarantined { .. }
            | Self::ChangedAgain { .. }
            | Self::NotUnderReview { .. } => {
                Some("run `toolscout review` to list quarantined tools".to_owned())
            }
            Self::Unreliable { source_id, .. } => Some(format!(
                "review them with `toolscout review`, then approve them with `toolscout review accept {source_id}`"
            )),
            Self::NewerApprovals { .. } => Some("upgrade this toolscout".to_owned()),
            Self::UnknownApproval { .. } => {
                Some("run `toolscout approval list` to list pending approvals".to_owned())
            }
            Self::PolicyTooLoose { allowed, .. } => {
                let words: Vec<_> = allowed.iter().map(|policy| policy.as_str()).collect();
                Some(format!("at this level, use {}", words.join(", ")))
            }
            _ => None,
        }
    }
}

fn refusal_hint(refusal: &AuthorizationError) -> Option<String> {
    match refusal {
        AuthorizationError::Untrusted { .. } => {
            Some("an operator can trust the folder with `toolscout trust`".to_owned())
        }
        AuthorizationError::Quarantined { tool, .. } => Some(review_hint(tool)),
        AuthorizationError::NeedsApproval { approval_id: Some(id), .. } => Some(format!(
            "an operator can approve this call within five minutes with `toolscout approve {id}`"
        )),
        AuthorizationError::Denied { .. } | AuthorizationError::Disabled { .. } => {
            Some("run `toolscout policy` to see which level decided".to_owned())
        }
        _ => None,
    }
}

/// The commands to review and approve a tool. A name with special characters of the shell is
/// replaced, so that it cannot be copied into a command line.
fn review_hint(tool: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/._-".contains(c);
    let shown = if tool.chars().all(is_plain) { tool } else { "TOOL" };
    format!(
        "an operator can review it with `toolscout review` and approve it with `toolscout approve {shown}`"
    )
}

fn list(ids: &[ToolId]) -> String {
    ids.iter()
        .map(|id| format!("`{}`", escape::line(&id.to_string())))
        .collect::<Vec<_>>()
        .join(" or ")
}
