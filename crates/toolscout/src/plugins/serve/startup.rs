//! Discovers the tools of servers when an agent connects or a server is added: those never
//! discovered, and more if configured.

use super::mcp_servers::McpServers;
use crate::RunCx;
use std::sync::Arc;
use toolscout_config::DiscoverOnStart;
use toolscout_core::{Cx, escape};
use toolscout_mcp_client::{DiscoveryStatus, McpSource, Staleness, refresh_all};

/// Discovers in the background; the tools of a server are listed as soon as it has responded.
pub(super) async fn discover(cx: &RunCx, mcp: &McpServers, sources: Vec<Arc<McpSource>>) {
    let config = cx.workspace().config();
    let which = config.settings.discover_on_start.unwrap_or_default();
    let request = cx.request();
    let asked = request.clone();
    // This reads the records of all servers, which must not delay the first list.
    let due = tokio::task::spawn_blocking(move || {
        sources.into_iter().filter(|source| is_due(source, which, &request)).collect::<Vec<_>>()
    });
    let due = due.await.unwrap_or_default();
    if due.is_empty() {
        return;
    }
    let (answered, mut ids) = tokio::sync::mpsc::unbounded_channel();
    // The sender is dropped after the last response, which ends the loop below.
    let asking = refresh_all(&due, &request, move |source, outcome| {
        let id = source.server().id.clone();
        if let Err(error) = outcome {
            tracing::warn!(event = "discovery_failed", server = %id, error = %escape::line(&error.to_string()));
        }
        let _ = answered.send(id);
    });
    let showing = async {
        while let Some(id) = ids.recv().await {
            mcp.refresh_source(&id).await;
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
