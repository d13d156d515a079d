//! Words that were nearly typed.

use crate::vocabulary::Vocabulary;

/// The letters of every word of a vocabulary, so that most are told apart without being read.
#[derive(Debug, Default)]
pub(crate) struct Near {
    letters: Vec<u32>,
}

/// What a word that is not known was probably meant to be, and how far it is from that.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Guess {
    pub(crate) term: u32,
    pub(crate) slips: usize,
}

const SHORTEST: usize = 4;
/// Words of at least so many letters may have two slips.
const LONG: usize = 8;
const GUESSES: usize = 2;

impl Near {
    pub(crate) fn of(vocabulary: &Vocabulary) -> Self {
        Self { letters: vocabulary.words().map(|(_, word)| letters(word)).collect() }
    }

    /// The nearest words, those in more tools first.
    pub(crate) fn guesses(&self, word: &str, vocabulary: &Vocabulary, tools: impl Fn(u32) -> usize) -> Vec<Guess> {
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
            let slips = strsim::osa_distance(word, other);
            if slips <= most {
                let is_same_start = other.chars().next() == word.chars().next();
                found.push((slips, !is_same_start, usize::MAX - tools(term), term));
            }
        }
        found.sort_unstable();
        let least = found.first().map_or(0, |it| it.0);
        let nearest = found.into_iter().take_while(|it| it.0 == least).take(GUESSES);
        nearest.map(|(slips, _, _, term)| Guess { term, slips }).collect()
    }
}

/// Which letters of the alphabet it has; all others share the rest.
fn letters(word: &str) -> u32 {
    word.bytes().fold(0, |all, it| all | 1 << if it.is_ascii_lowercase() { it - b'a' } else { 26 + it % 6 })
}
