//! Asks servers for their tools when an agent arrives: those nobody has asked yet, and as configured more.

use crate::RunCx;
use crate::config::{Config, DiscoverOnStart};
use crate::plugins::servers::ServerSet;
use std::sync::Arc;
use toolscout_core::escape;
use toolscout_source::mcp::{DiscoveryStatus, McpSource, Staleness, refresh_all};

/// Asks in the background; what each server has is there as soon as it has answered.
pub(super) async fn discover(cx: &RunCx, set: &ServerSet) {
    let Ok(config) = Config::of(cx.options(), cx.surroundings()) else { return };
    let which = config.settings.discover_on_start.unwrap_or_default();
    let request = cx.request();
    let is_due = |it: &&Arc<McpSource>| {
        let Ok(state) = it.state(&request) else { return false };
        let is_missing = state.record.tools.is_none() && state.record.status != DiscoveryStatus::Failed;
        let is_other = state.staleness == Some(Staleness::Reconfigured);
        it.may_start()
            && match which {
                DiscoverOnStart::Missing => is_missing || is_other,
                DiscoverOnStart::Stale => is_missing || state.staleness.is_some(),
                DiscoverOnStart::All => true,
            }
    };
    let due: Vec<_> = set.sources.iter().filter(is_due).cloned().collect();
    if due.is_empty() {
        return;
    }
    let (answered, mut ids) = tokio::sync::mpsc::unbounded_channel();
    // The sender is gone with the last answer, and then there is nothing more to show.
    let asking = refresh_all(&due, &request, move |source, outcome| {
        let id = source.server().id.clone();
        if let Err(error) = outcome {
            tracing::warn!(event = "tools.discovery.failed", server = %id, error = %escape::line(&error.to_string()));
        }
        let _ = answered.send(id);
    });
    let showing = async {
        while let Some(id) = ids.recv().await {
            cx.tools().gateway().refresh_source(&id, &request).await;
        }
    };
    tokio::join!(asking, showing);
}
