//! The stored form of a pending approval.

use super::APPROVAL_LIFETIME;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use toolscout_core::authorization::PendingApproval;
use toolscout_core::{
    Caller, Digest, Moment, ShareKey, SourceId, ToolId, ToolName, UnknownFields, is_newer_row,
};

/// The major version of a row. One without a version has this one.
const VERSION: u32 = 1;

#[derive(Serialize, Deserialize)]
pub(super) struct ApprovalRow {
    #[serde(default = "version")]
    version: u32,
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
    /// The session or the name of the client; absent in old rows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    client: Option<String>,
    /// The name that the client reports, for display; absent in old rows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    client_name: Option<String>,
    asked: Moment,
    #[serde(flatten)]
    unknown: UnknownFields,
}

fn version() -> u32 {
    VERSION
}

impl ApprovalRow {
    pub(super) fn new(pending: &PendingApproval, binding: String, requester: &ShareKey) -> Self {
        Self {
            version: VERSION,
            binding,
            answer: None,
            expires: pending.expires,
            id: pending.id.clone(),
            source: pending.tool.source.as_str().to_owned(),
            tool: pending.tool.name.as_str().to_owned(),
            digest: pending.digest.to_string(),
            arguments: pending.arguments.clone(),
            rest: pending.rest.clone(),
            caller: pending.caller.as_str().to_owned(),
            user: pending.user.as_deref().map(str::to_owned),
            client: requester.client.as_deref().map(str::to_owned),
            client_name: pending.client.as_deref().map(str::to_owned),
            asked: pending.requested_at,
            unknown: UnknownFields::default(),
        }
    }

    /// Reads a row of this major version.
    pub(super) fn read(text: &str) -> Option<Self> {
        serde_json::from_str(text).ok().filter(|row: &Self| row.version == VERSION)
    }

    /// Whether a later version wrote the row.
    pub(super) fn is_newer(text: &str) -> bool {
        is_newer_row(text.as_bytes(), VERSION)
    }

    /// Whether the row is still valid. A row from the future is not: setting the clock back must
    /// not prolong an approval.
    pub(super) fn is_valid(&self, now: Moment) -> bool {
        self.asked <= now && now < self.expires && self.expires <= now.after(APPROVAL_LIFETIME)
    }

    /// Whether the row can be removed. A row from the future stays: the clock of this machine may be
    /// behind that of the one that wrote it.
    pub(super) fn is_expired(&self, now: Moment) -> bool {
        self.expires <= now
    }

    /// The client that requested the approval.
    pub(super) fn requester(&self) -> ShareKey {
        let text = |text: &Option<String>| text.as_deref().map(Into::into);
        ShareKey { principal: text(&self.user), client: text(&self.client) }
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
            client: self.client_name.as_deref().map(Into::into),
            requested_at: self.asked,
            expires: self.expires,
            approved: self.answer,
        })
    }
}
