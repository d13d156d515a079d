//! `approval list` and `approval decide`: pending approvals.

use crate::Workspace;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::io;
use toolscout_core::authorization::PendingApproval;
use toolscout_core::{Cx, escape};
use toolscout_surface::operation::{
    Access, CommandName, Operation, OperationError, OperationSpec, Text,
};
use toolscout_surface::output::counted;
use toolscout_surface::output::json;

/// List pending approvals.
pub(crate) struct ListApprovals;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ListApprovalsInput {
    /// Include approvals that are decided already.
    #[serde(default)]
    #[schemars(extend("x-cli" = {"skip": true}))]
    decided: bool,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct PendingApprovals {
    /// The approvals, oldest first.
    approvals: Vec<PendingApproval>,
    #[serde(skip)]
    quarantined: usize,
}

impl Operation<Workspace> for ListApprovals {
    type Input = ListApprovalsInput;
    type Output = PendingApprovals;

    const SPEC: OperationSpec = OperationSpec {
        access: Access::Operator,
        commands: &[CommandName::new("approval list").preset(&[("answered", "true")])],
        examples: &["toolscout approval list"],
        ..OperationSpec::read(
            "approval list",
            "List calls that wait for approval",
            "/api/approvals",
        )
    };

    async fn run(
        workspace: &Workspace,
        input: ListApprovalsInput,
        _: &Cx,
    ) -> Result<PendingApprovals, OperationError> {
        let gateway = workspace.full_gateway().await?;
        let mut approvals = gateway.pending()?;
        approvals.retain(|pending| input.decided || pending.approved.is_none());
        Ok(PendingApprovals { approvals, quarantined: gateway.quarantined().len() })
    }

    fn text(output: &PendingApprovals, _: &Text) -> String {
        output.approvals.iter().map(lines).collect()
    }

    fn write_json(output: &PendingApprovals, writer: &mut dyn io::Write) -> io::Result<()> {
        json::write(writer, &output.approvals)
    }

    fn notes(output: &PendingApprovals) -> Vec<String> {
        let nothing = output.approvals.is_empty().then(|| "No pending approvals.".to_owned());
        let tools =
            |count| format!("{} quarantined: run `toolscout review`", counted(count, "tool"));
        nothing
            .into_iter()
            .chain((output.quarantined > 0).then(|| tools(output.quarantined)))
            .collect()
    }
}

fn lines(pending: &PendingApproval) -> String {
    let answer = match pending.answer {
        Some(true) => ", approved",
        Some(false) => ", rejected",
        None => "",
    };
    let words = pending.rest.iter().map(|word| format!(" {word}")).collect::<String>();
    let rest = if words.is_empty() { words } else { format!(" --{words}") };
    let (id, tool) = (escape::line(&pending.id), pending.tool.to_string());
    let arguments = json::compact(&pending.arguments);
    let call = format!("{tool} {arguments}{rest}");
    let (call, caller, expires) = (escape::line(&call), pending.caller.word(), pending.expires);
    format!("{id}  {call}\n  asked by {caller}, good until {expires}{answer}\n")
}

/// Approve or reject a pending call.
pub(crate) struct DecideApproval;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct DecideApprovalInput {
    /// The id of the pending approval.
    #[schemars(extend("x-cli" = {"positional": true}))]
    id: String,
    #[schemars(extend("x-cli" = {"positional": true}))]
    decision: ApprovalDecision,
}

#[derive(Deserialize, JsonSchema, PartialEq)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
enum ApprovalDecision {
    /// Allow this call once, within five minutes.
    Approve,
    /// Refuse this call.
    Reject,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct DecidedApproval {
    approval: PendingApproval,
    /// `approved` or `rejected`.
    decision: &'static str,
}

impl Operation<Workspace> for DecideApproval {
    type Input = DecideApprovalInput;
    type Output = DecidedApproval;

    const SPEC: OperationSpec = OperationSpec {
        commands: CommandName::NONE,
        examples: &["POST /api/approvals/{id} {\"decision\": \"approve\"}"],
        ..OperationSpec::change(
            "approval decide",
            "Approve or reject a pending call",
            "POST",
            "/api/approvals/{id}",
        )
    };

    async fn run(
        workspace: &Workspace,
        input: DecideApprovalInput,
        cx: &Cx,
    ) -> Result<DecidedApproval, OperationError> {
        let is_approved = input.decision == ApprovalDecision::Approve;
        let approval = workspace.discovered().await?.answer_approval(&input.id, is_approved, cx)?;
        Ok(AnsweredApproval { approval, decision: if is_approved { "approved" } else { "denied" } })
    }

    fn text(output: &DecidedApproval, _: &Text) -> String {
        format!(
            "The call of {} is {}.\n",
            escape::line(&output.approval.tool.to_string()),
            output.decision
        )
    }
}
