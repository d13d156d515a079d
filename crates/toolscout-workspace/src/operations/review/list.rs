//! `review`: show quarantined tools.

use super::quarantined::ReviewView;
use super::shown;
use crate::Workspace;
use crate::error::describe;
use crate::operations::trust::{TrustChange, pending_changes};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::io;
use toolscout_core::{Caller, Cx, Diagnostic, DiagnosticKind, escape};
use toolscout_gateway::QuarantinedTool;
use toolscout_surface::operation::{
    Access, CommandName, ErrorCode, Operation, OperationError, OperationSpec, Text,
};
use toolscout_surface::output::json;

/// Show quarantined tools.
pub(crate) struct ListReviews;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ListReviewsInput {
    /// A source or a tool; all quarantined tools if omitted.
    #[serde(default)]
    #[schemars(extend("x-cli" = {"positional": true}))]
    name: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Reviews {
    reviews: Vec<ReviewView>,
    /// The files and servers that are new or have changed since the project was trusted.
    #[serde(skip)]
    untrusted: Vec<TrustChange>,
    /// Why approvals cannot be relied on, by source.
    #[serde(skip)]
    warnings: Vec<String>,
}

impl Operation<Workspace> for ListReviews {
    type Input = ListReviewsInput;
    type Output = Reviews;

    const SPEC: OperationSpec = OperationSpec {
        access: Access::Operator,
        commands: &[CommandName::new("review")],
        notes: &[
            "A tool is quarantined if its definition has changed, if its text looks like instructions for a model, or if its source was never approved.",
        ],
        examples: &["toolscout review"],
        ..OperationSpec::read("review list", "Show quarantined tools", "/api/reviews")
    };

    async fn run(
        workspace: &Workspace,
        input: ListReviewsInput,
        cx: &Cx,
    ) -> Result<Reviews, OperationError> {
        let gateway = workspace.full_gateway().await?;
        let mut quarantined = gateway.quarantined();
        if let Some(name) = input.name.as_deref() {
            let tool = gateway.full_snapshot().resolve(name).ok().map(|tool| tool.id.clone());
            let is_source = gateway.sources().iter().any(|source| source.id().as_str() == name);
            if tool.is_none() && !is_source {
                let message = format!("no source or tool `{}`", escape::line(name));
                let error = OperationError::new(ErrorCode::ResourceNotFound, message);
                return Err(error.hint("run `toolscout review` to see all quarantined tools"));
            }
            quarantined.retain(|quarantined| {
                quarantined.id.source.as_str() == name || Some(&quarantined.id) == tool.as_ref()
            });
        }
        // Over HTTP, an approval names the digest that was shown.
        if cx.caller == Caller::Cli {
            shown::record(workspace, &quarantined);
        }
        let diagnostics = workspace.tools.discover_quietly().await?;
        let warnings = diagnostics
            .iter()
            .filter(|diagnostic| has_unreliable_approvals(diagnostic, &quarantined))
            .map(describe)
            .collect();
        let untrusted = if cx.caller == Caller::Cli {
            pending_changes(workspace, cx).await?
        } else {
            Vec::new()
        };
        let reviews = quarantined.iter().map(ReviewView::from).collect();
        Ok(Reviews { reviews, untrusted, warnings })
    }

    fn text(output: &Reviews, _: &Text) -> String {
        output.reviews.iter().map(ReviewView::text).collect::<Vec<_>>().join("\n")
    }

    fn write_json(output: &Reviews, writer: &mut dyn io::Write) -> io::Result<()> {
        json::write(writer, &output.reviews)
    }

    fn warnings(output: &Reviews) -> &[String] {
        &output.warnings
    }

    fn notes(output: &Reviews) -> Vec<String> {
        let text = if output.reviews.is_empty() {
            "No tool is quarantined."
        } else {
            "Decide with `toolscout approve TOOL`, `toolscout reject TOOL` or `toolscout review accept SOURCE`."
        };
        let mut notes = vec![text.to_owned()];
        if !output.untrusted.is_empty() {
            let list: String = output.untrusted.iter().map(TrustChange::line).collect();
            notes.push(format!(
                "New or changed since you trusted the project:\n{list}Trust them with `toolscout trust`."
            ));
        }
        notes
    }
}

/// Whether the approvals of a quarantined tool's source are unreliable, which is reported once
/// for all its tools.
fn has_unreliable_approvals(diagnostic: &Diagnostic, quarantined: &[QuarantinedTool]) -> bool {
    let is_from = |quarantined: &QuarantinedTool| {
        quarantined.since.is_none() && diagnostic.source.as_ref() == Some(&quarantined.id.source)
    };
    diagnostic.kind == DiagnosticKind::Quarantined && quarantined.iter().any(is_from)
}
