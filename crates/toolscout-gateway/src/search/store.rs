//! What search has worked out, kept for the next process.
//!
//! Two things: the image of the index, one for each project, which a new process loads instead of reading all tools again; and
//! vectors one by one, which all projects share. Both can be lost: they are made again.

use std::sync::Arc;
use toolscout_core::{Lease, Namespace, Store};
use toolscout_index::{IndexData, Language, Vector};

/// The store, as search uses it.
#[derive(Clone)]
pub(super) struct SearchStore {
    store: Arc<dyn Store>,
    /// Whose image it is; nobody's where a gateway shows a part of what another one knows.
    project: Option<Arc<str>>,
}

/// Vectors that are kept at most. What a project uses is in its image as well.
const MOST_VECTORS: usize = 200_000;
/// Who is at it encodes for all: two processes would do everything twice.
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

    /// What was known when a process last wrote it down. What nobody can read is as good as none.
    pub(super) fn image(&self, language: Language) -> Option<IndexData> {
        let bytes = self.store.read(Namespace::Index, &self.image_key(language)?).ok()??;
        IndexData::from_bytes(&bytes)
    }

    pub(super) fn keep_image(&self, language: Language, known: &IndexData) {
        let Some(key) = self.image_key(language) else { return };
        if let Err(error) = self.store.write(Namespace::Index, &key, &known.to_bytes()) {
            tracing::debug!(event = "index_not_kept", %error);
        }
    }

    /// The words of another language are other words.
    fn image_key(&self, language: Language) -> Option<String> {
        self.project.as_ref().map(|it| format!("{it}-{language}"))
    }

    pub(super) fn vector(&self, encoder: &str, text: &str) -> Option<Vector> {
        let bytes = self.store.read(Namespace::Vector, &vector_key(encoder, text)).ok()??;
        Vector::from_bytes(&bytes)
    }

    pub(super) fn keep_vector(&self, encoder: &str, text: &str, vector: &Vector) {
        if let Err(error) = self.store.write(Namespace::Vector, &vector_key(encoder, text), &vector.to_bytes()) {
            tracing::debug!(event = "vector_not_kept", %error);
        }
    }

    /// Forgets vectors where there are too many: those of other encoders first, then any.
    pub(super) fn tidy(&self, encoder: &str) {
        let Ok(mut keys) = self.store.keys(Namespace::Vector) else { return };
        let Some(too_many) = keys.len().checked_sub(MOST_VECTORS) else { return };
        let own = format!("{encoder}/");
        keys.sort_by_key(|it| it.starts_with(&own));
        // A quarter more, so that the next one who comes does not have to do it again.
        for key in keys.iter().take(too_many + MOST_VECTORS / 4) {
            let _ = self.store.remove(Namespace::Vector, key);
        }
    }

    /// The right to encode; none while another process does. A store that cannot tell keeps nobody from working.
    pub(super) fn lease(&self) -> Option<Lease> {
        self.store.lease(LEASE).unwrap_or_else(|_| Some(Lease::new(())))
    }
}

/// By what is encoded and by whom: the same text in two projects has one vector.
fn vector_key(encoder: &str, text: &str) -> String {
    format!("{encoder}/{}", &blake3::hash(text.as_bytes()).to_hex()[..32])
}
