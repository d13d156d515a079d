//! Descriptions that repeat words to match every search.

use super::phrases::excerpt;
use super::words::WordSequence;
use super::{Finding, FindingKind, Severity};
use std::collections::HashSet;

/// Reports a long text with few different words.
pub(super) fn finding(text: &str, words: &WordSequence) -> Option<Finding> {
    const LONG: usize = 80;
    if words.len() < LONG {
        return None;
    }
    let different: HashSet<_> = (0..words.len()).map(|at| words.word(at)).collect();
    let is_stuffed = different.len() * 6 < words.len() && different.len() < LONG;
    is_stuffed.then(|| {
        Finding::new(
            FindingKind::Stuffed,
            Severity::Note,
            excerpt(text, 0..text.floor_char_boundary(80)),
        )
    })
}
