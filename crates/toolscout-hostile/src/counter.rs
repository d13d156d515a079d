//! A counter shared by several threads.

use std::sync::atomic::{AtomicUsize, Ordering};

#[derive(Default)]
pub(crate) struct Counter(AtomicUsize);

impl Counter {
    /// Increments the counter, and returns the previous value.
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
