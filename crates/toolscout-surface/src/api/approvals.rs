//! Calls that wait for a person's word.

use super::asked::Asked;
use super::{Route, Trouble};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use toolscout_gateway::Pending;

/// A call that waits.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Approval {
    id: String,
    /// `source/name`.
    tool: String,
    /// What it would be called with; what names a secret is hidden.
    arguments: Value,
    /// Through which door it came: `mcp`, `http` or `cli`.
    caller: &'static str,
    /// Whom the door has recognised.
    #[serde(skip_serializing_if = "Option::is_none")]
    user: Option<String>,
    asked: String,
    /// From when on an answer counts no more.
    expires: String,
}

#[derive(Serialize, JsonSchema)]
struct All {
    approvals: Vec<Approval>,
}

#[derive(Serialize, JsonSchema)]
struct Settled {
    approval: Approval,
    /// `approved` or `denied`.
    decision: &'static str,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Settle {
    decision: Decision,
}

#[derive(Deserialize, JsonSchema, PartialEq)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
enum Decision {
    /// This very call may be made, once, within five minutes.
    Approve,
    /// It may not.
    Deny,
}

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::get("/api/approvals", "Calls that wait for a person's word, oldest first", list).operator(),
        Route::told("POST", "/api/approvals/{id}", "Say yes or no to a call that waits", settle).operator(),
    ]
}

async fn list(asked: Asked) -> Result<All, Trouble> {
    let pending = asked.api.desk.everything().pending()?;
    Ok(All { approvals: pending.iter().filter(|it| it.answer.is_none()).map(Approval::from).collect() })
}

async fn settle(asked: Asked, settle: Settle) -> Result<Settled, Trouble> {
    let yes = settle.decision == Decision::Approve;
    let settled = asked.api.desk.everything().settle(asked.part("id"), yes, &asked.cx)?;
    Ok(Settled { approval: Approval::from(&settled), decision: if yes { "approved" } else { "denied" } })
}

impl From<&Pending> for Approval {
    fn from(pending: &Pending) -> Self {
        let question = &pending.question;
        Self {
            id: question.id.clone(),
            tool: question.tool.to_string(),
            arguments: question.arguments.clone(),
            caller: question.caller.word(),
            user: question.user.as_deref().map(str::to_owned),
            asked: question.asked.to_string(),
            expires: question.expires.to_string(),
        }
    }
}
