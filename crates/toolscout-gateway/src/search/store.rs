//! Stores the results of indexing and embedding for the next process.
//!
//! There are two kinds of data: the image of the index, one per project, which a new process loads
//! instead of indexing all tools again; and individual vectors, which all projects share. Both can
//! be lost: they are computed again.

use std::sync::Arc;
use toolscout_core::{Lease, Namespace, Store};
use toolscout_index::{IndexData, Language, Vector};

/// The store, as search uses it.
#[derive(Clone)]
pub(super) struct SearchStore {
    store: Arc<dyn Store>,
    /// The project of the image; `None` for a gateway that serves a part of another one's tools.
    project: Option<Arc<str>>,
}

/// Maximum number of stored vectors. The image of a project contains its vectors as well.
const MAX_VECTORS: usize = 200_000;
/// The lease for embedding. Its holder embeds for all processes: two would do the same work twice.
const LEASE: &str = "vectors";

impl SearchStore {
    pub(super) fn new(store: Arc<dyn Store>, project: &str) -> Self {
        Self { store, project: Some(project.into()) }
    }

    pub(super) fn without_image(&self) -> Self {
        Self { store: self.store.clone(), project: None }
    }

    pub(super) fn key(&self) -> Option<[u8; 32]> {
        self.store.key().ok()
    }

    /// The index data that a process last stored. Unreadable data counts as absent.
    pub(super) fn image(&self, language: Language) -> Option<IndexData> {
        let bytes = self.store.read(Namespace::Index, &self.image_key(language)?).ok()??;
        IndexData::from_bytes(&bytes)
    }

    pub(super) fn store_image(&self, language: Language, data: &IndexData) {
        let Some(key) = self.image_key(language) else { return };
        if let Err(error) = self.store.write(Namespace::Index, &key, &data.to_bytes()) {
            tracing::debug!(event = "index_not_stored", %error);
        }
    }

    /// The key of the image. Another language has other word stems.
    fn image_key(&self, language: Language) -> Option<String> {
        self.project.as_ref().map(|project| format!("{project}-{language}"))
    }

    pub(super) fn vector(&self, encoder: &str, text: &str) -> Option<Vector> {
        let bytes = self.store.read(Namespace::Vector, &vector_key(encoder, text)).ok()??;
        Vector::from_bytes(&bytes)
    }

    pub(super) fn store_vector(&self, encoder: &str, text: &str, vector: &Vector) {
        if let Err(error) =
            self.store.write(Namespace::Vector, &vector_key(encoder, text), &vector.to_bytes())
        {
            tracing::debug!(event = "embedding_not_stored", %error);
        }
    }

    /// Deletes vectors if there are too many: those of other encoders first, then any.
    pub(super) fn evict_vectors(&self, encoder: &str) {
        let Ok(mut keys) = self.store.keys(Namespace::Vector) else { return };
        let Some(excess) = keys.len().checked_sub(MAX_VECTORS) else { return };
        let own = format!("{encoder}/");
        keys.sort_by_key(|key| key.starts_with(&own));
        // Deletes a quarter more, so that the next process does not have to do it again.
        for key in keys.iter().take(excess + MAX_VECTORS / 4) {
            let _ = self.store.remove(Namespace::Vector, key);
        }
    }

    /// The exclusive right to embed; `None` while another process has it. If the store fails,
    /// embedding is allowed.
    pub(super) fn lease(&self) -> Option<Lease> {
        self.store.lease(LEASE).unwrap_or_else(|_| Some(Lease::new(())))
    }
}

/// The key of a vector: the encoder and a hash of the text, so the same text in two projects has
/// one vector.
fn vector_key(encoder: &str, text: &str) -> String {
    format!("{encoder}/{}", &blake3::hash(text.as_bytes()).to_hex()[..32])
}
