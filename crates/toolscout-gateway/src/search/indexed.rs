//! The index of one moment: made when somebody first searches, replaced as more is known of what tools mean.

use arc_swap::ArcSwap;
use std::sync::{Arc, OnceLock};
use toolscout_index::Index;

/// Where the index is, or will be.
#[derive(Default)]
pub(crate) struct IndexSlot(OnceLock<ArcSwap<BuiltIndex>>);

/// An index, and how much of it is still to be done.
#[derive(Debug)]
pub(crate) struct BuiltIndex {
    pub(crate) index: Index,
    /// How many of its tools have no vector, where they should.
    pub(crate) missing: usize,
}

impl IndexSlot {
    /// The index, if somebody has made it.
    pub(crate) fn get(&self) -> Option<Arc<BuiltIndex>> {
        self.0.get().map(ArcSwap::load_full)
    }

    /// The index. Who comes while it is made waits for it.
    pub(crate) fn get_or_make(&self, make: impl FnOnce() -> BuiltIndex) -> Arc<BuiltIndex> {
        self.0.get_or_init(|| ArcSwap::from_pointee(make())).load_full()
    }

    /// Another one in its place, over the same tools.
    pub(crate) fn replace(&self, made: Arc<BuiltIndex>) {
        self.0.get_or_init(|| ArcSwap::new(made.clone())).store(made);
    }
}
