//! Discovers the tools of servers when an agent connects or a server is added: those never
//! discovered, and more if configured.

use super::mcp_servers::McpServers;
use crate::RunCx;
use std::sync::Arc;
use toolscout_config::DiscoverOnStart;
use toolscout_core::{Cx, SourceId, Tool, escape};
use toolscout_gateway::{Gateway, LoadingMark};
use toolscout_mcp_client::{DiscoveryStatus, McpSource, Staleness, refresh_due};

/// Marks the servers that may have to be discovered at startup, so that the first requests wait
/// for them. [`discover_due`] reads their records and knows more.
pub(super) fn mark_loading(gateway: &Gateway, sources: &[Arc<McpSource>]) -> LoadingMark {
    let snapshot = gateway.full_snapshot();
    let is_current = |id: &SourceId| {
        let tools = snapshot.tools_of(id);
        let is_known = |tool: &Arc<Tool>| !tool.provenance.stale && !tool.provenance.placeholder;
        !tools.is_empty() && tools.iter().all(is_known)
    };
    let ids = sources.iter().filter(|source| source.may_start()).map(|source| &source.server().id);
    gateway.mark_loading(ids.filter(|id| !is_current(id)).cloned())
}

/// Discovers those of these servers that are due.
pub(super) async fn discover_due(
    cx: &RunCx,
    mcp: &McpServers,
    sources: Vec<Arc<McpSource>>,
    mark: LoadingMark,
) {
    let which = cx.workspace().config().settings.discover_on_start.unwrap_or_default();
    let due = due(cx, which, sources).await;
    discover(cx, mcp, which, due, mark).await;
}

/// The servers whose tools have to be discovered.
pub(super) async fn due(
    cx: &RunCx,
    which: DiscoverOnStart,
    sources: Vec<Arc<McpSource>>,
) -> Vec<Arc<McpSource>> {
    let request = cx.request();
    // This reads the records of all servers, which must not delay other requests.
    let due = tokio::task::spawn_blocking(move || {
        sources.into_iter().filter(|source| is_due(source, which, &request)).collect::<Vec<_>>()
    });
    due.await.unwrap_or_default()
}

/// Discovers these servers; the tools of a server are listed as soon as it has responded, if it is
/// published by then.
pub(super) async fn discover(
    cx: &RunCx,
    mcp: &McpServers,
    which: DiscoverOnStart,
    due: Vec<Arc<McpSource>>,
    mut mark: LoadingMark,
) {
    mark.retain(|id| due.iter().any(|source| source.server().id == *id));
    if due.is_empty() {
        return;
    }
    let (answered, mut ids) = tokio::sync::mpsc::unbounded_channel();
    let request = cx.request();
    // The sender is dropped after the last response, which ends the loop below.
    // Again at its turn: of several replicas that start together, one discovers a server.
    let is_due = |source: &McpSource| is_due(source, which, &request);
    let asking = refresh_due(&due, &request, is_due, move |source, outcome| {
        let id = source.server().id.clone();
        if let Some(Err(error)) = outcome {
            tracing::warn!(event = "discovery_failed", server = %id, error = %escape::line(&error.to_string()));
        }
        let _ = answered.send(id);
    });
    let showing = async {
        while let Some(id) = ids.recv().await {
            mcp.refresh_source(&id).await;
            mark.finish(&id);
        }
    };
    tokio::join!(asking, showing);
}

fn is_due(source: &McpSource, which: DiscoverOnStart, request: &Cx) -> bool {
    let Ok(state) = source.state(request) else { return false };
    let is_missing = state.record.tools.is_none() && state.record.status != DiscoveryStatus::Failed;
    let is_other = state.staleness == Some(Staleness::Reconfigured);
    source.may_start()
        && match which {
            DiscoverOnStart::Missing => is_missing || is_other,
            DiscoverOnStart::Stale => is_missing || state.staleness.is_some(),
            DiscoverOnStart::All => true,
        }
}
