//! `approve`, `reject` and `review accept`: decide about quarantined tools and pending approvals.

use super::quarantined::ReviewView;
use super::shown::ShownDefinitions;
use crate::Workspace;
use crate::fleet::ChangeReach;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use toolscout_core::change::{DryRun, PlannedChange};
use toolscout_core::{Caller, Cx, Digest, ErrorKind, Namespace, SourceId, ToolId, escape};
use toolscout_gateway::{Gateway, QuarantinedTool};
use toolscout_surface::operation::{
    CommandName, Confirm, ErrorCode, Operation, OperationError, OperationSpec, Text,
};
use toolscout_surface::output::counted;

/// Approve or reject quarantined tools and pending calls.
pub(crate) struct DecideReview;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct DecideReviewInput {
    /// A quarantined tool, or the id of a pending approval.
    #[serde(default)]
    #[schemars(extend("x-cli" = {"positional": true, "value": "TOOL"}))]
    tool: Option<String>,
    /// A source, for all its quarantined tools.
    #[serde(default)]
    #[schemars(extend("x-cli" = {"positional": true, "value": "SOURCE"}))]
    server: Option<String>,
    /// Approve or reject.
    decision: ReviewDecision,
    /// The digest of the reviewed definition. The decision fails if the definition has changed since.
    #[serde(default)]
    #[schemars(extend("x-cli" = {"skip": true}))]
    digest: Option<String>,
    /// With `server`: the digests of the reviewed definitions, by tool. The decision fails if a definition has changed since, or is not among them.
    #[serde(default)]
    #[schemars(extend("x-cli" = {"skip": true}))]
    digests: Option<BTreeMap<String, String>>,
}

#[derive(Serialize, Deserialize, JsonSchema, Clone, Copy, PartialEq)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
enum ReviewDecision {
    /// Release the tool from quarantine.
    Approve,
    /// Keep the tool quarantined.
    Reject,
}

/// The result of a decision.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DecidedReview {
    /// `approved` or `rejected`; `unchanged` in a dry run.
    decision: &'static str,
    /// The number of tools it applies to.
    tools: usize,
    /// After a rejection in a fleet: the replicas where it is in force.
    #[serde(skip_serializing_if = "Option::is_none")]
    in_force: Option<ChangeReach>,
    /// What was decided about, for people.
    #[serde(skip)]
    subject: String,
    /// The definition that is approved, if it was not shown before.
    #[serde(skip)]
    unseen: Option<ReviewView>,
    #[serde(skip)]
    planned: Option<PlannedChange>,
}

impl Operation<Workspace> for DecideReview {
    type Input = DecideReviewInput;
    type Output = DecidedReview;

    const SPEC: OperationSpec = OperationSpec {
        confirm: Confirm::AtTerminal,
        commands: &[
            CommandName::new("approve")
                .summary("Approve a quarantined tool, or a pending call")
                .preset(&[("decision", "\"approve\""), ("server", "null")])
                .required(&["tool"]),
            CommandName::new("reject")
                .summary("Reject a quarantined tool, or a pending call")
                .preset(&[("decision", "\"reject\""), ("server", "null")])
                .required(&["tool"]),
            CommandName::new("review accept")
                .summary("Approve all quarantined tools of a source")
                .preset(&[("decision", "\"approve\""), ("tool", "null")])
                .required(&["server"])
                .alias("review --accept"),
        ],
        notes: &[
            "Approving a tool approves the definition that `toolscout review` showed last. Approving a call allows that call once, within five minutes. A rejected tool stays quarantined until it is approved.",
        ],
        examples: &[
            "toolscout approve github/create_issue",
            "toolscout reject github/create_issue",
            "toolscout review accept github",
        ],
        ..OperationSpec::change(
            "review decide",
            "Approve or reject quarantined tools",
            "POST",
            "/api/reviews",
        )
    };

    async fn run(
        workspace: &Workspace,
        input: DecideReviewInput,
        cx: &Cx,
    ) -> Result<DecidedReview, OperationError> {
        let gateway = workspace.full_gateway().await?;
        let is_approved = input.decision == ReviewDecision::Approve;
        let decided = |tools, subject| DecidedReview {
            decision: if is_approved { "approved" } else { "rejected" },
            tools,
            in_force: None,
            subject,
            unseen: None,
            planned: None,
        };
        let digest = |text: String| {
            Digest::from_hex(&text)
                .ok_or_else(|| OperationError::invalid("`digest` must be a SHA-256 in hexadecimal"))
        };
        let seen_digest = input.digest.map(digest).transpose()?;
        match (input.tool, input.server) {
            (Some(id), None) if gateway.pending()?.iter().any(|pending| pending.id == id) => {
                let pending = gateway.decide_approval(&id, is_approved, cx)?;
                let decided = decided(0, format!("this call of {}", pending.tool));
                Ok(decided.when_in_force(workspace, Namespace::Pending).await)
            }
            (Some(name), None) => {
                let id = resolve(&gateway, &name)?;
                if !is_approved {
                    gateway.reject(&id, seen_digest, cx)?;
                    let decided = decided(1, id.to_string());
                    return Ok(decided.when_in_force(workspace, Namespace::Approval).await);
                }
                let (seen_digest, tool) =
                    shown_definition(workspace, &gateway, &id, seen_digest, cx);
                let unseen = tool.as_ref().map(ReviewView::from);
                match gateway.approve(&id, seen_digest, cx) {
                    Ok(()) => Ok(DecidedReview { unseen, ..decided(1, id.to_string()) }),
                    Err(error) => match DryRun::find(&error).filter(|_| unseen.is_some()) {
                        Some(DryRun(planned)) => {
                            let planned = Some(planned.clone());
                            Ok(DecidedReview {
                                decision: "unchanged",
                                unseen,
                                planned,
                                ..decided(0, id.to_string())
                            })
                        }
                        None => Err(error.into()),
                    },
                }
            }
            (None, Some(source)) if seen_digest.is_none() => {
                let source =
                    SourceId::new(&source).map_err(|_| OperationError::not_found("Server"))?;
                let is_seen = seen_definitions(workspace, &source, input.digests, cx);
                let count = if is_approved {
                    gateway.accept_all(&source, is_seen, cx)?
                } else {
                    gateway.reject_all(&source, is_seen, cx)?
                };
                let decided = decided(count, format!("{} of {source}", counted(count, "tool")));
                Ok(decided.when_in_force(workspace, Namespace::Approval).await)
            }
            (None, Some(_)) => Err(OperationError::invalid("`digest` is only valid with `tool`")),
            _ => {
                let error = OperationError::invalid("use either `tool` or `server`");
                Err(error
                    .hint("run `toolscout approval list` for pending approvals, or `toolscout review` for quarantined tools"))
            }
        }
    }

    fn text(output: &DecidedReview, _: &Text) -> String {
        output.unseen.as_ref().map(ReviewView::text).unwrap_or_default()
    }

    fn planned(output: &DecidedReview) -> Option<&PlannedChange> {
        output.planned.as_ref()
    }

    fn message(output: &DecidedReview, _: &Text) -> String {
        match output.decision {
            "approved" => format!("Approved {}\n", escape::line(&output.subject)),
            "rejected" => {
                let reach = output.in_force.as_ref().map(ChangeReach::line).unwrap_or_default();
                format!("Rejected {}\n{reach}", escape::line(&output.subject))
            }
            _ => String::new(),
        }
    }
}

impl DecidedReview {
    /// Waits until a rejection is in force on all replicas of the fleet. An approval need not be:
    /// until then, a call is refused.
    async fn when_in_force(self, workspace: &Workspace, namespace: Namespace) -> Self {
        if self.decision != "rejected" {
            return self;
        }
        Self { in_force: ChangeReach::of(&workspace.environment, namespace).await, ..self }
    }
}

/// The definition that an approval without a digest applies to: on the command line, the last
/// shown definition. If none was shown, the current definition, which is shown with the prompt
/// at a terminal, otherwise with the output.
fn shown_definition(
    workspace: &Workspace,
    gateway: &Gateway,
    id: &ToolId,
    seen_digest: Option<Digest>,
    cx: &Cx,
) -> (Option<Digest>, Option<QuarantinedTool>) {
    if seen_digest.is_some() || cx.caller != Caller::Cli {
        return (seen_digest, None);
    }
    let definitions = ShownDefinitions::load(workspace, &id.source);
    if let Some(seen_digest) = definitions.digest(id) {
        return (Some(seen_digest), None);
    }
    match gateway.quarantined().into_iter().find(|quarantined| quarantined.id == *id) {
        Some(tool) => (Some(tool.digest), Some(tool)),
        None => (None, None),
    }
}

/// Whether the operator who decides about a whole source has seen a definition: on the command
/// line, it is the last shown one, or none was shown; otherwise, it is among the given digests.
fn seen_definitions(
    workspace: &Workspace,
    source: &SourceId,
    digests: Option<BTreeMap<String, String>>,
    cx: &Cx,
) -> impl Fn(&ToolId, Digest) -> bool {
    let shown = (cx.caller == Caller::Cli).then(|| ShownDefinitions::load(workspace, source));
    move |tool, digest| {
        let is_shown = || {
            let shown = shown.as_ref().and_then(|shown| shown.digest(tool));
            shown.is_none_or(|shown| shown == digest)
        };
        let is_given = |digests: &BTreeMap<String, String>| {
            digests.get(&tool.to_string()).is_some_and(|given| *given == digest.to_string())
        };
        is_shown() && digests.as_ref().is_none_or(is_given)
    }
}

/// The tool of this name, also if it is disabled.
fn resolve(gateway: &Gateway, name: &str) -> Result<ToolId, OperationError> {
    if let Ok(tool) = gateway.full_snapshot().resolve(name) {
        return Ok(tool.id.clone());
    }
    let tool = gateway.resolve(name).map_err(|error| match error.kind() {
        ErrorKind::NotFound => {
            let message = format!("no pending approval or quarantined tool `{}`", escape::line(name));
            let error = OperationError::new(ErrorCode::ResourceNotFound, message);
            error.hint("run `toolscout approval list` for pending approvals, or `toolscout review` for quarantined tools")
        }
        _ => error.into(),
    });
    tool.map(|tool| tool.id.clone())
}
