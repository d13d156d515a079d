//! A counter that several threads share.

use std::sync::atomic::{AtomicUsize, Ordering};

#[derive(Default)]
pub(crate) struct Counter(AtomicUsize);

impl Counter {
    /// Counts, and gives the number before.
    pub(crate) fn up(&self) -> usize {
        self.0.fetch_add(1, Ordering::SeqCst)
    }

    pub(crate) fn count(&self) -> usize {
        self.0.load(Ordering::SeqCst)
    }

    pub(crate) fn at_least(&self, count: usize) {
        self.0.fetch_max(count, Ordering::SeqCst);
    }
}
