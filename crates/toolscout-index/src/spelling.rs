//! Finds similarly spelled words.

#[cfg(test)]
mod tests;

use crate::vocabulary::TermVocabulary;

/// The letter set of every word of a vocabulary, to exclude most words without reading them.
#[derive(Debug, Default)]
pub(crate) struct SpellingIndex {
    letters: Vec<u32>,
}

/// A likely correction of an unknown word, and its edit distance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SpellingGuess {
    pub(crate) term: u32,
    pub(crate) slips: usize,
}

const SHORTEST: usize = 4;
/// Words of at least this many letters may have two errors.
const LONG: usize = 8;
const GUESSES: usize = 2;

impl SpellingIndex {
    pub(crate) fn of(vocabulary: &TermVocabulary) -> Self {
        Self { letters: vocabulary.words().map(|(_, word)| letters(word)).collect() }
    }

    /// The nearest words; among equals those with the same first letter, then those in more tools.
    pub(crate) fn guesses(
        &self,
        word: &str,
        vocabulary: &TermVocabulary,
        tools: impl Fn(u32) -> usize,
    ) -> Vec<SpellingGuess> {
        let length = word.chars().count();
        if length < SHORTEST || !word.chars().all(char::is_alphabetic) {
            return Vec::new();
        }
        let most = if length < LONG { 1 } else { 2 };
        let own = letters(word);
        let mut found: Vec<(usize, bool, usize, u32)> = Vec::new();
        for (term, theirs) in (0..).zip(&self.letters) {
            if (own ^ theirs).count_ones() as usize > 2 * most {
                continue;
            }
            let other = vocabulary.word(term);
            if other.len().abs_diff(word.len()) > most || other.len() < SHORTEST - 1 {
                continue;
            }
            if let Some(slips) = slips(word, other, most) {
                let is_same_start = other.chars().next() == word.chars().next();
                found.push((slips, !is_same_start, usize::MAX - tools(term), term));
            }
        }
        found.sort_unstable();
        let least = found.first().map_or(0, |it| it.0);
        let nearest = found.into_iter().take_while(|it| it.0 == least).take(GUESSES);
        nearest.map(|(slips, _, _, term)| SpellingGuess { term, slips }).collect()
    }
}

/// The set of letters in a word as bits; all characters other than `a` to `z` share six bits.
fn letters(word: &str) -> u32 {
    word.bytes()
        .fold(0, |all, it| all | 1 << if it.is_ascii_lowercase() { it - b'a' } else { 26 + it % 6 })
}

/// Maximum length of words that are compared by this code.
const LONGEST: usize = 64;

/// The edit distance (deletion, insertion, substitution, transposition of neighbours). None if it
/// exceeds `most`, which is detected early, since nearly all words do.
fn slips(one: &str, other: &str, most: usize) -> Option<usize> {
    if !one.is_ascii() || !other.is_ascii() || one.len().max(other.len()) > LONGEST {
        return Some(strsim::osa_distance(one, other)).filter(|it| *it <= most);
    }
    let (one, other) = (one.as_bytes(), other.as_bytes());
    // Three rows of the distance matrix: two rows before, one row before, and the current row.
    let (mut before, mut last, mut row) = ([0; LONGEST + 1], [0; LONGEST + 1], [0; LONGEST + 1]);
    for (cell, at) in last.iter_mut().zip(0u8..) {
        *cell = at;
    }
    let far = most as u8 + 1;
    for (at, letter) in (1usize..).zip(one) {
        // Cells further than `most` from the diagonal exceed the limit.
        let (from, to) = (at.saturating_sub(most).max(1), (at + most).min(other.len()));
        row[from - 1] = if from == 1 { at as u8 } else { far };
        let mut least = row[from - 1];
        for to_at in from..=to {
            let is_same = other[to_at - 1] == *letter;
            let above = if to_at == at + most { far } else { last[to_at] + 1 };
            let mut cell =
                (last[to_at - 1] + u8::from(!is_same)).min(above).min(row[to_at - 1] + 1);
            if at > 1 && to_at > 1 && other[to_at - 2] == *letter && other[to_at - 1] == one[at - 2]
            {
                cell = cell.min(before[to_at - 2] + 1);
            }
            row[to_at] = cell;
            least = least.min(cell);
        }
        if least >= far {
            return None;
        }
        (before, last, row) = (last, row, before);
    }
    Some(usize::from(last[other.len()])).filter(|it| *it <= most)
}
