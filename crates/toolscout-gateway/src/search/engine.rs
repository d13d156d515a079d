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
    index_data: Mutex<Option<IndexData>>,
    /// Whether `index_data` has changes that are not yet stored.
    has_unsaved_data: AtomicBool,
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
    pub fn stored_in(self, store: Arc<dyn Store>, project: &str) -> Self {
        Self { store: Some(SearchStore::new(store, project)), ..self }
    }

    /// An engine for another gateway that serves a part of this one's tools. It shares the cached
    /// results, so that nothing is computed twice.
    pub(crate) fn sharing_caches_of(main: &Arc<Self>) -> Self {
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

    /// Builds the index of these tools, reusing known data. If `is_shared`, the next index
    /// reuses the data of this one.
    pub(crate) fn index<'a>(
        &self,
        tools: impl Iterator<Item = &'a Arc<Tool>>,
        sources: &SourceSet,
        is_shared: bool,
    ) -> BuiltIndex {
        let (source_texts, stamps) = (SourceTexts::new(sources), self.stamps());
        let documents: Vec<_> = tools.map(|tool| source_texts.document(tool, stamps)).collect();
        if !is_shared {
            return self.to_built_index(Index::build_from(
                &IndexData::default(),
                self.language,
                &documents,
            ));
        }
        let previous = self.index_data();
        let index = Index::build_from(&previous, self.language, &documents);
        if !index.data().is_same(&previous) {
            self.set_index_data(index.data());
        }
        self.to_built_index(index)
    }

    pub(crate) fn to_built_index(&self, index: Index) -> BuiltIndex {
        let missing = self.encoder_id().map_or(0, |id| index.without_vector(id).count());
        BuiltIndex { index, missing }
    }

    /// Replaces the data about shared tools.
    pub(crate) fn set_index_data(&self, data: &IndexData) {
        *self.index_data.lock() = Some(data.clone());
        self.has_unsaved_data.store(true, Ordering::Relaxed);
    }

    fn index_data(&self) -> IndexData {
        let image = || self.store.as_ref()?.image(self.language);
        let main_data = || self.main.as_ref().map(|main| main.index_data());
        self.index_data
            .lock()
            .get_or_insert_with(|| image().or_else(main_data).unwrap_or_default())
            .clone()
    }

    /// Stores the index data for the next process, if it has changed.
    pub(crate) fn save(&self) {
        if !self.has_unsaved_data.swap(false, Ordering::Relaxed) {
            return;
        }
        let data = self.index_data.lock().clone();
        if let (Some(store), Some(data)) = (&self.store, data) {
            store.store_image(self.language, &data);
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
    pub(crate) fn cached_embedding(&self, text: &str) -> Option<Arc<QueryEmbedding>> {
        self.query_cache.get(text)
    }

    /// The embedding of a query. The first time, this runs the encoder, which is slow.
    pub(crate) fn embed_query(&self, text: &str) -> Option<Arc<QueryEmbedding>> {
        if let Some(embedding) = self.cached_embedding(text) {
            return Some(embedding);
        }
        let encoder = self.encoder.as_ref()?.get().ok()?;
        let embedding = Arc::new(QueryEmbedding::encode(encoder, text));
        self.query_cache.insert(text, &embedding);
        Some(embedding)
    }

    pub(crate) fn stored_vector(&self, encoder: &str, text: &str) -> Option<Vector> {
        self.store.as_ref()?.vector(encoder, text)
    }

    pub(crate) fn store_vector(&self, encoder: &str, text: &str, vector: &Vector) {
        if let Some(store) = &self.store {
            store.store_vector(encoder, text, vector);
        }
    }

    pub(crate) fn evict_vectors(&self) {
        if let (Some(store), Some(id)) = (&self.store, self.encoder_id()) {
            store.evict_vectors(id);
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
            let key = self.store.as_ref().and_then(SearchStore::key);
            StampHasher::new(&key.unwrap_or_else(random_key))
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
fn random_key() -> [u8; 32] {
    let mut key = [0; 32];
    for part in key.as_chunks_mut().0 {
        *part = RandomState::new().build_hasher().finish().to_le_bytes();
    }
    key
}
