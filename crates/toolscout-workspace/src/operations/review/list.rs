//! `review`: show quarantined tools.

use super::quarantined::ReviewView;
use super::shown;
use crate::Workspace;
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
    /// Only this source, or this tool.
    #[serde(default)]
    #[schemars(extend("x-cli" = {"positional": true}))]
    name: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Reviews {
    reviews: Vec<ReviewView>,
    /// Why approvals cannot be relied on, by source.
    #[serde(skip)]
    doubts: Vec<String>,
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
        let gateway = workspace.discovered().await?;
        let mut held = gateway.held();
        if let Some(name) = input.name.as_deref() {
            let tool = gateway.whole_snapshot().resolve(name).ok().map(|tool| tool.id.clone());
            let is_source = gateway.sources().iter().any(|source| source.id().as_str() == name);
            if tool.is_none() && !is_source {
                let message = format!("`{}` is neither a source nor a tool", escape::line(name));
                let error = OperationError::new(ErrorCode::ResourceNotFound, message);
                return Err(error.hint("`toolscout review` shows all quarantined tools."));
            }
            held.retain(|held| held.id.source.as_str() == name || Some(&held.id) == tool.as_ref());
        }
        // Over HTTP, an approval names the digest that was shown.
        if cx.caller == Caller::Cli {
            shown::record(workspace, &held);
        }
        let problems = workspace.tools.discover_quietly().await?;
        let doubts =
            problems.iter().filter(|problem| is_in_doubt(problem, &held)).map(doubt).collect();
        Ok(Reviews { reviews: held.iter().map(ReviewView::from).collect(), doubts })
    }

    fn text(output: &Reviews, _: &Text) -> String {
        output.reviews.iter().map(ReviewView::text).collect::<Vec<_>>().join("\n")
    }

    fn write_json(output: &Reviews, writer: &mut dyn io::Write) -> io::Result<()> {
        json::write(writer, &output.reviews)
    }

    fn warnings(output: &Reviews) -> &[String] {
        &output.doubts
    }

    fn notes(output: &Reviews) -> Vec<String> {
        let text = if output.reviews.is_empty() {
            "No tool is quarantined."
        } else {
            "Decide with `toolscout approve TOOL`, `toolscout reject TOOL` or `toolscout review accept SOURCE`."
        };
        vec![text.to_owned()]
    }
}

/// Whether the approvals of a quarantined tool's source are unreliable, which is reported once
/// for all its tools.
fn is_in_doubt(problem: &Diagnostic, held: &[QuarantinedTool]) -> bool {
    let is_of = |held: &QuarantinedTool| {
        held.since.is_none() && problem.source.as_ref() == Some(&held.id.source)
    };
    problem.kind == DiagnosticKind::Quarantined && held.iter().any(is_of)
}

fn doubt(problem: &Diagnostic) -> String {
    let hint = problem.hint.as_ref().map(|hint| format!("\n  hint: {hint}")).unwrap_or_default();
    format!("{}{hint}", problem.message)
}
