//! Discovers many servers concurrently, so that slow servers do not delay fast ones.

mod children;
mod start_limiter;
#[cfg(all(test, target_os = "linux"))]
mod tests;

use super::discovery::DiscoveryOutcome;
use super::record::DiscoveryStatus;
use super::source::McpSource;
use children::Children;
use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use start_limiter::{StartLimiter, StartPriority};
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, sleep};
use toolscout_core::{Cx, SourceError};

/// How often to check, while servers wait to start, whether the started ones are busy.
const POLL_INTERVAL: Duration = Duration::from_millis(10);

/// Discovers these servers, and passes each outcome to `watch` as it arrives. Servers whose last
/// discovery succeeded start first; those that failed start once all others have answered or take
/// long. Cancel-safe: dropping the future stops everything that it has started.
pub async fn refresh_all(
    sources: &[Arc<McpSource>],
    cx: &Cx,
    watch: impl FnMut(&McpSource, &Result<DiscoveryOutcome, SourceError>),
) {
    refresh_limited(sources, cx, StartLimiter::default(), |_| true, watched(watch)).await;
}

/// As [`refresh_all`], without the servers that are no longer due when their turn comes: another
/// process may have discovered them. `watch` gets no outcome for them.
pub async fn refresh_due(
    sources: &[Arc<McpSource>],
    cx: &Cx,
    is_due: impl Fn(&McpSource) -> bool,
    watch: impl FnMut(&McpSource, Option<&Result<DiscoveryOutcome, SourceError>>),
) {
    refresh_limited(sources, cx, StartLimiter::default(), is_due, watch).await;
}

/// Passes on the outcomes; without a condition there always is one.
fn watched(
    mut watch: impl FnMut(&McpSource, &Result<DiscoveryOutcome, SourceError>),
) -> impl FnMut(&McpSource, Option<&Result<DiscoveryOutcome, SourceError>>) {
    move |source, outcome| {
        if let Some(outcome) = outcome {
            watch(source, outcome);
        }
    }
}

async fn refresh_limited(
    sources: &[Arc<McpSource>],
    cx: &Cx,
    mut limiter: StartLimiter,
    is_due: impl Fn(&McpSource) -> bool,
    mut watch: impl FnMut(&McpSource, Option<&Result<DiscoveryOutcome, SourceError>>),
) {
    let mut ordered: Vec<_> = sources.iter().map(|source| (priority(source, cx), source)).collect();
    ordered.sort_by_key(|(priority, _)| *priority);
    let mut waiting: VecDeque<_> = ordered.into_iter().enumerate().collect();
    let mut discoveries = FuturesUnordered::new();
    let mut children = Children::default();
    loop {
        while let Some((number, (priority, source))) =
            waiting.pop_front_if(|(_, (priority, _))| limiter.has_room(*priority, Instant::now()))
        {
            limiter.add(number, priority, Instant::now());
            let is_due = is_due(source);
            discoveries.push(async move {
                (number, source, if is_due { Some(source.refresh(cx).await) } else { None })
            });
        }
        tokio::select! {
            finished = discoveries.next() => {
                let Some((number, source, outcome)) = finished else { return };
                limiter.release(number);
                watch(source, outcome.as_ref());
            }
            () = sleep(POLL_INTERVAL), if !waiting.is_empty() => limiter.set_busy(children.count_busy()),
        }
    }
}

/// The start priority, from the outcome of the last discovery.
fn priority(source: &McpSource, cx: &Cx) -> StartPriority {
    match source.state(cx).map(|state| state.record.status) {
        Ok(DiscoveryStatus::Success) => StartPriority::Good,
        Ok(DiscoveryStatus::Failed) => StartPriority::Poor,
        _ => StartPriority::Unknown,
    }
}
