//! The tokens of a model in byte order, searched in place.
//!
//! Loading a model builds nothing: a [`VocabularyCursor`] narrows the sorted list byte by byte, as
//! in a dictionary.

use crate::bytes::number_at;
use std::ops::Range;

/// The location of the vocabulary in the bytes of a model. The number of a token is its rank.
#[derive(Clone, Debug)]
pub(crate) struct TokenVocabulary {
    pub(crate) len: usize,
    /// The start of each token in the text, and the end of the last one.
    pub(crate) starts: Range<usize>,
    pub(crate) text: Range<usize>,
}

impl TokenVocabulary {
    pub(crate) fn token<'a>(&self, bytes: &'a [u8], rank: usize) -> &'a [u8] {
        let text = &bytes[self.text.clone()];
        let start = |rank| u32::from_le_bytes(number_at(bytes, &self.starts, rank)) as usize;
        text.get(start(rank)..start(rank + 1)).unwrap_or_default()
    }

    /// A cursor before the first byte, at which every token is possible.
    pub(crate) fn cursor<'a>(&'a self, bytes: &'a [u8]) -> VocabularyCursor<'a> {
        VocabularyCursor { vocabulary: self, bytes, possible: 0..self.len, depth: 0 }
    }

    /// The first token that is not greater than the one before it, if the list is not sorted.
    pub(crate) fn first_disorder(&self, bytes: &[u8]) -> Option<usize> {
        (1..self.len).find(|index| self.token(bytes, index - 1) >= self.token(bytes, *index))
    }
}

/// A position in the vocabulary: all tokens that start with the bytes so far.
#[derive(Clone)]
pub(crate) struct VocabularyCursor<'a> {
    vocabulary: &'a TokenVocabulary,
    bytes: &'a [u8],
    possible: Range<usize>,
    depth: usize,
}

impl VocabularyCursor<'_> {
    /// Advances by one byte; false if no token continues with it.
    pub(crate) fn step(&mut self, byte: u8) -> bool {
        let from = self.first(|value| value >= Some(byte));
        self.possible.start = from;
        self.possible.end = self.first(|value| value > Some(byte));
        self.depth += 1;
        !self.possible.is_empty()
    }

    pub(crate) fn steps(&mut self, bytes: &[u8]) -> bool {
        bytes.iter().all(|byte| self.step(*byte))
    }

    /// The token that equals the bytes so far; it sorts before its extensions.
    pub(crate) fn token(&self) -> Option<u32> {
        let rank = self.possible.start;
        let is_complete = !self.possible.is_empty()
            && self.vocabulary.token(self.bytes, rank).len() == self.depth;
        is_complete.then_some(rank as u32)
    }

    /// The first possible token whose next byte satisfies the predicate; a token that ends here has
    /// none, and sorts first.
    fn first(&self, predicate: impl Fn(Option<u8>) -> bool) -> usize {
        let Range { mut start, mut end } = self.possible;
        while start < end {
            let middle = start.midpoint(end);
            let next = self.vocabulary.token(self.bytes, middle).get(self.depth).copied();
            if predicate(next) { end = middle } else { start = middle + 1 }
        }
        start
    }
}
