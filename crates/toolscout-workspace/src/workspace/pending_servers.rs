//! Waits, before a search on the command line, for servers whose tools are not loaded yet.

use super::Workspace;
use crate::AppError;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;
use toolscout_core::{Caller, Cx, SourceId};
use toolscout_mcp_client::{DiscoveryStatus, McpSource};

/// Interval between looks at the records of the servers.
const POLL_INTERVAL: Duration = Duration::from_millis(40);

impl Workspace {
    /// Waits until the tools of all servers are loaded, at most `serve.wait_for_discovery`. Servers
    /// that were never loaded are loaded now, in another process: it goes on if the time is up.
    /// Returns the servers that are still loading. Only for commands: a serving process waits for
    /// its own discoveries.
    pub(crate) async fn wait_for_pending_servers(
        &self,
        cx: &Cx,
    ) -> Result<Vec<SourceId>, AppError> {
        let limit = self.config().settings.serve.discovery_wait();
        let is_command = cx.caller == Caller::Cli && !self.is_serving();
        if !is_command || limit.is_zero() || !self.may_start_servers() {
            return Ok(Vec::new());
        }
        let set = self.servers();
        let pending = |source: &&Arc<McpSource>| is_pending(source, cx);
        let mut loading: Vec<_> =
            set.sources.iter().filter(|source| source.may_start()).filter(pending).collect();
        if loading.is_empty() {
            return Ok(Vec::new());
        }
        let is_new = |source: &&&Arc<McpSource>| status(source, cx) == Some(DiscoveryStatus::Never);
        let new: Vec<_> =
            loading.iter().filter(is_new).map(|source| source.server().id.clone()).collect();
        self.discover_in_another_process(&new).await?;
        let display = self.environment.progress();
        let _line = display.start("loading tools");
        for source in &loading {
            let server = source.server();
            display.start_part(server.id.as_str(), "loading tools", server.installer());
        }
        let deadline = Instant::now() + limit;
        while !loading.is_empty() && Instant::now() < deadline {
            tokio::time::sleep(POLL_INTERVAL).await;
            for source in loading.extract_if(.., |source| !is_pending(source, cx)) {
                display.end_part(source.server().id.as_str(), "done");
            }
        }
        let ids: Vec<_> = loading.iter().map(|source| source.server().id.clone()).collect();
        ids.iter().for_each(|id| display.end_part(id.as_str(), "still loading"));
        if self.tools.is_discovered() {
            self.tools.discover_quietly_again().await?;
        }
        Ok(ids)
    }

    /// Whether this command may start servers.
    fn may_start_servers(&self) -> bool {
        let options = &self.options;
        let is_dry = options.command.only_reads || options.switch("dry-run");
        // Another process cannot see a captured environment.
        self.uses_servers() && !is_dry && !self.environment.is_captured()
    }
}

fn status(source: &McpSource, cx: &Cx) -> Option<DiscoveryStatus> {
    source.state(cx).ok().map(|state| state.record.status)
}

/// Whether its tools are being loaded, or were never loaded.
fn is_pending(source: &McpSource, cx: &Cx) -> bool {
    let Ok(state) = source.state(cx) else { return false };
    let is_loading =
        matches!(state.record.status, DiscoveryStatus::Never | DiscoveryStatus::Discovering);
    is_loading && state.record.tools.is_none()
}
