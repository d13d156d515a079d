//! The gate that every change passes: it stops dry runs, and emits exactly one audit event for each
//! change.
//!
//! A mutator calls [`Cx::change`] first, makes its change, and then commits the guard it got:
//!
//! ```
//! # use toolscout_core::change::{ChangeKind, DryRun, PlannedChange};
//! # use toolscout_core::{Caller, Cx};
//! fn deny(tool: &str, cx: &Cx) -> Result<(), DryRun> {
//!     let change = cx.change(PlannedChange {
//!         kind: ChangeKind::Policy,
//!         subject: tool.to_owned(),
//!         action: "deny",
//!         summary: format!("set the policy of `{tool}` to deny"),
//!     })?;
//!     // Write the policy here. Other mutators called on the way get `change.cx()`, so that they
//!     // leave no event of their own.
//!     change.commit();
//!     Ok(())
//! }
//! # let cx = Cx { dry_run: true, ..Cx::new(Caller::Cli) };
//! # let refused = deny("mail/send", &cx).unwrap_err().to_string();
//! # assert_eq!(refused, "dry run: would set the policy of `mail/send` to deny");
//! ```

#[cfg(test)]
mod tests;

use crate::Cx;
use std::error::Error;

/// A change that is about to be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlannedChange {
    /// The kind of object that changes.
    pub kind: ChangeKind,
    /// The object: the id of a tool or a server, a path, a pattern.
    pub subject: String,
    /// The word for the change in the audit log: `approved`, `added`, `deny`.
    pub action: &'static str,
    /// The change in words, as an imperative: "set the policy of `x` to deny".
    pub summary: String,
}

/// The kind of object that a change is about. The words appear in the audit log and in metrics.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ChangeKind {
    /// A call that waits for approval.
    Call,
    /// The configuration of another MCP client.
    Client,
    /// The definition of a tool.
    Definition,
    /// Files that are written for another program.
    Export,
    /// The records of relevance feedback.
    Feedback,
    /// The database of a fleet.
    Fleet,
    /// The lock file of a project.
    Lock,
    /// The login at a server.
    Login,
    /// The manifest of a folder.
    Manifest,
    /// A policy.
    Policy,
    /// Tools that another program registers.
    Registration,
    /// A server entry, or a running server.
    Server,
    /// A stored secret.
    Secret,
    /// Settings in a configuration file.
    Settings,
    /// The file of a tool.
    Tool,
    /// An access token.
    Token,
    /// The trust in a folder.
    Trust,
}

impl ChangeKind {
    /// The word in the audit log and in metrics.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Call => "call",
            Self::Client => "client",
            Self::Definition => "definition",
            Self::Export => "export",
            Self::Fleet => "fleet",
            Self::Feedback => "feedback",
            Self::Lock => "lock",
            Self::Login => "login",
            Self::Manifest => "manifest",
            Self::Policy => "policy",
            Self::Registration => "registration",
            Self::Server => "server",
            Self::Secret => "secret",
            Self::Settings => "settings",
            Self::Tool => "tool",
            Self::Token => "token",
            Self::Trust => "trust",
        }
    }
}

/// Permission to make one change. If it is dropped without [`ChangeGuard::commit`], the change has
/// failed and emits no event.
#[must_use = "commit the guard once the change is made; an uncommitted change leaves no audit event"]
pub struct ChangeGuard {
    change: PlannedChange,
    cx: Cx,
    is_nested: bool,
}

impl ChangeGuard {
    /// The planned change.
    pub fn planned(&self) -> &PlannedChange {
        &self.change
    }

    /// The context for mutators that are called as a part of this change. They emit no audit event
    /// of their own.
    pub fn cx(&self) -> &Cx {
        &self.cx
    }

    /// Reports that the change was made: emits its audit event, unless it is a part of another
    /// change.
    pub fn commit(self) {
        if !self.is_nested {
            self.cx.emit_decision(
                self.change.kind.as_str(),
                self.change.subject,
                self.change.action,
            );
        }
    }
}

/// The change that a request would have made if it were not a dry run.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("dry run: would {}", .0.summary)]
pub struct DryRun(pub PlannedChange);

impl DryRun {
    /// The dry run that ended a request, if it is a cause of this error.
    pub fn find<'a>(error: &'a (dyn Error + 'static)) -> Option<&'a Self> {
        let mut causes = std::iter::successors(Some(error), |error: &&'a (dyn Error + 'static)| {
            (*error).source()
        });
        causes.find_map(|error| error.downcast_ref())
    }
}

impl Cx {
    /// Requests permission for a change. Call this after validating the request and before writing
    /// anything.
    pub fn change(&self, change: PlannedChange) -> Result<ChangeGuard, DryRun> {
        if self.dry_run {
            return Err(DryRun(change));
        }
        Ok(ChangeGuard {
            change,
            cx: Cx { in_change: true, ..self.clone() },
            is_nested: self.in_change,
        })
    }
}
