//! `index`: compute the embeddings that semantic search needs.

use crate::Workspace;
use crate::workspace::background_index;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolscout_core::cx::Progress;
use toolscout_core::{Cx, grouped};
use toolscout_gateway::{Gateway, IndexedTools};
use toolscout_surface::operation::{
    Access, HttpRoute, Operation, OperationError, OperationSpec, Text,
};

/// Compute the embeddings that semantic search needs.
pub(crate) struct IndexTools;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct IndexToolsInput {
    /// Wait until every tool is indexed
    #[serde(default)]
    wait: bool,
}

/// The state of the semantic index.
#[derive(Serialize, JsonSchema)]
pub(crate) struct IndexState {
    /// `complete`, `indexing` (in the background), or `off` (search by keywords only).
    state: &'static str,
    /// The number of tools with an embedding.
    indexed: usize,
    /// The number of searchable tools.
    total: usize,
}

impl Operation<Workspace> for IndexTools {
    type Input = IndexToolsInput;
    type Output = IndexState;

    const SPEC: OperationSpec = OperationSpec {
        access: Access::Operator,
        route: HttpRoute { method: "POST", path: "/api/index", status: 200 },
        notes: &[
            "Without --wait, indexes in the background. Commands that add tools do that by themselves; an interrupted run continues where it stopped.",
        ],
        examples: &["toolscout index --wait", "toolscout index"],
        ..OperationSpec::read("index", "Index tools for semantic search", "")
    };

    async fn run(
        workspace: &Workspace,
        input: IndexToolsInput,
        cx: &Cx,
    ) -> Result<IndexState, OperationError> {
        workspace.tools.discover_quietly().await?;
        let gateway = workspace.tools.gateway();
        let Some(mut indexed) = gateway.indexed_tools().await else { return Ok(IndexState::OFF) };
        if input.wait {
            // Another process that has the lease indexes its own catalog.
            let _lease = background_index::lease(workspace).ok().flatten();
            indexed = index_all(workspace, gateway, indexed, cx).await?;
        } else if !indexed.is_complete() && !cx.dry_run {
            background_index::start(workspace)?;
        }
        Ok(IndexState::new(indexed))
    }

    fn text(output: &IndexState, _: &Text) -> String {
        let (indexed, total) = (grouped(output.indexed), grouped(output.total));
        match output.state {
            "off" => "Semantic index: off; keyword search only.\n".to_owned(),
            "complete" => format!("Semantic index: {indexed} of {total} tools.\n"),
            _ => format!(
                "Semantic index: {indexed} of {total} tools; keyword search for the rest. Indexing in the background.\n"
            ),
        }
    }
}

/// Indexes all tools, also those that are added in the meantime.
async fn index_all(
    workspace: &Workspace,
    gateway: &Gateway,
    mut indexed: IndexedTools,
    cx: &Cx,
) -> Result<IndexedTools, OperationError> {
    loop {
        if !indexed.is_complete() {
            let report = |now: IndexedTools| {
                if let Some(report) = &cx.progress {
                    let (done, total) = (now.indexed as f64, Some(now.total as f64));
                    report(Progress { done, total, message: Some("tools".to_owned()) });
                }
            };
            gateway.embed_all(workspace.options.switch("quiet"), report).await;
        }
        let before = indexed;
        workspace.tools.discover_quietly_again().await?;
        indexed = gateway.indexed_tools().await.unwrap_or(indexed);
        // No progress means that the encoder failed; searches report why.
        if indexed.is_complete() || indexed == before {
            return Ok(indexed);
        }
    }
}

impl IndexState {
    const OFF: Self = Self { state: "off", indexed: 0, total: 0 };

    fn new(IndexedTools { indexed, total }: IndexedTools) -> Self {
        let state = if indexed >= total { "complete" } else { "indexing" };
        Self { state, indexed, total }
    }
}
