//! Finds similarly spelled words.

#[cfg(test)]
mod tests;

use crate::vocabulary::TermVocabulary;

/// The letter set of every word of a vocabulary, to exclude most words without reading them.
#[derive(Debug, Default)]
pub(crate) struct SpellingIndex {
    letter_sets: Vec<u32>,
}

/// A likely correction of an unknown word, and its edit distance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SpellingGuess {
    pub(crate) term: u32,
    pub(crate) distance: usize,
}

const MIN_LENGTH: usize = 4;
/// Words of at least this many letters may have two errors.
const TWO_ERRORS_LENGTH: usize = 8;
const MAX_GUESSES: usize = 2;

impl SpellingIndex {
    pub(crate) fn new(vocabulary: &TermVocabulary) -> Self {
        Self { letter_sets: vocabulary.words().map(|(_, word)| letter_set(word)).collect() }
    }

    /// The nearest words; among equals those with the same first letter, then those in more tools.
    pub(crate) fn guesses(
        &self,
        word: &str,
        vocabulary: &TermVocabulary,
        tools: impl Fn(u32) -> usize,
    ) -> Vec<SpellingGuess> {
        let length = word.chars().count();
        if length < MIN_LENGTH || !word.chars().all(char::is_alphabetic) {
            return Vec::new();
        }
        let max_distance = if length < TWO_ERRORS_LENGTH { 1 } else { 2 };
        let own = letter_set(word);
        let mut found: Vec<(usize, bool, usize, u32)> = Vec::new();
        for (term, theirs) in (0..).zip(&self.letter_sets) {
            if (own ^ theirs).count_ones() as usize > 2 * max_distance {
                continue;
            }
            let other = vocabulary.word(term);
            if other.len().abs_diff(word.len()) > max_distance || other.len() < MIN_LENGTH - 1 {
                continue;
            }
            if let Some(distance) = edit_distance(word, other, max_distance) {
                let is_same_start = other.chars().next() == word.chars().next();
                found.push((distance, !is_same_start, usize::MAX - tools(term), term));
            }
        }
        found.sort_unstable();
        let least = found.first().map_or(0, |value| value.0);
        let nearest = found.into_iter().take_while(|item| item.0 == least).take(MAX_GUESSES);
        nearest.map(|(distance, _, _, term)| SpellingGuess { term, distance }).collect()
    }
}

/// The set of letters in a word as bits; all characters other than `a` to `z` share six bits.
fn letter_set(word: &str) -> u32 {
    word.bytes().fold(0, |all, byte| {
        all | 1 << if byte.is_ascii_lowercase() { byte - b'a' } else { 26 + byte % 6 }
    })
}

/// Maximum length of words that are compared by this code.
const MAX_LENGTH: usize = 64;

/// The edit distance (deletion, insertion, substitution, transposition of neighbours). None if it
/// exceeds `max_distance`, which is detected early, since nearly all words do.
fn edit_distance(one: &str, other: &str, max_distance: usize) -> Option<usize> {
    if !one.is_ascii() || !other.is_ascii() || one.len().max(other.len()) > MAX_LENGTH {
        return Some(strsim::osa_distance(one, other)).filter(|distance| *distance <= max_distance);
    }
    let (one, other) = (one.as_bytes(), other.as_bytes());
    // Three rows of the distance matrix: two rows before, one row before, and the current row.
    let (mut before, mut last, mut row) =
        ([0; MAX_LENGTH + 1], [0; MAX_LENGTH + 1], [0; MAX_LENGTH + 1]);
    for (cell, at) in last.iter_mut().zip(0u8..) {
        *cell = at;
    }
    let too_far = max_distance as u8 + 1;
    for (at, letter) in (1usize..).zip(one) {
        // Cells further than `max_distance` from the diagonal exceed the limit.
        let (from, to) =
            (at.saturating_sub(max_distance).max(1), (at + max_distance).min(other.len()));
        row[from - 1] = if from == 1 { at as u8 } else { too_far };
        let mut least = row[from - 1];
        for to_at in from..=to {
            let is_same = other[to_at - 1] == *letter;
            let above = if to_at == at + max_distance { too_far } else { last[to_at] + 1 };
            let mut cell =
                (last[to_at - 1] + u8::from(!is_same)).min(above).min(row[to_at - 1] + 1);
            if at > 1 && to_at > 1 && other[to_at - 2] == *letter && other[to_at - 1] == one[at - 2]
            {
                cell = cell.min(before[to_at - 2] + 1);
            }
            row[to_at] = cell;
            least = least.min(cell);
        }
        if least >= too_far {
            return None;
        }
        (before, last, row) = (last, row, before);
    }
    Some(usize::from(last[other.len()])).filter(|value| *value <= max_distance)
}
