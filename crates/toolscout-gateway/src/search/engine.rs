//! The state that all searches of a gateway share: language, encoder and caches.

use super::documents::SourceTexts;
use super::encoder::LazyEncoder;
use super::indexed::BuiltIndex;
use super::query_cache::QueryCache;
use super::stamps::StampHasher;
use super::store::SearchStore;
use crate::sources::SourceSet;
use parking_lot::Mutex;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use toolscout_core::{Lease, Store, Tool};
use toolscout_index::{Index, IndexData, Language, QueryEmbedding, Vector};

/// The search engine of a gateway. The default searches English by words alone and stores nothing.
#[derive(Default)]
pub struct SearchEngine {
    language: Language,
    encoder: Option<Arc<LazyEncoder>>,
    store: Option<SearchStore>,
    query_cache: Arc<QueryCache>,
    stamps: OnceLock<StampHasher>,
    /// The data that the next index starts from.
    known: Mutex<Option<IndexData>>,
    /// Whether `known` has changes that are not yet stored.
    is_new: AtomicBool,
    /// The engine of another gateway that has all tools searched here.
    main: Option<Arc<SearchEngine>>,
    /// The number of background workers that embed tools.
    workers: AtomicUsize,
    /// Held by the search that embeds tools.
    pub(crate) encoding: Mutex<()>,
}

impl SearchEngine {
    /// A purely lexical engine.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the language for stemming.
    pub fn language(self, language: Language) -> Self {
        Self { language, ..self }
    }

    /// Enables semantic search with this encoder.
    pub fn encoder(self, encoder: LazyEncoder) -> Self {
        Self { encoder: Some(Arc::new(encoder)), ..self }
    }

    /// Sets the store for index data and vectors, and the project they belong to.
    pub fn kept(self, store: Arc<dyn Store>, project: &str) -> Self {
        Self { store: Some(SearchStore::new(store, project)), ..self }
    }

    /// An engine for another gateway that serves a part of this one's tools. It shares the cached
    /// results, so that nothing is computed twice.
    pub(crate) fn beside(main: &Arc<Self>) -> Self {
        let stamps = OnceLock::from(*main.stamps());
        Self {
            language: main.language,
            encoder: main.encoder.clone(),
            store: main.store.as_ref().map(SearchStore::without_image),
            query_cache: main.query_cache.clone(),
            stamps,
            main: Some(main.clone()),
            ..Self::default()
        }
    }

    /// Builds the index of these tools, reusing known data. If `is_everybodys`, the next index
    /// reuses the data of this one.
    pub(crate) fn index<'a>(
        &self,
        tools: impl Iterator<Item = &'a Arc<Tool>>,
        sources: &SourceSet,
        is_everybodys: bool,
    ) -> BuiltIndex {
        let (abouts, stamps) = (SourceTexts::of(sources), self.stamps());
        let documents: Vec<_> = tools.map(|it| abouts.document(it, stamps)).collect();
        if !is_everybodys {
            return self.made(Index::after(&IndexData::default(), self.language, &documents));
        }
        let before = self.known();
        let index = Index::after(&before, self.language, &documents);
        if !index.known().is_same(&before) {
            self.learn(index.known());
        }
        self.made(index)
    }

    pub(crate) fn made(&self, index: Index) -> BuiltIndex {
        let missing = self.encoder_id().map_or(0, |id| index.without_vector(id).count());
        BuiltIndex { index, missing }
    }

    /// Replaces the data about shared tools.
    pub(crate) fn learn(&self, known: &IndexData) {
        *self.known.lock() = Some(known.clone());
        self.is_new.store(true, Ordering::Relaxed);
    }

    fn known(&self) -> IndexData {
        let image = || self.store.as_ref()?.image(self.language);
        let others = || self.main.as_ref().map(|it| it.known());
        self.known.lock().get_or_insert_with(|| image().or_else(others).unwrap_or_default()).clone()
    }

    /// Stores the index data for the next process, if it has changed.
    pub(crate) fn remember(&self) {
        if !self.is_new.swap(false, Ordering::Relaxed) {
            return;
        }
        let known = self.known.lock().clone();
        if let (Some(kept), Some(known)) = (&self.store, known) {
            kept.keep_image(self.language, &known);
        }
    }

    pub(crate) fn lazy_encoder(&self) -> Option<&LazyEncoder> {
        self.encoder.as_deref()
    }

    /// The id of the vector space; `None` if there is no encoder.
    pub(crate) fn encoder_id(&self) -> Option<&str> {
        self.encoder.as_ref()?.id()
    }

    /// The cached embedding of a query.
    pub(crate) fn meaning(&self, text: &str) -> Option<Arc<QueryEmbedding>> {
        self.query_cache.meaning(text)
    }

    /// The embedding of a query. The first time, this runs the encoder, which is slow.
    pub(crate) fn find_meaning(&self, text: &str) -> Option<Arc<QueryEmbedding>> {
        if let Some(meaning) = self.meaning(text) {
            return Some(meaning);
        }
        let encoder = self.encoder.as_ref()?.get().ok()?;
        let meaning = Arc::new(QueryEmbedding::of(encoder, text));
        self.query_cache.keep(text, &meaning);
        Some(meaning)
    }

    pub(crate) fn kept_vector(&self, encoder: &str, text: &str) -> Option<Vector> {
        self.store.as_ref()?.vector(encoder, text)
    }

    pub(crate) fn keep_vector(&self, encoder: &str, text: &str, vector: &Vector) {
        if let Some(kept) = &self.store {
            kept.keep_vector(encoder, text, vector);
        }
    }

    pub(crate) fn tidy(&self) {
        if let (Some(kept), Some(id)) = (&self.store, self.encoder_id()) {
            kept.tidy(id);
        }
    }

    /// The exclusive right to embed tools; `None` while another process has it.
    pub(crate) fn lease(&self) -> Option<Lease> {
        self.store.as_ref().map_or_else(|| Some(Lease::new(())), SearchStore::lease)
    }

    /// Registers a background worker until the guard is dropped.
    pub(crate) fn worker(self: &Arc<Self>) -> EmbeddingWorker {
        self.workers.fetch_add(1, Ordering::Relaxed);
        EmbeddingWorker(self.clone())
    }

    pub(crate) fn has_workers(&self) -> bool {
        self.workers.load(Ordering::Relaxed) > 0
    }

    fn stamps(&self) -> &StampHasher {
        self.stamps.get_or_init(|| {
            let kept = self.store.as_ref().and_then(SearchStore::key);
            StampHasher::new(&kept.unwrap_or_else(chance))
        })
    }
}

/// A registered background worker.
pub(crate) struct EmbeddingWorker(Arc<SearchEngine>);

impl Drop for EmbeddingWorker {
    fn drop(&mut self) {
        self.0.workers.fetch_sub(1, Ordering::Relaxed);
    }
}

/// A random key for stamps that are not stored.
fn chance() -> [u8; 32] {
    let mut key = [0; 32];
    for part in key.as_chunks_mut().0 {
        *part = RandomState::new().build_hasher().finish().to_le_bytes();
    }
    key
}
