//! Watches sources, so that the catalog follows their changes.

use crate::Gateway;
use futures_util::future::{FutureExt, join};
use futures_util::stream::{Fuse, FuturesUnordered, StreamExt};
use std::collections::HashSet;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{broadcast, watch};
use toolscout_core::{BoxStream, Cx, LibraryEvent, Source, SourceId};

/// Delay between two refreshes of a source after change hints; hints during the delay are combined.
const PAUSE: Duration = Duration::from_millis(100);
/// Maximum number of hints combined at once, because a source may have hints ready without end.
const HINTS: usize = 1_024;
/// Maximum number of events queued for a receiver.
const WAITING: usize = 256;

/// Broadcasts the events of libraries.
pub(crate) struct LibraryEvents(broadcast::Sender<(SourceId, LibraryEvent)>);

impl Default for LibraryEvents {
    fn default() -> Self {
        Self(broadcast::Sender::new(WAITING))
    }
}

impl Gateway {
    /// Counts changes of the tools that all requests see: other tools, or changed texts. A refresh
    /// without changes does not count.
    pub fn changes(&self) -> watch::Receiver<u64> {
        self.publisher.changes.subscribe()
    }

    /// The events in the libraries of all sources, while [`Gateway::watch`] runs. A slow receiver
    /// loses the oldest events, and receives the number of lost ones.
    pub fn library_news(&self) -> broadcast::Receiver<(SourceId, LibraryEvent)> {
        self.library_events.0.subscribe()
    }

    /// Watches all sources, including those added later: refreshes a source that hints at changes,
    /// with one refresh per source at a time, and forwards the events of libraries. Start it before
    /// the first refresh, since it receives only later hints. Never returns. Dropping the future
    /// stops it; no change stays half done.
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

    /// Watches one source until it is removed, and then returns it.
    async fn follow(&self, source: Arc<dyn Source>, cx: &Cx) -> Arc<dyn Source> {
        tokio::select! {
            // Checks for removal first: a removed source is not queried any more.
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
            // A hint during a refresh may refer to something that the refresh did not see.
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
                // Sending fails if there are no receivers, which is fine.
                let _ = self.library_events.0.send((source.id().clone(), it));
                tokio::task::coop::consume_budget().await;
            }
        }
        std::future::pending().await
    }
}

type ChangeHints<'a> = Fuse<BoxStream<'a, ()>>;

/// Waits for a hint, and takes those that came with it. Never returns if the stream has ended.
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

/// Runs the work, and returns whether there were hints during it.
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

/// The memory address, which is unique as long as the source is referenced.
fn address(source: &Arc<dyn Source>) -> usize {
    Arc::as_ptr(source).cast::<()>().addr()
}
