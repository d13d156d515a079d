//! Listens to sources, so that what is known follows what is there.

use crate::Gateway;
use futures_util::future::{FutureExt, join};
use futures_util::stream::{Fuse, FuturesUnordered, StreamExt};
use std::collections::HashSet;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{broadcast, watch};
use toolscout_core::{BoxStream, Cx, LibraryEvent, Source, SourceId};

/// Between two refreshes of a source that were hinted at; what is hinted at meanwhile is one hint.
const PAUSE: Duration = Duration::from_millis(100);
/// Hints that are taken at once as one; a source that has more ready than that never has none.
const HINTS: usize = 1_024;
/// News that wait for a listener at most.
const WAITING: usize = 256;

/// What happens in libraries, told to who wants to hear it.
pub(crate) struct LibraryEvents(broadcast::Sender<(SourceId, LibraryEvent)>);

impl Default for LibraryEvents {
    fn default() -> Self {
        Self(broadcast::Sender::new(WAITING))
    }
}

impl Gateway {
    /// Counts how often what all requests are shown became something else: other tools, or others of their words. A refresh
    /// that finds what was there does not count.
    pub fn changes(&self) -> watch::Receiver<u64> {
        self.publisher.changes.subscribe()
    }

    /// What happens in the libraries of all sources, while somebody watches. Who listens too slowly loses what is oldest,
    /// and is told how much.
    pub fn library_news(&self) -> broadcast::Receiver<(SourceId, LibraryEvent)> {
        self.library_events.0.subscribe()
    }

    /// Follows all sources, also those that come later: refreshes the one that hints at changes, one refresh of each at a
    /// time, and passes on what happens in libraries. To be begun before the first refresh, since it hears only what is said
    /// from then on. Never ends by itself; dropping it ends it, and leaves nothing half done.
    pub async fn watch(&self, cx: &Cx) -> Infallible {
        let mut comings = self.publisher.comings.subscribe();
        let mut followed = HashSet::new();
        let mut follow = FuturesUnordered::new();
        loop {
            for source in self.sources().iter().filter(|it| followed.insert(address(it))) {
                follow.push(self.follow(source.clone(), cx));
            }
            tokio::select! {
                _ = comings.changed() => {}
                Some(gone) = follow.next() => {
                    followed.remove(&address(&gone));
                }
            }
        }
    }

    /// Follows one source until it is removed; gives it back then.
    async fn follow(&self, source: Arc<dyn Source>, cx: &Cx) -> Arc<dyn Source> {
        tokio::select! {
            // Who is gone is not asked any more.
            biased;
            () = self.until_gone(&source) => {}
            _ = join(self.heed(&source, cx), self.pass_on(&source)) => {}
        }
        source
    }

    async fn until_gone(&self, source: &Arc<dyn Source>) {
        let mut comings = self.publisher.comings.subscribe();
        while self.publisher.now().sources.has(source) && comings.changed().await.is_ok() {}
    }

    async fn heed(&self, source: &Arc<dyn Source>, cx: &Cx) -> Infallible {
        let mut hints = source.changes().fuse();
        loop {
            several(&mut hints).await;
            // What is hinted at after we have begun to look may not be what we see.
            while is_hinted_during(self.look(source, cx), &mut hints).await {}
        }
    }

    async fn look(&self, source: &Arc<dyn Source>, cx: &Cx) {
        let refreshed = self.ask(std::slice::from_ref(source), cx, |_| ()).await;
        for (id, error) in refreshed.failed {
            tracing::warn!(event = "refresh_failed", source = %id, error = %error);
        }
        for problem in refreshed.problems {
            tracing::debug!(event = "problem", source = %source.id(), message = problem.message);
        }
        tokio::time::sleep(PAUSE).await;
    }

    async fn pass_on(&self, source: &Arc<dyn Source>) -> Infallible {
        if let Some(library) = source.library() {
            let mut news = library.events();
            while let Some(it) = news.next().await {
                // Nobody listening is no news.
                let _ = self.library_events.0.send((source.id().clone(), it));
                tokio::task::coop::consume_budget().await;
            }
        }
        std::future::pending().await
    }
}

type ChangeHints<'a> = Fuse<BoxStream<'a, ()>>;

/// Waits for a hint, and takes those that came with it. Without end where there are no more.
async fn several(hints: &mut ChangeHints<'_>) {
    if hints.next().await.is_none() {
        std::future::pending::<()>().await;
    }
    for _ in 0..HINTS {
        if !matches!(hints.next().now_or_never(), Some(Some(()))) {
            break;
        }
    }
}

/// Does the work; says whether there were hints meanwhile.
async fn is_hinted_during(work: impl Future<Output = ()>, hints: &mut ChangeHints<'_>) -> bool {
    let mut work = std::pin::pin!(work);
    let mut is_hinted = false;
    loop {
        tokio::select! {
            () = &mut work => return is_hinted,
            hint = hints.next(), if !hints.is_done() => is_hinted |= hint.is_some(),
        }
        tokio::task::coop::consume_budget().await;
    }
}

/// Where it is in memory, which is nobody else's as long as somebody has it.
fn address(source: &Arc<dyn Source>) -> usize {
    Arc::as_ptr(source).cast::<()>().addr()
}
