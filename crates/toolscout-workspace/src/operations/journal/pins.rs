//! `suggest pins`: tools that agents should see without searching.

use super::{SinceInput, read, stats_text};
use crate::Workspace;
use crate::journal::suggest_pins;
use toolscout_core::Cx;
use toolscout_surface::operation::{
    Access, CommandName, Operation, OperationError, OperationSpec, Text,
};
use toolscout_telemetry::stats::PinSuggestions;

/// Suggest tools to list.
pub(crate) struct SuggestPins;

impl Operation<Workspace> for SuggestPins {
    type Input = SinceInput;
    type Output = PinSuggestions;

    const SPEC: OperationSpec = OperationSpec {
        access: Access::Operator,
        commands: &[
            CommandName::new("suggest pins"),
            CommandName::new("suggest").summary("Suggest changes that save tokens"),
        ],
        notes: &[
            "Compares the tokens of searches that only served to find a tool with those of its definition in every session. Changes nothing.",
        ],
        examples: &["toolscout suggest pins --since 30d"],
        ..OperationSpec::read(
            "suggest pins",
            "Suggest tools that agents should see without searching",
            "/api/stats/pins",
        )
    };

    async fn run(
        workspace: &Workspace,
        input: SinceInput,
        cx: &Cx,
    ) -> Result<PinSuggestions, OperationError> {
        let gateway = workspace.full_gateway().await?;
        let (config, project) = (workspace.config(), cx.project.clone());
        read(workspace, move |environment| {
            let project = project.as_ref().map(|project| project.as_path());
            suggest_pins(&config, environment, &gateway, project, input.since.as_deref())
        })
        .await
    }

    fn text(output: &PinSuggestions, _: &Text) -> String {
        stats_text::pins(output)
    }
}
