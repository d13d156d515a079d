//! `context`: summarize the tools for a system prompt.

use crate::Workspace;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolscout_core::Cx;
use toolscout_core::event::{ContextUse, EventKind};
use toolscout_surface::context::{self, ContextOptions, Summary};
use toolscout_surface::operation::{Operation, OperationError, OperationSpec, Text};

/// Summarize the tools for a system prompt.
pub(crate) struct ShowContext;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ShowContextInput {
    /// The maximum number of tokens; 500 by default
    #[serde(default)]
    #[schemars(extend("x-cli" = {"value": "TOKENS"}))]
    budget: Option<i64>,
    /// Print this prompt file first; `-` reads standard input
    #[serde(default)]
    #[schemars(extend("x-cli" = {"value": "FILE", "file": true}))]
    prompt: Option<String>,
}

/// A summary of the tools.
#[derive(Serialize, JsonSchema)]
pub(crate) struct ShownContext {
    #[serde(flatten)]
    summary: Summary,
    /// The given prompt, followed by the summary.
    #[serde(skip_serializing_if = "Option::is_none")]
    prompt: Option<String>,
}

impl Operation<Workspace> for ShowContext {
    type Input = ShowContextInput;
    type Output = ShownContext;

    const SPEC: OperationSpec = OperationSpec {
        notes: &[
            "Starts no server and shows no schemas. `[context]` in toolscout.toml sets which tools are named.",
        ],
        examples: &[
            "toolscout context",
            "toolscout context --budget 200",
            "toolscout context --prompt system.md",
        ],
        keeps_profile: true,
        ..OperationSpec::read("context", "Summarize the tools for a system prompt", "/api/context")
    };

    async fn run(
        workspace: &Workspace,
        input: ShowContextInput,
        cx: &Cx,
    ) -> Result<ShownContext, OperationError> {
        let mut settings = ContextOptions::default();
        if let Some(budget) = input.budget {
            let invalid =
                || OperationError::invalid("`budget` must be a positive number of tokens");
            let budget = usize::try_from(budget).ok().filter(|budget| *budget > 0);
            settings.budget =
                budget.ok_or_else(|| invalid().hint("toolscout context --budget 500"))?;
        }
        if let Some(essential) = &workspace.config().settings.context.essential {
            settings.essential.clone_from(essential);
        }
        let gateway = workspace.discovered_gateway(cx).await?;
        let summary = settings.summary(&gateway.view(cx).await.snapshot());
        cx.emit(|| {
            let (tools, tokens) = (summary.tools, summary.tokens);
            EventKind::ContextUse(ContextUse {
                form: "context",
                tools,
                tokens,
                ..ContextUse::default()
            })
        });
        let prompt = input.prompt.map(|base| context::prompt(&base, &summary.text));
        Ok(ShownContext { summary, prompt })
    }

    fn text(output: &ShownContext, _: &Text) -> String {
        output.prompt.as_ref().unwrap_or(&output.summary.text).clone() + "\n"
    }

    fn notes(output: &ShownContext) -> Vec<String> {
        let nothing =
            "the budget is too small for any text\n  hint: toolscout context --budget 100";
        output.summary.text.is_empty().then(|| nothing.to_owned()).into_iter().collect()
    }
}
