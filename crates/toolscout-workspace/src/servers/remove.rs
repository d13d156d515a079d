//! Removes a server from its configuration file, from the cache and from the approvals.

use super::set::ServerSet;
use crate::AppError;
use toolscout_config::{ConfigEditor, ConfiguredServer};
use toolscout_core::SourceId;
use toolscout_gateway::Approvals;

/// Removes a server; returns how many tools were in the cache.
pub(crate) fn remove(
    set: &ServerSet,
    configured: &ConfiguredServer,
    editor: &ConfigEditor,
) -> Result<usize, AppError> {
    let id = &configured.server.id;
    editor.remove_server(configured)?;
    Ok(forget(set, id))
}

/// Deletes the cached tools of a server and their approvals; returns how many tools there were.
pub(crate) fn forget(set: &ServerSet, id: &SourceId) -> usize {
    let removed =
        set.shared.as_ref().and_then(|shared| shared.records().remove(id).ok()).unwrap_or(0);
    if let Some(log) = set.shared.as_ref().and_then(|shared| shared.denials()) {
        let _ = log.remove(id);
    }
    // If the server is added again, its tools are reviewed again.
    let _ = Approvals::new(set.store.clone(), set.partition.as_str()).forget(id);
    tracing::info!(event = "tools_removed", server = %id, removed);
    removed
}
