//! `discover`: discover tools, and report them.

use super::status::NoInput;
use crate::error::failure;
use crate::saved_tools::SavedTool;
use crate::workspace::background_index::index_briefly;
use crate::{AppError, Workspace};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::io;
use toolscout_core::{Cx, DiagnosticLevel};
use toolscout_folder::forget_failures;
use toolscout_surface::operation::{
    Operation, OperationError, OperationSpec, Text, UnavailableServers,
};
use toolscout_surface::output::counted;
use toolscout_surface::output::json;

/// Discover tools, and report them.
pub(crate) struct DiscoverTools;

#[derive(Serialize, JsonSchema)]
pub(crate) struct DiscoveredTools {
    /// The complete definition of each tool.
    #[schemars(with = "Vec<Value>")]
    tools: Vec<SavedTool>,
    /// The number of warnings.
    problems: usize,
}

impl Operation<Workspace> for DiscoverTools {
    type Input = NoInput;
    type Output = DiscoveredTools;

    const SPEC: OperationSpec = OperationSpec {
        notes: &[
            "Files that could not be loaded before are tried again.",
            "--json prints all details; --tools-from reads them back without another discovery.",
        ],
        examples: &["toolscout discover", "toolscout discover --json > tools.json"],
        unavailable_servers: UnavailableServers::Warn,
        ..OperationSpec::local("discover", "Discover tools and print a report")
    };

    async fn run(
        workspace: &Workspace,
        _: NoInput,
        _: &Cx,
    ) -> Result<DiscoveredTools, OperationError> {
        // Files that could not be loaded are tried again.
        let store = workspace.environment.store();
        forget_failures(&*store).map_err(|error| failure(AppError::not_stored(error)))?;
        if workspace.tools.is_discovered() {
            workspace.tools.discover_again().await?;
        }
        let problems = workspace.tools.discover(|_| ()).await?;
        let problems = problems
            .iter()
            .filter(|diagnostic| diagnostic.level == DiagnosticLevel::Warning)
            .count();
        let gateway = workspace.tools.gateway();
        let tools = gateway.snapshot().tools().map(|tool| SavedTool::from(tool.as_ref())).collect();
        index_briefly(workspace, gateway).await;
        Ok(DiscoveredTools { tools, problems })
    }

    fn text(output: &DiscoveredTools, _: &Text) -> String {
        let mut counts: BTreeMap<(&str, &str), usize> = BTreeMap::new();
        for tool in &output.tools {
            *counts.entry((&tool.source, &tool.status)).or_default() += 1;
        }
        let lines =
            counts.iter().map(|((source, status), count)| format!("{source}: {count} {status}\n"));
        let (tools, problems) =
            (counted(output.tools.len(), "tool"), counted(output.problems, "problem"));
        lines.collect::<String>() + &format!("{tools}, {problems}\n")
    }

    fn write_json(output: &DiscoveredTools, writer: &mut dyn io::Write) -> io::Result<()> {
        json::write(writer, &output.tools)
    }
}
