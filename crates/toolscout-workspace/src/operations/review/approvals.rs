//! `approval list` and `approval decide`: pending approvals.

use crate::Workspace;
use crate::fleet::ChangeReach;
use crate::operations::policy::{
    ChangedPolicy, PolicyLevel, PolicyValue, SetPolicy, SetPolicyInput,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::io;
use toolscout_core::authorization::{PendingApproval, Policy};
use toolscout_core::{Cx, Moment, Namespace, escape};
use toolscout_gateway::policy::LevelName;
use toolscout_surface::cli::Style;
use toolscout_surface::operation::{
    Access, CommandName, ErrorCode, Operation, OperationError, OperationSpec, Text,
};
use toolscout_surface::output::table::{Cell, table};
use toolscout_surface::output::{age, counted, json};

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
        if text.is_terminal {
            return approval_table(&output.approvals, text);
        }
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

/// The columns for a terminal. The arguments have lines of their own below, because the operator
/// has to see all of them.
fn approval_table(approvals: &[PendingApproval], text: &Text) -> String {
    let rows: Vec<_> = approvals.iter().map(row).collect();
    let table = table(&rows, text);
    let with_call = |(row, pending): (&str, &PendingApproval)| {
        let call = escape::line(&arguments(pending)).into_owned();
        format!("{row}\n    {}\n", text.style.faint(&call))
    };
    table.lines().zip(approvals).map(with_call).collect()
}

fn row(pending: &PendingApproval) -> Vec<Cell> {
    let now = Moment::now();
    let state = match pending.approved {
        Some(true) => "approved",
        Some(false) => "rejected",
        None => "pending",
    };
    let times = format!(
        "{} ago, expires in {}",
        age(pending.requested_at.age(now)),
        age(now.age(pending.expires))
    );
    vec![
        Cell::id(escape::line(&pending.id)),
        Cell::text(escape::line(&pending.tool.to_string())),
        Cell::state(state),
        Cell::text(escape::line(&requester(pending))),
        Cell::faint(times),
    ]
}

/// The client that requested the call, as it names itself, and its user.
fn requester(pending: &PendingApproval) -> String {
    let client = pending.client.as_deref().unwrap_or(pending.caller.as_str());
    match pending.user.as_deref() {
        Some(user) => format!("{client} ({user})"),
        None => client.to_owned(),
    }
}

/// The arguments as JSON, and those after `--`.
fn arguments(pending: &PendingApproval) -> String {
    let words = pending.rest.iter().map(|word| format!(" {word}")).collect::<String>();
    let rest = if words.is_empty() { words } else { format!(" --{words}") };
    format!("{}{rest}", json::compact(&pending.arguments))
}

fn lines(pending: &PendingApproval, style: Style) -> String {
    let answer = match pending.approved {
        Some(true) => ", approved",
        Some(false) => ", rejected",
        None => "",
    };
    let id = escape::line(&pending.id);
    let call = format!("{} {}", pending.tool, arguments(pending));
    let (call, expires) = (escape::line(&call), pending.expires);
    let (id, requester) = (style.bold(&id), requester(pending));
    let requester = escape::line(&requester);
    format!("{id}  {call}\n  requested by {requester}, valid until {expires}{answer}\n")
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
#[serde(rename_all = "camelCase")]
pub(crate) struct DecidedApproval {
    approval: PendingApproval,
    /// `approved` or `rejected`.
    decision: &'static str,
    /// The new policy of the tool, if it was changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    policy: Option<ChangedPolicy>,
    /// After a rejection in a fleet: the replicas where it is in force.
    #[serde(skip_serializing_if = "Option::is_none")]
    in_force: Option<ChangeReach>,
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
        let in_force = if is_approved {
            None
        } else {
            ChangeReach::of(&workspace.environment, Namespace::Pending).await
        };
        Ok(DecidedApproval {
            approval,
            in_force,
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
