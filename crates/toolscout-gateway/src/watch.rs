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
const MAX_COMBINED_HINTS: usize = 1_024;
/// Maximum number of events queued for a receiver.
const MAX_QUEUED_EVENTS: usize = 256;

/// Broadcasts the events of libraries.
pub(crate) struct LibraryEvents(broadcast::Sender<(SourceId, LibraryEvent)>);

impl Default for LibraryEvents {
    fn default() -> Self {
        Self(broadcast::Sender::new(MAX_QUEUED_EVENTS))
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
    pub fn library_events(&self) -> broadcast::Receiver<(SourceId, LibraryEvent)> {
        self.library_events.0.subscribe()
    }

    /// Watches all sources, including those added later: refreshes a source that hints at changes,
    /// with one refresh per source at a time, and forwards the events of libraries. Start it before
    /// the first refresh, since it receives only later hints. Never returns. Dropping the future
    /// stops it; no change stays half done.
    pub async fn watch(&self, cx: &Cx) -> Infallible {
        let mut source_changes = self.publisher.source_changes.subscribe();
        let mut followed = HashSet::new();
        let mut followers = FuturesUnordered::new();
        loop {
            for source in self.sources().iter().filter(|source| followed.insert(address(source))) {
                followers.push(self.follow(source.clone(), cx));
            }
            tokio::select! {
                _ = source_changes.changed() => {}
                Some(removed) = followers.next() => {
                    followed.remove(&address(&removed));
                }
            }
        }
    }

    /// Watches one source until it is removed, and then returns it.
    async fn follow(&self, source: Arc<dyn Source>, cx: &Cx) -> Arc<dyn Source> {
        tokio::select! {
            // Checks for removal first: a removed source is not queried any more.
            biased;
            () = self.wait_until_removed(&source) => {}
            _ = join(self.follow_hints(&source, cx), self.forward_events(&source)) => {}
        }
        source
    }

    async fn wait_until_removed(&self, source: &Arc<dyn Source>) {
        let mut source_changes = self.publisher.source_changes.subscribe();
        while self.publisher.now().sources.has(source) && source_changes.changed().await.is_ok() {}
    }

    async fn follow_hints(&self, source: &Arc<dyn Source>, cx: &Cx) -> Infallible {
        let mut hints = source.changes().fuse();
        loop {
            wait_for_hints(&mut hints).await;
            // A hint during a refresh may refer to something that the refresh did not see.
            while is_hinted_during(self.refresh_after_hint(source, cx), &mut hints).await {}
        }
    }

    async fn refresh_after_hint(&self, source: &Arc<dyn Source>, cx: &Cx) {
        let refreshed = self.discover_sources(std::slice::from_ref(source), cx, |_| ()).await;
        for (id, error) in refreshed.failed {
            tracing::warn!(event = "refresh_failed", source = %id, error = %error);
        }
        for diagnostic in refreshed.diagnostics {
            tracing::debug!(event = "diagnostic", source = %source.id(), message = diagnostic.message);
        }
        tokio::time::sleep(PAUSE).await;
    }

    async fn forward_events(&self, source: &Arc<dyn Source>) -> Infallible {
        if let Some(library) = source.library() {
            let mut events = library.events();
            while let Some(event) = events.next().await {
                // Sending fails if there are no receivers, which is fine.
                let _ = self.library_events.0.send((source.id().clone(), event));
                tokio::task::coop::consume_budget().await;
            }
        }
        std::future::pending().await
    }
}

type ChangeHints<'a> = Fuse<BoxStream<'a, ()>>;

/// Waits for a hint, and takes those that came with it. Never returns if the stream has ended.
async fn wait_for_hints(hints: &mut ChangeHints<'_>) {
    if hints.next().await.is_none() {
        std::future::pending::<()>().await;
    }
    for _ in 0..MAX_COMBINED_HINTS {
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
