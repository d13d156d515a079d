//! The stored form of a pending approval.

use super::APPROVAL_LIFETIME;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use toolscout_core::authorization::PendingApproval;
use toolscout_core::{Caller, Digest, Moment, ShareKey, SourceId, ToolId, ToolName};

#[derive(Serialize, Deserialize)]
pub(super) struct ApprovalRow {
    /// The keyed hash of everything the approval is bound to.
    pub(super) binding: String,
    pub(super) answer: Option<bool>,
    pub(super) expires: Moment,
    id: String,
    source: String,
    tool: String,
    digest: String,
    /// For display to the operator; secrets are redacted.
    arguments: Value,
    rest: Vec<String>,
    caller: String,
    user: Option<String>,
    asked: Moment,
}

impl ApprovalRow {
    pub(super) fn new(question: &PendingApproval, binding: String) -> Self {
        Self {
            binding,
            answer: None,
            expires: question.expires,
            id: question.id.clone(),
            source: question.tool.source.as_str().to_owned(),
            tool: question.tool.name.as_str().to_owned(),
            digest: question.digest.to_string(),
            arguments: question.arguments.clone(),
            rest: question.rest.clone(),
            caller: question.caller.word().to_owned(),
            user: question.user.as_deref().map(str::to_owned),
            asked: question.asked,
        }
    }

    /// Whether the row is still valid. A row from the future is not: setting the clock back must
    /// not prolong an approval.
    pub(super) fn counts(&self, now: Moment) -> bool {
        self.asked <= now && now < self.expires && self.expires <= now.after(PATIENCE)
    }

    pub(super) fn pending(&self) -> Option<PendingApproval> {
        let id = ToolId::new(SourceId::new(&self.source).ok()?, ToolName::new(&self.tool).ok()?);
        let caller = [Caller::Cli, Caller::Mcp, Caller::Http]
            .into_iter()
            .find(|item| item.as_str() == self.caller)?;
        Some(PendingApproval {
            id: self.id.clone(),
            tool: id,
            digest: Digest::from_hex(&self.digest)?,
            arguments: self.arguments.clone(),
            rest: self.rest.clone(),
            caller,
            user: self.user.as_deref().map(Into::into),
            requested_at: self.asked,
            expires: self.expires,
            approved: self.answer,
        })
    }
}
