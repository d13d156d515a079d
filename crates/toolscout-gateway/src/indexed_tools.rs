//! How many tools have an embedding.

use std::fmt;
use toolscout_core::grouped;

/// A search embeds at least this many tools, however long that takes.
pub(crate) const MIN_PER_SEARCH: usize = 24;

/// How many of the searchable tools have an embedding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IndexedTools {
    /// The tools with an embedding.
    pub indexed: usize,
    /// All searchable tools.
    pub total: usize,
}

impl IndexedTools {
    /// Whether so many embeddings are missing that a search does not compute them all.
    pub fn needs_indexing(self) -> bool {
        self.total.saturating_sub(self.indexed) > MIN_PER_SEARCH
    }

    /// Whether every tool has an embedding.
    pub fn is_complete(self) -> bool {
        self.indexed >= self.total
    }
}

impl fmt::Display for IndexedTools {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let total = grouped(self.total);
        if self.is_complete() {
            return write!(f, "Semantic index: all of {total} tools.");
        }
        let indexed = grouped(self.indexed);
        write!(f, "Semantic index: {indexed} of {total} tools; keyword search for the rest.")
    }
}
