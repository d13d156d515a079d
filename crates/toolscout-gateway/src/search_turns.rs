//! Runs searches away from the threads that serve requests, a few at a time, and in turn for the
//! clients that wait.

use crate::tasks::run_blocking;
use std::sync::Arc;
use std::thread::available_parallelism;
use toolscout_core::{Cx, FairShares, ShareKey, SharePermit};

/// The turns of searches. The queue needs no limit of its own: a waiting search is a pending
/// request of its client, and those are limited.
#[derive(Debug, Clone)]
pub(crate) struct SearchTurns(Arc<FairShares>);

impl Default for SearchTurns {
    /// Half of the processors, so that the others can serve requests.
    fn default() -> Self {
        let processors = available_parallelism().map_or(1, usize::from);
        let concurrent = (processors / 2).max(1);
        Self(FairShares::new(concurrent, concurrent))
    }
}

impl SearchTurns {
    /// Waits for the turn of this client. Cancel-safe.
    pub(crate) async fn take(&self, cx: &Cx) -> SearchTurn {
        SearchTurn(self.0.acquire(&ShareKey::of(cx)).await)
    }
}

/// The turn of one search.
pub(crate) struct SearchTurn(SharePermit);

impl SearchTurn {
    /// Runs the search; the turn ends with it, also if the caller no longer waits. `None` if the
    /// runtime shuts down.
    pub(crate) async fn run<T: Send + 'static>(
        self,
        search: impl FnOnce() -> T + Send + 'static,
    ) -> Option<T> {
        run_blocking(move || {
            let _permit = self.0;
            search()
        })
        .await
    }
}
