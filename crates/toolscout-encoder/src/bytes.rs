//! The bytes of a model, either in the program itself or in shared memory.

use std::ops::{Deref, Range};
use std::sync::Arc;

#[derive(Clone)]
pub(crate) enum Bytes {
    /// Mapped with the program, and loaded page by page on first access.
    #[cfg_attr(not(has_model), expect(dead_code, reason = "no model is built in"))]
    Static(&'static [u8]),
    Shared(Arc<Vec<u8>>),
}

impl Deref for Bytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Self::Static(bytes) => bytes,
            Self::Shared(bytes) => bytes,
        }
    }
}

/// Reads a number from the file in place, for tables of which a text needs few rows.
pub(crate) fn number_at(bytes: &[u8], section: &Range<usize>, index: usize) -> [u8; 4] {
    let at = section.start + 4 * index;
    bytes[at..at + 4].try_into().expect("a range of four is four bytes")
}
