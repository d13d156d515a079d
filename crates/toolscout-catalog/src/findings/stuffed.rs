//! Descriptions that repeat words to match every search.

use super::phrases::excerpt;
use super::words::WordSequence;
use super::{Finding, FindingKind, Severity};
use std::collections::HashSet;

/// Reports a long text with few different words.
pub(super) fn finding(text: &str, words: &WordSequence) -> Option<Finding> {
    const MIN_WORDS: usize = 80;
    if words.len() < MIN_WORDS {
        return None;
    }
    let distinct: HashSet<_> = (0..words.len()).map(|at| words.word(at)).collect();
    let is_stuffed = distinct.len() * 6 < words.len() && distinct.len() < MIN_WORDS;
    is_stuffed.then(|| {
        Finding::new(
            FindingKind::Stuffed,
            Severity::Note,
            excerpt(text, 0..text.floor_char_boundary(80)),
        )
    })
}
