//! Computes missing embeddings in another process, so that no command waits for them.

use super::{Workspace, detached};
use crate::AppError;
use std::time::Duration;
use toolscout_core::{Lease, escape};
use toolscout_gateway::Gateway;
use toolscout_mcp_client::partition;

/// The exclusive right to index this project in the background; `None` while another process has
/// it.
pub(crate) fn lease(workspace: &Workspace) -> Result<Option<Lease>, AppError> {
    let name = format!("indexing/{}", partition(workspace.config().project_folder()));
    workspace.environment.store().lease(&name).map_err(AppError::not_stored)
}

/// Starts the process, unless one is running. That one also indexes tools that are added in the
/// meantime.
pub(crate) fn start(workspace: &Workspace) -> Result<(), AppError> {
    // The tools of a saved discovery are not those of the project.
    let has_saved_tools = workspace.options.text("tools-from").is_some();
    if has_saved_tools || workspace.is_serving() || lease(workspace)?.is_none() {
        return Ok(());
    }
    detached::start(workspace, &["index", "--wait"], "indexing.log")
}

/// The maximum time in which a command encodes the discovered tools; searches and servers
/// encode the rest.
const INDEX_LIMIT: Duration = Duration::from_secs(2);

/// Encodes newly discovered tools for semantic search, for at most two seconds; the rest in another
/// process.
pub(crate) async fn index_briefly(workspace: &Workspace, gateway: &Gateway) {
    let remaining = gateway.embed_within(INDEX_LIMIT).await;
    tracing::debug!(event = "embeddings_computed", remaining);
    index_rest(workspace, gateway);
}

/// Starts a process that encodes the remaining tools, if there are many.
pub(crate) fn index_rest(workspace: &Workspace, gateway: &Gateway) {
    if gateway.needs_indexing()
        && let Err(error) = start(workspace)
    {
        // Searches encode the tools as well, a few at a time.
        tracing::warn!(event = "indexing_not_started", error = %escape::line(&error.to_string()));
    }
}
