//! Calls that wait for a person's word.

use super::asked::Asked;
use super::{OperationError, Route};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolscout_core::door::PendingApproval;

#[derive(Serialize, JsonSchema)]
struct All {
    approvals: Vec<PendingApproval>,
}

#[derive(Serialize, JsonSchema)]
struct Settled {
    approval: PendingApproval,
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

async fn list(asked: Asked) -> Result<All, OperationError> {
    let pending = asked.api.desk.everything().pending()?;
    Ok(All { approvals: pending.into_iter().filter(|pending| pending.answer.is_none()).collect() })
}

async fn settle(asked: Asked, settle: Settle) -> Result<Settled, OperationError> {
    let yes = settle.decision == Decision::Approve;
    let approval = asked.api.desk.everything().answer_approval(asked.part("id"), yes, &asked.cx)?;
    Ok(Settled { approval, decision: if yes { "approved" } else { "denied" } })
}
