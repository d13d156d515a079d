//! The index of one catalog: built by the first search, and replaced as more embeddings become
//! available.

use arc_swap::ArcSwap;
use std::sync::{Arc, OnceLock};
use toolscout_index::Index;

/// Holds the index once it is built.
#[derive(Default)]
pub(crate) struct IndexSlot(OnceLock<ArcSwap<BuiltIndex>>);

/// An index, and the number of missing embeddings.
#[derive(Debug)]
pub(crate) struct BuiltIndex {
    pub(crate) index: Index,
    /// The number of tools without a vector, if there is an encoder.
    pub(crate) missing: usize,
}

impl IndexSlot {
    /// The index, if it is built.
    pub(crate) fn get(&self) -> Option<Arc<BuiltIndex>> {
        self.0.get().map(ArcSwap::load_full)
    }

    /// The index. Concurrent callers wait while it is built.
    pub(crate) fn get_or_build(&self, build: impl FnOnce() -> BuiltIndex) -> Arc<BuiltIndex> {
        self.0.get_or_init(|| ArcSwap::from_pointee(build())).load_full()
    }

    /// Replaces the index by another one of the same tools.
    pub(crate) fn replace(&self, built: Arc<BuiltIndex>) {
        self.0.get_or_init(|| ArcSwap::new(built.clone())).store(built);
    }
}
