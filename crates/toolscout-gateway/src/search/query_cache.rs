//! A cache of query embeddings: a repeated query does not wait for the encoder.

use parking_lot::Mutex;
use std::sync::Arc;
use toolscout_core::BoundedCache;
use toolscout_index::QueryEmbedding;

/// Queries cached.
const CAPACITY: usize = 256;
/// Longer queries are not cached; in bytes.
const MAX_QUERY_BYTES: usize = 4096;

/// The most recent queries and their embeddings.
pub(super) struct QueryCache(Mutex<BoundedCache<Box<str>, Arc<QueryEmbedding>>>);

impl Default for QueryCache {
    fn default() -> Self {
        Self(Mutex::new(BoundedCache::new(CAPACITY)))
    }
}

impl QueryCache {
    pub(super) fn get(&self, text: &str) -> Option<Arc<QueryEmbedding>> {
        self.0.lock().get(text).cloned()
    }

    pub(super) fn insert(&self, text: &str, embedding: &Arc<QueryEmbedding>) {
        if text.len() <= MAX_QUERY_BYTES {
            self.0.lock().insert(text.into(), embedding.clone());
        }
    }
}
