//! Follows changes of the configuration, of trust and of approvals while clients are served. No
//! change needs a restart.

use super::mcp_servers::McpServers;
use super::startup;
use crate::{AppError, RunCx};
use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, MissedTickBehavior, interval, sleep};
use toolscout_config::FileStamps;
use toolscout_core::{BoxFuture, Caller, Cx, Diagnostic, escape};
use toolscout_mcp_client::{McpSource, ServerPhase};
use toolscout_workspace::NextConfiguration;

/// The interval between two checks of the files. A check reads the metadata of a dozen files, and
/// opens none.
const PACE: Duration = Duration::from_millis(500);
/// The time that a server removed from the configuration has to finish its last calls.
const LAST_ANSWERS: Duration = Duration::from_secs(60);

type Beside<'a> = FuturesUnordered<BoxFuture<'a, ()>>;

/// Follows changes; never returns.
pub(super) async fn follow(cx: &RunCx, mcp: &McpServers) -> Infallible {
    let Some(mut requests) = mcp.reload_requests().receiver() else {
        return std::future::pending().await;
    };
    let mut seen = SeenFiles::as_read(cx);
    let mut ticks = interval(PACE);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut beside = Beside::new();
    if let Some(set) = cx.workspace().configured_servers() {
        beside.push(Box::pin(startup::discover(cx, mcp, set.sources.clone())));
    }
    let mut reported = None;
    loop {
        tokio::select! {
            _ = ticks.tick() => {
                let now = seen.again(cx);
                if now != seen {
                    seen = now;
                    let reloaded = reload(cx, mcp, &mut beside).await;
                    report(cx, &mut reported, reloaded.err());
                }
            }
            Some(request) = requests.recv() => {
                seen = seen.again(cx);
                let _ = request.send(reload(cx, mcp, &mut beside).await);
            }
            Some(()) = beside.next(), if !beside.is_empty() => {}
        }
    }
}

/// Applies the current content of the configuration files.
async fn reload<'a>(
    cx: &'a RunCx,
    mcp: &'a McpServers,
    beside: &mut Beside<'a>,
) -> Result<(), AppError> {
    let before = cx.workspace().config();
    let set_before = cx.workspace().configured_servers();
    cx.workspace().reload()?;
    let (config, set) = (cx.workspace().config(), cx.workspace().configured_servers());
    let is_news = |it: &&Diagnostic| !before.problems.contains(it);
    config.problems.iter().filter(is_news).for_each(|it| cx.tools().warn(it));
    cx.workspace().apply_policies();
    set.iter().for_each(|it| it.run_here());
    set.iter().for_each(|it| mcp.gateway().set_absent(it.absent()));
    mcp.update(&config, set.as_ref().map(|it| it.layered()).unwrap_or_default())?;
    mcp.refresh(cx).await;
    if let (Some(before), Some(set)) = (set_before, set) {
        tracing::debug!(event = "configuration_read", servers = set.sources.len());
        let gone = missing(&before.sources, &set.sources);
        beside.extend(gone.into_iter().map(|it| Box::pin(retire(it)) as BoxFuture<'a, ()>));
        beside.push(Box::pin(startup::discover(cx, mcp, missing(&set.sources, &before.sources))));
    }
    Ok(())
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

/// Reports an error in the files once. The previous configuration stays in effect.
fn report(cx: &RunCx, reported: &mut Option<String>, error: Option<AppError>) {
    let error = error.map(|error| escape::text(&error.to_string()).into_owned());
    if let Some(error) = error.as_ref().filter(|error| reported.as_ref() != Some(error)) {
        cx.say(&format!("warning: {error}\n  hint: the previous configuration stays in use until this is fixed\n"));
    }
    *reported = error;
}

/// The files and the trust at the last reload.
#[derive(PartialEq)]
struct Seen {
    configuration: FileStamps,
    /// The files of the approval store.
    approvals: FileStamps,
    is_trusted: bool,
}

impl Seen {
    /// The state when this run read its configuration.
    fn as_read(cx: &RunCx) -> Self {
        let configuration = cx.workspace().config().stamps.clone();
        let state = cx.environment().state_dir().into_iter();
        let approvals =
            FileStamps::of(state.flat_map(|it| [it.join("trust.db"), it.join("trust.db-wal")]));
        Self { configuration, approvals, is_trusted: is_trusted(cx) }
    }

    fn again(&self, cx: &RunCx) -> Self {
        let (configuration, approvals) = (self.configuration.again(), self.approvals.again());
        Self { configuration, approvals, is_trusted: is_trusted(cx) }
    }
}

fn is_trusted(cx: &RunCx) -> bool {
    let root = cx.request().project;
    root.is_some_and(|it| Trust::new(cx.environment(), cx.options()).covers(&it))
}
