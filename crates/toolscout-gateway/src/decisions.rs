//! Decisions about definitions, pending calls, policies and relevance feedback.
//!
//! Each method checks the request, passes the gate for changes ([`Cx::change`]), makes the change,
//! and leaves one audit event. Agents decide nothing.

use crate::policy::{LevelName, PolicyUpdate};
use crate::{Error, Gateway};
use toolscout_core::authorization::{PendingApproval, Policy};
use toolscout_core::change::{ChangeGuard, ChangeKind, PlannedChange};
use toolscout_core::{Caller, Cx, Digest, SourceId, ToolId};

impl Gateway {
    /// Approves the quarantined definition of a tool; if `seen` is given, only that one.
    pub fn approve(&self, tool: &ToolId, seen: Option<Digest>, cx: &Cx) -> Result<(), Error> {
        let change =
            begin(cx, definition(tool.to_string(), "approved", format!("approve `{tool}`")))?;
        self.publisher.approvals.approve(tool, seen)?;
        self.publisher.review_again(&tool.source);
        change.commit();
        Ok(())
    }

    /// Rejects the definition of a tool, quarantined or approved: it is quarantined from now on. If
    /// `seen` is given, only if that is the quarantined definition.
    pub fn reject(&self, tool: &ToolId, seen: Option<Digest>, cx: &Cx) -> Result<(), Error> {
        let held = || self.held().into_iter().find(|held| held.id == *tool).map(|held| held.digest);
        if seen.is_some() && held() != seen {
            return Err(Error::ChangedAgain { tool: tool.clone() });
        }
        let change =
            begin(cx, definition(tool.to_string(), "rejected", format!("reject `{tool}`")))?;
        self.publisher.approvals.reject(tool)?;
        self.publisher.review_again(&tool.source);
        change.commit();
        Ok(())
    }

    /// Approves every definition that a source has now, also if the record of earlier approvals is
    /// unreliable. Returns the number of tools released.
    pub fn accept_all(&self, source: &SourceId, cx: &Cx) -> Result<usize, Error> {
        let (review, tools) = self
            .publisher
            .found(source)
            .ok_or_else(|| Error::NotUnderReview { source_id: source.clone() })?;
        let summary = format!("approve all tools of `{source}`");
        let change = begin(cx, definition(format!("{source}/*"), "approved", summary))?;
        let released = self.publisher.approvals.accept_all(source, &review, &tools)?;
        self.publisher.review_again(source);
        change.commit();
        Ok(released)
    }

    /// Rejects every quarantined definition of a source. Returns the number of these tools.
    pub fn reject_all(&self, source: &SourceId, cx: &Cx) -> Result<usize, Error> {
        let held: Vec<_> =
            self.held().into_iter().filter(|held| held.id.source == *source).collect();
        let summary = format!("reject all quarantined tools of `{source}`");
        let change = begin(cx, definition(format!("{source}/*"), "rejected", summary))?;
        held.iter().try_for_each(|held| self.reject(&held.id, None, change.cx()))?;
        change.commit();
        Ok(held.len())
    }

    /// Approves or rejects a pending call, by the id of its approval.
    pub fn answer_approval(
        &self,
        id: &str,
        approves: bool,
        cx: &Cx,
    ) -> Result<PendingApproval, Error> {
        refuse_agents(cx)?;
        let pending =
            self.pending_approvals.pending()?.into_iter().find(|pending| pending.id == id);
        let tool = pending.ok_or_else(|| Error::UnknownApproval { id: id.to_owned() })?.tool;
        let (action, verb) =
            if approves { ("approved", "approve") } else { ("rejected", "reject") };
        let summary = format!("{verb} the call {id} of `{tool}`");
        let change = begin(
            cx,
            PlannedChange { kind: ChangeKind::Call, subject: tool.to_string(), action, summary },
        )?;
        let answered = self.pending_approvals.settle(id, approves)?;
        change.commit();
        Ok(answered)
    }

    /// Sets or clears a policy. The levels of the user and of the project are files, which `write`
    /// edits and reloads; the level of the session is changed here.
    pub async fn set_policy<E: From<Error>, F: Future<Output = Result<(), E>>>(
        &self,
        update: PolicyUpdate,
        cx: &Cx,
        write: impl FnOnce(PolicyUpdate) -> F,
    ) -> Result<(), E> {
        self.policies().check(&update)?;
        let action = update.policy.map_or("unset", Policy::word);
        let summary = match update.policy {
            Some(policy) => format!("set the policy of `{}` to {}", update.pattern, policy.word()),
            None => format!("unset the policy of `{}`", update.pattern),
        };
        let change = PlannedChange {
            kind: ChangeKind::Policy,
            subject: update.pattern.clone(),
            action,
            summary,
        };
        let change = begin(cx, change)?;
        if update.level == LevelName::Session {
            self.publisher.change_policies(|policies| {
                let level = policies.level(LevelName::Session).clone();
                let level = match update.policy {
                    Some(policy) => level.rule(update.pattern.as_str(), policy),
                    None => level.without(&update.pattern),
                };
                policies.clone().with(LevelName::Session, level)
            });
        } else {
            write(update).await?;
        }
        change.commit();
        Ok(())
    }

    /// Deletes the relevance feedback about these tools for the caller. `subject` names them for
    /// the audit log. Returns the number of records deleted.
    pub fn forget_lessons(
        &self,
        subject: &str,
        cx: &Cx,
        is_meant: impl Fn(&ToolId) -> bool,
    ) -> Result<usize, Error> {
        let summary = format!("forget {subject}");
        let subject = subject.to_owned();
        let change = cx.change(PlannedChange {
            kind: ChangeKind::Feedback,
            subject,
            action: "removed",
            summary,
        })?;
        let count = self.learning.forget(&self.owner(cx), is_meant)?;
        change.commit();
        Ok(count)
    }
}

fn definition(subject: String, action: &'static str, summary: String) -> PlannedChange {
    PlannedChange { kind: ChangeKind::Definition, subject, action, summary }
}

fn begin(cx: &Cx, change: PlannedChange) -> Result<ChangeGuard, Error> {
    refuse_agents(cx)?;
    Ok(cx.change(change)?)
}

fn refuse_agents(cx: &Cx) -> Result<(), Error> {
    if cx.caller == Caller::Mcp { Err(Error::NotForAgents) } else { Ok(()) }
}
