//! The tools of an export, and their names.

use crate::tools::refuse_quarantined;
use crate::{AppError, Workspace};
use std::sync::Arc;
use toolscout_core::{Cx, Tool, ToolId, ToolPatterns};
use toolscout_gateway::Gateway;
use toolscout_surface::operation::{ErrorCode, OperationError};

/// The tools to export: all, or those that are named or included, without the excluded ones.
pub(super) struct ToolSelection {
    names: Vec<String>,
    include: ToolPatterns,
    exclude: ToolPatterns,
}

/// A tool, and the name under which it is exported.
pub(super) struct NamedTool {
    pub(super) tool: Arc<Tool>,
    /// Unique in the project, and never given to another tool.
    pub(super) name: Arc<str>,
}

impl ToolSelection {
    pub(super) fn parse(
        names: Vec<String>,
        include: &[String],
        exclude: &[String],
    ) -> Result<Self, OperationError> {
        let parse =
            |patterns: &[String]| ToolPatterns::parse(patterns).map_err(OperationError::invalid);
        Ok(Self { names, include: parse(include)?, exclude: parse(exclude)? })
    }

    /// Fails for a format that does not depend on the tools.
    pub(super) fn check_empty(&self, format: &str) -> Result<(), OperationError> {
        if self.names.is_empty() && self.include.is_empty() && self.exclude.is_empty() {
            return Ok(());
        }
        let message = format!("`export {format}` takes no tool names and no patterns");
        Err(OperationError::invalid(message).hint(format!("toolscout export {format}")))
    }

    fn includes(&self, tool: &ToolId) -> bool {
        self.include.is_empty() || self.include.matches(tool)
    }

    /// The selected tools, in the order of the catalog, or as they were named. Each tool once.
    fn tools(&self, workspace: &Workspace, gateway: &Gateway) -> Result<Vec<Arc<Tool>>, AppError> {
        let snapshot = gateway.snapshot();
        if self.names.is_empty() {
            let is_usable = |tool: &&Arc<Tool>| {
                refuse_quarantined(tool).is_ok() && !tool.provenance.placeholder
            };
            return Ok(snapshot.tools().filter(is_usable).cloned().collect());
        }
        let mut tools: Vec<Arc<Tool>> = Vec::new();
        for name in &self.names {
            let tool = gateway.resolve(&workspace.tools.canonical_name(&snapshot, name))?;
            refuse_quarantined(&tool)?;
            if tools.iter().all(|known| known.id != tool.id) {
                tools.push(tool);
            }
        }
        Ok(tools)
    }
}

/// The selected tools with their names.
pub(super) async fn selected_tools(
    workspace: &Workspace,
    selection: &ToolSelection,
    cx: &Cx,
) -> Result<Vec<NamedTool>, OperationError> {
    let gateway = workspace.tools.discovered_gateway().await?;
    let mut tools = selection.tools(workspace, gateway)?;
    tools.retain(|tool| selection.includes(&tool.id));
    if tools.is_empty() && !selection.include.is_empty() {
        let error = OperationError::new(
            ErrorCode::ResourceNotFound,
            "no tool matches a pattern of `--include`",
        );
        return Err(error.hint("run `toolscout tools list` to see the names"));
    }
    // All tools get their names together, so that a name does not depend on the selection.
    let (names, snapshot) = (workspace.tools.wire_names(), gateway.snapshot());
    let names = if cx.dry_run {
        names.planned_model_names(&snapshot)
    } else {
        names.model_names(&snapshot)
    };
    let named = |tool: Arc<Tool>| Some(NamedTool { name: names.get(&tool.id)?.clone(), tool });
    let is_kept = |tool: &Arc<Tool>| !selection.exclude.matches(&tool.id);
    Ok(tools.into_iter().filter(is_kept).filter_map(named).collect())
}
