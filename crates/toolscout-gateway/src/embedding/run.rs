//! Embeds tools, a few at a time, each text once.

use crate::Gateway;
use crate::indexed_tools::{IndexedTools, MIN_PER_SEARCH};
use crate::published::PublishedCatalog;
use crate::search::BuiltIndex;
use crate::tasks::run_blocking;
use std::collections::HashSet;
use std::convert::Infallible;
use std::time::Duration;
use tokio::time::{Instant, sleep};
use toolscout_core::Lease;
use toolscout_index::{TextStamp, Vector, encoded_text};

/// Tools embedded in one batch in the background: few enough for one core, and to finish soon when
/// the process ends.
const BACKGROUND_BATCH: usize = 16;
/// The same, if a command waits for the result.
const COMMAND_BATCH: usize = 64;
/// The same during a search, which may have to stop soon.
const SEARCH_BATCH: usize = 4;
/// Tools looked up in the store in one batch.
const LOOKUP_BATCH: usize = 1_024;
/// Interval between publications of new embeddings to searches.
const PUBLISH_INTERVAL: Duration = Duration::from_secs(1);
/// Interval between writes of new embeddings to the store during a long run.
const SAVE_INTERVAL: Duration = Duration::from_secs(15);
/// Interval between checks of the progress of another process.
const POLL_INTERVAL: Duration = Duration::from_secs(2);
/// Delay before embedding newly published tools, so that clients can list them first.
const START_DELAY: Duration = Duration::from_millis(50);

impl Gateway {
    /// Embeds tools in the background as they are discovered. Every long-running process should run
    /// this. Never returns. Dropping the future stops the work after the current batch.
    pub async fn embed_in_background(&self) -> Infallible {
        let engine = self.publisher.now().engine.clone();
        let _worker = engine.worker();
        let mut changes = self.changes();
        loop {
            changes.borrow_and_update();
            sleep(START_DELAY).await;
            self.embed_until(None, BACKGROUND_BATCH, |_| ()).await;
            if changes.changed().await.is_err() {
                std::future::pending().await
            }
        }
    }

    /// Embeds tools for at most this time. Returns the number of tools without an embedding. For
    /// commands that have discovered tools.
    pub async fn embed_within(&self, time: Duration) -> usize {
        self.embed_until(Some(Instant::now() + time), COMMAND_BATCH, |_| ()).await;
        self.publisher.now().built_index().map_or(0, |value| value.missing)
    }

    /// Whether searches need embeddings that no search computes by itself.
    pub fn needs_indexing(&self) -> bool {
        let count = |built: &BuiltIndex| {
            let total = built.index.len();
            IndexedTools { indexed: total - built.missing, total }
        };
        self.publisher.now().built_index().is_some_and(|built| count(&built).needs_indexing())
    }

    /// Embeds all tools, and waits for a process that is doing the same. `watch` sees how far it
    /// is. Cancel-safe: the next run continues where this one stopped.
    pub async fn embed_all(&self, is_in_background: bool, watch: impl FnMut(IndexedTools)) {
        let batch = if is_in_background { BACKGROUND_BATCH } else { COMMAND_BATCH };
        self.embed_until(None, batch, watch).await;
    }

    /// How many tools have an embedding, here or in the store; `None` without an encoder. Embeds
    /// nothing.
    pub async fn indexed_tools(&self) -> Option<IndexedTools> {
        let publisher = self.publisher.clone();
        let look_up = move || {
            let catalog = publisher.now();
            catalog.engine.encoder_id()?;
            let mut run = EmbeddingRun::default();
            run.look_up(&catalog);
            run.publish(&catalog);
            Some(run.indexed(&catalog))
        };
        run_blocking(look_up).await.flatten()
    }

    async fn embed_until(
        &self,
        deadline: Option<Instant>,
        batch: usize,
        mut watch: impl FnMut(IndexedTools),
    ) {
        let mut run = EmbeddingRun::default();
        let mut saved = Instant::now();
        loop {
            let publisher = self.publisher.clone();
            let step = move || {
                let remaining = run.step(&publisher.now(), batch);
                if remaining != RemainingWork::More || run.is_due() {
                    run.publish(&publisher.now());
                }
                let indexed = run.indexed(&publisher.now());
                (run, remaining, indexed)
            };
            let Some((after, remaining, indexed)) = run_blocking(step).await else { return };
            run = after;
            watch(indexed);
            let is_over = deadline.is_some_and(|deadline| deadline <= Instant::now());
            match remaining {
                RemainingWork::More if !is_over => {}
                RemainingWork::Elsewhere if deadline.is_none() => sleep(POLL_INTERVAL).await,
                _ => break,
            }
            if saved.elapsed() > SAVE_INTERVAL {
                self.save_search_data().await;
                saved = Instant::now();
            }
        }
        let publisher = self.publisher.clone();
        run_blocking(move || run.finish(&publisher.now())).await;
        self.save_search_data().await;
    }

    /// Writes new embeddings to the store for the next process. For the end of a command.
    pub async fn save_search_data(&self) {
        let engine = self.publisher.now().engine.clone();
        run_blocking(move || engine.save()).await;
    }
}

/// The work left to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RemainingWork {
    Nothing,
    More,
    /// There is more work, and another process is doing it.
    Elsewhere,
}

/// The state of embedding one catalog after the other, kept between steps.
#[derive(Default)]
struct EmbeddingRun {
    /// The generation of the catalog.
    generation: u64,
    /// The texts visited in this catalog. Each is visited once, whatever the outcome.
    visited: HashSet<TextStamp>,
    /// Embeddings that are not yet published to searches.
    unpublished: Vec<(TextStamp, Vector)>,
    published_at: Option<Instant>,
    lease: Option<Lease>,
    encoded: usize,
}

impl EmbeddingRun {
    /// Looks up stored embeddings, and embeds at most `batch` of the tools that have none.
    fn step(&mut self, catalog: &PublishedCatalog, batch: usize) -> RemainingWork {
        let engine = &catalog.engine;
        let Some(id) = engine.encoder_id() else { return RemainingWork::Nothing };
        if self.generation != catalog.generation {
            self.generation = catalog.generation;
            self.visited.clear();
        }
        let built = catalog.ensure_index();
        let (mut unknown, mut looked_up) = (Vec::new(), 0);
        for (stamp, tool) in built.index.without_vector(id).filter(|_| built.missing > 0) {
            if unknown.len() == batch || looked_up == LOOKUP_BATCH {
                break;
            }
            if !self.visited.insert(stamp) {
                continue;
            }
            looked_up += 1;
            let text = encoded_text(tool);
            match engine.stored_vector(id, &text) {
                Some(vector) => self.unpublished.push((stamp, vector)),
                None => unknown.push((stamp, text)),
            }
        }
        match (unknown.is_empty(), looked_up) {
            (true, 0) => RemainingWork::Nothing,
            (true, _) => RemainingWork::More,
            (false, _) => self.encode(catalog, id, unknown),
        }
    }

    fn encode(
        &mut self,
        catalog: &PublishedCatalog,
        id: &str,
        unknown: Vec<(TextStamp, String)>,
    ) -> RemainingWork {
        let engine = &catalog.engine;
        if self.lease.is_none() {
            self.lease = engine.lease();
            // The previous holder of the lease may have embedded these in the meantime.
            unknown.iter().for_each(|(stamp, _)| {
                self.visited.remove(stamp);
            });
            return if self.lease.is_some() {
                RemainingWork::More
            } else {
                RemainingWork::Elsewhere
            };
        }
        let Some(Ok(encoder)) = engine.lazy_encoder().map(|lazy_encoder| lazy_encoder.get()) else {
            return RemainingWork::Nothing;
        };
        let texts: Vec<&str> = unknown.iter().map(|(_, text)| text.as_str()).collect();
        for ((stamp, text), numbers) in unknown.iter().zip(encoder.encode_all(&texts)) {
            let vector = Vector::quantize(&numbers);
            engine.store_vector(id, text, &vector);
            self.unpublished.push((*stamp, vector));
        }
        self.encoded += unknown.len();
        RemainingWork::More
    }

    /// Takes the embeddings of all tools that are in the store.
    fn look_up(&mut self, catalog: &PublishedCatalog) {
        let engine = &catalog.engine;
        let Some(id) = engine.encoder_id() else { return };
        let built = catalog.ensure_index();
        let stored = built.index.without_vector(id).filter_map(|(stamp, tool)| {
            Some((stamp, engine.stored_vector(id, &encoded_text(tool))?))
        });
        self.unpublished.extend(stored);
    }

    /// How many tools have an embedding, including those that are not yet published.
    fn indexed(&self, catalog: &PublishedCatalog) -> IndexedTools {
        let built = catalog.ensure_index();
        let total = built.index.len();
        let missing = built.missing.saturating_sub(self.unpublished.len());
        IndexedTools { indexed: total - missing, total }
    }

    fn is_due(&self) -> bool {
        self.published_at.is_none_or(|value| value.elapsed() > PUBLISH_INTERVAL)
    }

    /// Publishes the new embeddings to searches.
    fn publish(&mut self, catalog: &PublishedCatalog) {
        self.published_at = Some(Instant::now());
        let Some(id) = catalog.engine.encoder_id().filter(|_| !self.unpublished.is_empty()) else {
            return;
        };
        let index = catalog.ensure_index().index.with_vectors(id, self.unpublished.drain(..));
        catalog.replace_index(index);
    }

    fn finish(mut self, catalog: &PublishedCatalog) {
        self.publish(catalog);
        if self.encoded > 0 {
            catalog.engine.evict_vectors();
        }
    }
}

/// Embeds the tools of one catalog during a search, for about this time. A small catalog is
/// embedded as a whole, however slow the machine is.
///
/// Concurrent searches of one process wait for each other, and then use the embeddings of the first
/// one. With many tools left, a search waits no longer than its own time.
pub(super) fn embed_during_search(catalog: &PublishedCatalog, time: Duration) {
    let (mut run, deadline) = (EmbeddingRun::default(), Instant::now() + time);
    let encoding = &catalog.engine.encoding;
    let guard = if catalog.ensure_index().missing <= MIN_PER_SEARCH {
        Some(encoding.lock())
    } else {
        encoding.try_lock_for(time)
    };
    let Some(_guard) = guard else { return };
    while run.step(catalog, SEARCH_BATCH) == RemainingWork::More
        && (run.encoded < MIN_PER_SEARCH || Instant::now() < deadline)
    {}
    run.finish(catalog);
}
