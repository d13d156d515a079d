//! `stats`: the cost and savings of tools.

use super::{RECORDING_OFF, SinceInput, is_recording, read, stats_text};
use crate::Workspace;
use crate::journal;
use toolscout_core::Cx;
use toolscout_surface::operation::{Access, Operation, OperationError, OperationSpec, Text};
use toolscout_telemetry::stats::UsageStats;

/// Show the cost and savings of tools.
pub(crate) struct ShowStats;

impl Operation<Workspace> for ShowStats {
    type Input = SinceInput;
    type Output = UsageStats;

    const SPEC: OperationSpec = OperationSpec {
        access: Access::Operator,
        notes: &[
            "Token counts are upper bounds for the vocabulary of `o200k_base`. `--json` shows every client and session.",
        ],
        examples: &["toolscout stats --since 7d"],
        ..OperationSpec::read(
            "stats",
            "Show usage statistics: tokens, searches and calls",
            "/api/stats",
        )
    };

    async fn run(
        workspace: &Workspace,
        input: SinceInput,
        _: &Cx,
    ) -> Result<UsageStats, OperationError> {
        let mut stats =
            read(workspace, move |environment| journal::usage(environment, input.since.as_deref()))
                .await?;
        if !is_recording(workspace) {
            stats.notes.push(RECORDING_OFF.to_owned());
        }
        Ok(stats)
    }

    fn text(output: &UsageStats, _: &Text) -> String {
        let page = stats_text::page(output);
        let is_missing =
            output.notes.iter().any(|note| note == RECORDING_OFF) && !page.contains(RECORDING_OFF);
        if is_missing { page + "note: " + RECORDING_OFF + "\n" } else { page }
    }
}
