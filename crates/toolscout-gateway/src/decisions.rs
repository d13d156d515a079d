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
        let change = start_change(
            cx,
            definition_change(tool.to_string(), "approved", format!("approve `{tool}`")),
        )?;
        self.publisher.approvals.approve(tool, seen, &cx.decider())?;
        self.publisher.review_again(&tool.source);
        change.commit();
        Ok(())
    }

    /// Rejects the definition of a tool, quarantined or approved: it is quarantined from now on. If
    /// `seen` is given, only if that is the quarantined definition.
    pub fn reject(&self, tool: &ToolId, seen: Option<Digest>, cx: &Cx) -> Result<(), Error> {
        let quarantined = || {
            self.quarantined()
                .into_iter()
                .find(|quarantined| quarantined.id == *tool)
                .map(|quarantined| quarantined.digest)
        };
        if seen.is_some() && quarantined() != seen {
            return Err(Error::ChangedAgain { tool: tool.clone() });
        }
        let change = start_change(
            cx,
            definition_change(tool.to_string(), "rejected", format!("reject `{tool}`")),
        )?;
        self.publisher.approvals.reject(tool, &cx.decider())?;
        self.publisher.review_again(&tool.source);
        change.commit();
        Ok(())
    }

    /// Approves every definition that a source has now, also if the record of earlier approvals is
    /// unreliable, but none if the caller has not seen one of them. Returns the number of tools
    /// released.
    pub fn accept_all(
        &self,
        source: &SourceId,
        is_seen: impl Fn(&ToolId, Digest) -> bool,
        cx: &Cx,
    ) -> Result<usize, Error> {
        let (review, tools) = self
            .publisher
            .unreviewed_tools(source)
            .ok_or_else(|| Error::NotUnderReview { source_id: source.clone() })?;
        let summary = format!("approve all tools of `{source}`");
        let change =
            start_change(cx, definition_change(format!("{source}/*"), "approved", summary))?;
        let approvals = &self.publisher.approvals;
        let released = approvals.accept_all(source, &review, &tools, is_seen, &cx.decider())?;
        self.publisher.review_again(source);
        change.commit();
        Ok(released)
    }

    /// Rejects every quarantined definition of a source, but none if the caller has not seen one of
    /// them. Returns the number of these tools.
    pub fn reject_all(
        &self,
        source: &SourceId,
        is_seen: impl Fn(&ToolId, Digest) -> bool,
        cx: &Cx,
    ) -> Result<usize, Error> {
        let quarantined: Vec<_> = self
            .quarantined()
            .into_iter()
            .filter(|quarantined| quarantined.id.source == *source)
            .collect();
        if let Some(unseen) = quarantined.iter().find(|tool| !is_seen(&tool.id, tool.digest)) {
            return Err(Error::ChangedAgain { tool: unseen.id.clone() });
        }
        let summary = format!("reject all quarantined tools of `{source}`");
        let change =
            start_change(cx, definition_change(format!("{source}/*"), "rejected", summary))?;
        quarantined
            .iter()
            .try_for_each(|quarantined| self.reject(&quarantined.id, None, change.cx()))?;
        change.commit();
        Ok(quarantined.len())
    }

    /// Applies decisions about definitions that other processes have made. The catalog changes in
    /// one step; calls that run already continue.
    pub fn apply_decisions(&self) {
        self.publisher.review_all_again();
    }

    /// Approves or rejects a pending call, by the id of its approval.
    pub fn decide_approval(
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
        let change = start_change(
            cx,
            PlannedChange { kind: ChangeKind::Call, subject: tool.to_string(), action, summary },
        )?;
        let decided = self.pending_approvals.decide(id, approves, &cx.decider())?;
        change.commit();
        Ok(decided)
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
        let action = update.policy.map_or("unset", Policy::as_str);
        let summary = match update.policy {
            Some(policy) => {
                format!("set the policy of `{}` to {}", update.pattern, policy.as_str())
            }
            None => format!("unset the policy of `{}`", update.pattern),
        };
        let change = PlannedChange {
            kind: ChangeKind::Policy,
            subject: update.pattern.clone(),
            action,
            summary,
        };
        let change = start_change(cx, change)?;
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
    pub fn delete_feedback(
        &self,
        subject: &str,
        cx: &Cx,
        selects: impl Fn(&ToolId) -> bool,
    ) -> Result<usize, Error> {
        let summary = format!("erase {subject}");
        let subject = subject.to_owned();
        let change = cx.change(PlannedChange {
            kind: ChangeKind::Feedback,
            subject,
            action: "removed",
            summary,
        })?;
        let count = self.learning.delete(&self.owner(cx), selects)?;
        change.commit();
        Ok(count)
    }
}

fn definition_change(subject: String, action: &'static str, summary: String) -> PlannedChange {
    PlannedChange { kind: ChangeKind::Definition, subject, action, summary }
}

fn start_change(cx: &Cx, change: PlannedChange) -> Result<ChangeGuard, Error> {
    refuse_agents(cx)?;
    Ok(cx.change(change)?)
}

fn refuse_agents(cx: &Cx) -> Result<(), Error> {
    if cx.caller == Caller::Mcp { Err(Error::NotForAgents) } else { Ok(()) }
}
