//! Reduces words to terms: stems, without stop words.

use hashbrown::HashSet;
use rust_stemmers::{Algorithm, Stemmer};
use std::borrow::Cow;
use std::sync::LazyLock;
use toolscout_core::Language;

/// Stop words, which occur in every query and every description.
static STOP_WORDS: LazyLock<HashSet<&str>> =
    LazyLock::new(|| include_str!("stop.txt").split_whitespace().collect());

/// The stemmers by script.
pub(crate) struct Stems {
    latin: Stemmer,
    cyrillic: Stemmer,
    greek: Stemmer,
    arabic: Stemmer,
}

impl Stems {
    pub(crate) fn new(language: Language) -> Self {
        Self {
            latin: Stemmer::create(algorithm(language)),
            cyrillic: Stemmer::create(Algorithm::Russian),
            greek: Stemmer::create(Algorithm::Greek),
            arabic: Stemmer::create(Algorithm::Arabic),
        }
    }

    /// The term of a lower-case word; none for a stop word.
    pub(crate) fn term<'a>(&self, word: &'a str) -> Option<Cow<'a, str>> {
        (!is_stop(word)).then(|| self.stem(word))
    }

    pub(crate) fn stem<'a>(&self, word: &'a str) -> Cow<'a, str> {
        match word.chars().next().map_or(0, u32::from) {
            0..0x0250 if word.bytes().any(|byte| byte.is_ascii_digit()) => word.into(),
            0..0x0250 => self.latin.stem(word),
            0x0370..0x0400 => self.greek.stem(word),
            0x0400..0x0530 => self.cyrillic.stem(word),
            0x0600..0x0700 => self.arabic.stem(word),
            _ => word.into(),
        }
    }
}

pub(crate) fn is_stop(word: &str) -> bool {
    STOP_WORDS.contains(word)
}

fn algorithm(language: Language) -> Algorithm {
    match language {
        Language::English => Algorithm::English,
        Language::German => Algorithm::German,
        Language::French => Algorithm::French,
        Language::Spanish => Algorithm::Spanish,
        Language::Portuguese => Algorithm::Portuguese,
        Language::Italian => Algorithm::Italian,
        Language::Dutch => Algorithm::Dutch,
        Language::Swedish => Algorithm::Swedish,
        Language::Norwegian => Algorithm::Norwegian,
        Language::Danish => Algorithm::Danish,
        Language::Finnish => Algorithm::Finnish,
        Language::Hungarian => Algorithm::Hungarian,
        Language::Romanian => Algorithm::Romanian,
        Language::Turkish => Algorithm::Turkish,
    }
}
