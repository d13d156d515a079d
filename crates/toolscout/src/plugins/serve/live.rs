//! Follows changes of the configuration, of trust and of approvals while clients are served. No
//! change needs a restart.
//!
//! A changed configuration is prepared aside: its new servers are discovered first, for a limited
//! time, and then everything is published in one step. Until then the previous configuration
//! serves.

use super::mcp_servers::McpServers;
use super::reload_requests::ReloadRequest;
use super::seen_files::SeenFiles;
use super::startup;
use crate::{AppError, RunCx};
use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, MissedTickBehavior, interval, sleep, sleep_until};
use toolscout_core::{BoxFuture, Caller, Cx, Diagnostic, escape};
use toolscout_gateway::LoadingMark;
use toolscout_mcp_client::{McpSource, ServerPhase};
use toolscout_workspace::NextConfiguration;

/// The interval between two checks of the files. A check reads the metadata of a dozen files, and
/// opens none.
const PACE: Duration = Duration::from_millis(500);
/// The time that a server removed from the configuration has to finish its last calls.
const LAST_ANSWERS: Duration = Duration::from_secs(60);

/// Follows changes; never returns. `mark` marks the servers that are discovered at startup.
pub(super) async fn follow(cx: &RunCx, mcp: &McpServers, mark: LoadingMark) -> Infallible {
    let Some(mut requests) = mcp.reload_requests().receiver() else {
        return std::future::pending().await;
    };
    let mut seen = SeenFiles::as_read(cx);
    let mut ticks = interval(PACE);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut follower =
        Follower { cx, mcp, beside: FuturesUnordered::new(), preparation: None, reported: None };
    if let Some(set) = cx.workspace().configured_servers() {
        follower.beside.push(Box::pin(startup::discover_due(cx, mcp, set.sources.clone(), mark)));
    }
    loop {
        tokio::select! {
            _ = ticks.tick() => {
                let now = seen.again(cx);
                if now != seen {
                    seen = now.settled(cx).await;
                    follower.apply(None).await;
                }
            }
            Some(request) = requests.recv() => {
                let now = seen.again(cx);
                if now == seen && let Some(preparation) = &mut follower.preparation {
                    // The watch saw the change of this request first.
                    preparation.requests.push(request);
                    if !preparation.must_be_complete {
                        follower.finish().await;
                    }
                } else {
                    seen = now;
                    follower.apply(Some(request)).await;
                }
            }
            () = prepared(&mut follower.preparation) => follower.finish().await,
            Some(()) = follower.beside.next(), if !follower.beside.is_empty() => {}
        }
    }
}

/// Applies changed files to everything that runs.
struct Follower<'a> {
    cx: &'a RunCx,
    mcp: &'a McpServers,
    /// Work that nothing waits for.
    beside: FuturesUnordered<BoxFuture<'a, ()>>,
    preparation: Option<Preparation<'a>>,
    /// The last reported error.
    reported: Option<String>,
}

/// A configuration whose new servers are being discovered.
struct Preparation<'a> {
    next: NextConfiguration,
    /// `None` if every new server has responded.
    discovery: Option<BoxFuture<'a, ()>>,
    /// Whether clients would miss tools if it were published before its discovery is done.
    must_be_complete: bool,
    /// The time at which it is published in any case.
    deadline: Instant,
    /// The requests that wait for it.
    requests: Vec<ReloadRequest>,
}

/// Waits until the preparation is done, or its time is over. Never returns without one.
async fn prepared(preparation: &mut Option<Preparation<'_>>) {
    let Some(Preparation { discovery: Some(discovery), deadline, .. }) = preparation else {
        return std::future::pending().await;
    };
    let is_done = tokio::select! {
        () = &mut *discovery => true,
        () = sleep_until(*deadline) => false,
    };
    if let (true, Some(preparation)) = (is_done, preparation) {
        preparation.discovery = None;
    }
}

impl Follower<'_> {
    /// Applies the current content of the files: prepares it if new servers have to be discovered,
    /// and publishes it otherwise.
    async fn apply(&mut self, request: Option<ReloadRequest>) {
        let next = match self.cx.workspace().read_configuration() {
            Ok(next) => next,
            Err(error) => return self.fail(request.into_iter().collect(), error),
        };
        let (cx, mcp) = (self.cx, self.mcp);
        // Before the discovery, so that `created` precedes `discovered`.
        cx.workspace().report_changed_servers(&next.config);
        let current = cx.workspace().servers();
        let added = missing(&next.servers.sources, &current.sources);
        let which = next.config.settings.discover_on_start.unwrap_or_default();
        let due =
            startup::due(cx, which, if self.uses_servers() { added } else { Vec::new() }).await;
        let ids = due.iter().map(|source| source.server().id.clone()).collect::<Vec<_>>();
        let is_removing = current.sources.iter().any(|source| {
            next.servers.sources.iter().all(|other| other.server().id != source.server().id)
        });
        let earlier = self.preparation.take();
        // A request adds or changes one server, whose other tools stay: its client does not wait.
        let must_be_complete = !due.is_empty() && (is_removing || earlier.is_some());
        let waits = must_be_complete || (!due.is_empty() && request.is_none());
        let limit = next.config.settings.serve.discovery_wait();
        let deadline = earlier.as_ref().map_or(Instant::now() + limit, |earlier| earlier.deadline);
        let requests = earlier.into_iter().flat_map(|earlier| earlier.requests).chain(request);
        let requests = requests.collect();
        let mark = mcp.gateway().mark_loading(ids.iter().cloned());
        // The old and the new server of the same id share a discovery record.
        mcp.gateway().pause_sources(ids);
        let discovery: BoxFuture<'_, ()> = Box::pin(startup::discover(cx, mcp, which, due, mark));
        let discovery = Some(discovery);
        self.preparation =
            Some(Preparation { next, discovery, must_be_complete, deadline, requests });
        if !waits || limit.is_zero() {
            self.finish().await;
        }
    }

    /// Publishes the prepared configuration. Servers that are not discovered yet are listed as
    /// soon as they have responded.
    async fn finish(&mut self) {
        let Some(preparation) = self.preparation.take() else { return };
        let Preparation { next, discovery, requests, .. } = preparation;
        match self.publish(next).await {
            Ok(()) => {
                self.reported = None;
                requests.into_iter().for_each(|request| drop(request.send(Ok(()))));
            }
            Err(error) => {
                self.mcp.gateway().pause_sources([]);
                self.fail(requests, error);
            }
        }
        self.beside.extend(discovery);
    }

    async fn publish(&mut self, next: NextConfiguration) -> Result<(), AppError> {
        let workspace = self.cx.workspace();
        let (before, set_before) = (workspace.config(), workspace.servers());
        let (config, set) = (next.config.clone(), next.servers.clone());
        let mut new = self.mcp.reconfiguration(workspace, &next)?;
        let registered = workspace.registrations.sources_beside(&new.sources);
        new.sources.extend(registered.iter().cloned());
        let refreshed = self.mcp.reconfigure(new).await?;
        workspace.registrations.reconcile(self.mcp.gateway(), &registered);
        workspace.set_configuration(next);
        self.mcp.update_servers(&config)?;
        self.cx.tools().report_changes(refreshed);
        let is_news = |diagnostic: &&Diagnostic| !before.diagnostics.contains(diagnostic);
        config.diagnostics.iter().filter(is_news).for_each(|news| self.cx.tools().warn(news));
        if self.uses_servers() {
            tracing::debug!(event = "configuration_reloaded", servers = set.sources.len());
            let gone = missing(&set_before.sources, &set.sources).into_iter();
            self.beside.extend(gone.map(|source| Box::pin(retire(source)) as BoxFuture<'_, ()>));
        }
        Ok(())
    }

    fn uses_servers(&self) -> bool {
        self.cx.workspace().uses_servers()
    }

    /// Answers requests with an error. An error in the files is reported once; the previous
    /// configuration stays in effect.
    fn fail(&mut self, requests: Vec<ReloadRequest>, error: AppError) {
        let text = escape::text(&error.to_string()).into_owned();
        let mut requests = requests.into_iter();
        if let Some(first) = requests.next() {
            let _ = first.send(Err(error));
            requests.for_each(|request| {
                drop(request.send(Err(AppError::invalid(text.clone(), "fix the file"))))
            });
            return;
        }
        if self.reported.as_ref() != Some(&text) {
            self.cx.say(&format!("warning: {text}\n  hint: the previous configuration stays in use until this is fixed\n"));
        }
        self.reported = Some(text);
    }
}

/// The sources of the first list that are not in the second.
fn missing(these: &[Arc<McpSource>], those: &[Arc<McpSource>]) -> Vec<Arc<McpSource>> {
    these
        .iter()
        .filter(|item| !those.iter().any(|other| Arc::ptr_eq(other, item)))
        .cloned()
        .collect()
}

/// Stops a server that can no longer be called, after its last calls.
async fn retire(source: Arc<McpSource>) {
    let until = Instant::now() + LAST_ANSWERS;
    let request = Cx::new(Caller::Mcp);
    while Instant::now() < until
        && source.state(&request).is_ok_and(|state| state.state == ServerPhase::Running)
    {
        sleep(PACE).await;
    }
    source.stop().await;
}
