//! Discovers the tools of servers in another process, so that the caller does not wait.

use super::{Workspace, detached};
use crate::AppError;
use std::time::{Duration, Instant};
use toolscout_core::SourceId;
use toolscout_mcp_client::DiscoveryStatus;

/// How long to wait for the other process to start, so that the next command sees its
/// discovery.
const START_LIMIT: Duration = Duration::from_millis(120);

/// Starts the process; returns when it has started discovery, or after [`START_LIMIT`].
pub(super) async fn discover(workspace: &Workspace, ids: &[SourceId]) -> Result<(), AppError> {
    let Some(first) = ids.first() else { return Ok(()) };
    let ids = ids.iter().map(SourceId::as_str);
    let words: Vec<_> = ["server", "refresh"].into_iter().chain(ids).collect();
    detached::start(workspace, &words, "discovery.log")?;
    wait_until_started(workspace, first).await
}

async fn wait_until_started(workspace: &Workspace, id: &SourceId) -> Result<(), AppError> {
    let set = workspace.servers();
    let Some(shared) = &set.shared else { return Ok(()) };
    let before = shared.records().read(id, None).map(|record| record.last_discovery).ok();
    let limit = Instant::now() + START_LIMIT;
    while Instant::now() < limit {
        let now = shared.records().read(id, None).ok();
        let has_started = now.is_some_and(|record| {
            record.status == DiscoveryStatus::Discovering || Some(record.last_discovery) != before
        });
        if has_started {
            break;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    Ok(())
}
