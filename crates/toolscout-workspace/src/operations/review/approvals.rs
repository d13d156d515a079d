//! `approval list` and `approval decide`: pending approvals.

use crate::Workspace;
use crate::operations::policy::{
    ChangedPolicy, PolicyLevel, PolicyValue, SetPolicy, SetPolicyInput,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::io;
use toolscout_core::authorization::{PendingApproval, Policy};
use toolscout_core::{Cx, escape};
use toolscout_gateway::policy::LevelName;
use toolscout_surface::cli::Style;
use toolscout_surface::operation::{
    Access, CommandName, ErrorCode, Operation, OperationError, OperationSpec, Text,
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
        commands: &[
            CommandName::new("approval list").preset(&[("decided", "true")]),
            CommandName::new("approval")
                .summary("List calls that wait for an approval")
                .preset(&[("decided", "true")]),
        ],
        examples: &["toolscout approval list", "toolscout approval"],
        ..OperationSpec::read("approval list", "List pending approvals", "/api/approvals")
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

    fn text(output: &PendingApprovals, text: &Text) -> String {
        output.approvals.iter().map(|pending| lines(pending, text.style)).collect()
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

fn lines(pending: &PendingApproval, style: Style) -> String {
    let answer = match pending.approved {
        Some(true) => ", approved",
        Some(false) => ", rejected",
        None => "",
    };
    let words = pending.rest.iter().map(|word| format!(" {word}")).collect::<String>();
    let rest = if words.is_empty() { words } else { format!(" --{words}") };
    let (id, tool) = (escape::line(&pending.id), pending.tool.to_string());
    let arguments = json::compact(&pending.arguments);
    let call = format!("{tool} {arguments}{rest}");
    let (call, caller, expires) = (escape::line(&call), pending.caller.as_str(), pending.expires);
    let id = style.bold(&id);
    format!("{id}  {call}\n  requested by {caller}, valid until {expires}{answer}\n")
}

/// Approve or reject a pending call.
pub(crate) struct DecideApproval;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct DecideApprovalInput {
    /// The id of the pending approval.
    #[schemars(extend("x-cli" = {"positional": true}))]
    id: String,
    /// Approve or reject the call.
    #[schemars(extend("x-cli" = {"positional": true}))]
    decision: ApprovalDecision,
    /// Also set the policy of the tool to `allow` at this level, so that its next calls need no approval.
    #[serde(default)]
    always: Option<PolicyLevel>,
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
    /// The new policy of the tool, if it was changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    policy: Option<ChangedPolicy>,
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
        let gateway = workspace.full_gateway().await?;
        let policy = match input.always {
            Some(_) if !is_approved => {
                return Err(OperationError::invalid("`always` is only valid with `approve`"));
            }
            Some(level) => {
                let pending = gateway.pending()?.into_iter().find(|pending| pending.id == input.id);
                let unknown = || OperationError::not_found("Approval");
                let tool = pending.ok_or_else(unknown)?.tool.to_string();
                Some(allow_always(workspace, tool, level, cx).await?)
            }
            None => None,
        };
        let approval = gateway.decide_approval(&input.id, is_approved, cx)?;
        Ok(DecidedApproval {
            approval,
            decision: if is_approved { "approved" } else { "rejected" },
            policy,
        })
    }

    fn text(output: &DecidedApproval, _: &Text) -> String {
        format!(
            "The call of {} is {}.\n",
            escape::line(&output.approval.tool.to_string()),
            output.decision
        )
    }
}

/// Sets the policy of the tool to `allow`. Fails, and approves nothing, if another level still
/// requires approval: the operator would be asked again.
async fn allow_always(
    workspace: &Workspace,
    tool: String,
    level: PolicyLevel,
    cx: &Cx,
) -> Result<ChangedPolicy, OperationError> {
    let gateway = workspace.full_gateway().await?;
    let (snapshot, policies) = (gateway.full_snapshot(), gateway.policies());
    let id = snapshot.resolve(&tool).map(|tool| tool.id.clone());
    let stricter = id.ok().and_then(|id| {
        let others = LevelName::ALL.into_iter().filter(|other| *other != level.into());
        others.into_iter().find(|other| policies.value(*other, &id) > Some(Policy::Allow))
    });
    if let Some(other) = stricter {
        let message = format!(
            "the {} level sets a stricter policy for `{}`",
            other.as_str(),
            escape::line(&tool)
        );
        let hint = format!("allow it at the {} level instead", other.as_str());
        return Err(OperationError::new(ErrorCode::Conflict, message).hint(hint));
    }
    let policy = Some(PolicyValue::Allow);
    SetPolicy::run(workspace, SetPolicyInput { pattern: tool, policy, level }, cx).await
}
