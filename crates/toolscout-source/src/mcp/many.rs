//! Asks many servers at once, so that the slow ones cost the fast ones nothing.

use super::discovery::Discovered;
use super::record::DiscoveryStatus;
use super::source::McpSource;
use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Semaphore;
use toolscout_core::{Cx, SourceError};

/// So many servers are started at a time.
const AT_ONCE: usize = 8;
/// One that has not answered after this long waits on the side, and lets the next one start.
const STEPS_ASIDE: Duration = Duration::from_millis(500);

/// Asks these servers what they have, and shows each answer as it comes. Servers that answered the last time come first,
/// those that failed last. Cancel-safe: dropping the future ends all that it has started.
pub async fn refresh_all(
    sources: &[Arc<McpSource>],
    cx: &Cx,
    mut watch: impl FnMut(&McpSource, &Result<Discovered, SourceError>),
) {
    let mut ordered: Vec<_> = sources.iter().collect();
    ordered.sort_by_key(|it| hopes(it, cx));
    let places = Semaphore::new(AT_ONCE);
    let places = &places;
    let mut asked: FuturesUnordered<_> =
        ordered.into_iter().map(|it| async move { (it, ask_in_turn(it, cx, places).await) }).collect();
    while let Some((source, answer)) = asked.next().await {
        watch(source, &answer);
    }
}

/// Waits for a place, and gives it back when done, or when it takes long.
async fn ask_in_turn(source: &McpSource, cx: &Cx, places: &Semaphore) -> Result<Discovered, SourceError> {
    // The semaphore is never closed; if it were, asking at once would be right, too.
    let place = places.acquire().await.ok();
    let asking = source.refresh(cx);
    tokio::pin!(asking);
    match tokio::time::timeout(STEPS_ASIDE, &mut asking).await {
        Ok(answer) => answer,
        Err(_) => {
            drop(place);
            asking.await
        }
    }
}

/// How little hope there is that the server answers soon.
fn hopes(source: &McpSource, cx: &Cx) -> u8 {
    match source.state(cx).map(|it| it.record.status) {
        Ok(DiscoveryStatus::Success) => 0,
        Ok(DiscoveryStatus::Failed) => 2,
        _ => 1,
    }
}
