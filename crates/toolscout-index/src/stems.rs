//! From words to terms: what two forms of a word have in common, and nothing for words that say nothing.

use hashbrown::HashSet;
use rust_stemmers::{Algorithm, Stemmer};
use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;
use std::sync::LazyLock;

/// Words that are in every question and every description.
static STOP: LazyLock<HashSet<&str>> = LazyLock::new(|| include_str!("stop.txt").split_whitespace().collect());

/// The language whose endings are taken off words in Latin letters. Words in other letters are of the language that is
/// written so.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Language {
    /// What nearly all tools are described in.
    #[default]
    English,
    /// `german`
    German,
    /// `french`
    French,
    /// `spanish`
    Spanish,
    /// `portuguese`
    Portuguese,
    /// `italian`
    Italian,
    /// `dutch`
    Dutch,
    /// `swedish`
    Swedish,
    /// `norwegian`
    Norwegian,
    /// `danish`
    Danish,
    /// `finnish`
    Finnish,
    /// `hungarian`
    Hungarian,
    /// `romanian`
    Romanian,
    /// `turkish`
    Turkish,
}

impl Language {
    /// Every language there is, with the word settings use.
    pub const ALL: [(Self, &'static str); 14] = [
        (Self::English, "english"),
        (Self::German, "german"),
        (Self::French, "french"),
        (Self::Spanish, "spanish"),
        (Self::Portuguese, "portuguese"),
        (Self::Italian, "italian"),
        (Self::Dutch, "dutch"),
        (Self::Swedish, "swedish"),
        (Self::Norwegian, "norwegian"),
        (Self::Danish, "danish"),
        (Self::Finnish, "finnish"),
        (Self::Hungarian, "hungarian"),
        (Self::Romanian, "romanian"),
        (Self::Turkish, "turkish"),
    ];

    fn algorithm(self) -> Algorithm {
        match self {
            Self::English => Algorithm::English,
            Self::German => Algorithm::German,
            Self::French => Algorithm::French,
            Self::Spanish => Algorithm::Spanish,
            Self::Portuguese => Algorithm::Portuguese,
            Self::Italian => Algorithm::Italian,
            Self::Dutch => Algorithm::Dutch,
            Self::Swedish => Algorithm::Swedish,
            Self::Norwegian => Algorithm::Norwegian,
            Self::Danish => Algorithm::Danish,
            Self::Finnish => Algorithm::Finnish,
            Self::Hungarian => Algorithm::Hungarian,
            Self::Romanian => Algorithm::Romanian,
            Self::Turkish => Algorithm::Turkish,
        }
    }
}

impl fmt::Display for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = Self::ALL.iter().find(|(it, _)| it == self).map_or("english", |(_, word)| word);
        f.pad(word)
    }
}

impl FromStr for Language {
    type Err = UnknownLanguage;

    fn from_str(word: &str) -> Result<Self, Self::Err> {
        let found = Self::ALL.iter().find(|(_, it)| *it == word);
        found.map(|(language, _)| *language).ok_or_else(|| UnknownLanguage(word.to_owned()))
    }
}

/// A word that names no language; the message lists those that do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownLanguage(String);

impl fmt::Display for UnknownLanguage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let known: Vec<String> = Language::ALL.iter().map(|(_, it)| format!("`{it}`")).collect();
        write!(
            f,
            "`{}` is not a language of search; use one of {}",
            toolscout_core::escape::line(&self.0),
            known.join(", ")
        )
    }
}

impl std::error::Error for UnknownLanguage {}

/// Takes endings off.
pub(crate) struct Stems {
    latin: Stemmer,
    cyrillic: Stemmer,
    greek: Stemmer,
    arabic: Stemmer,
}

impl Stems {
    pub(crate) fn of(language: Language) -> Self {
        Self {
            latin: Stemmer::create(language.algorithm()),
            cyrillic: Stemmer::create(Algorithm::Russian),
            greek: Stemmer::create(Algorithm::Greek),
            arabic: Stemmer::create(Algorithm::Arabic),
        }
    }

    /// What a word in lower case is looked up by; none where it says nothing.
    pub(crate) fn term<'a>(&self, word: &'a str) -> Option<Cow<'a, str>> {
        (!is_stop(word)).then(|| self.stem(word))
    }

    pub(crate) fn stem<'a>(&self, word: &'a str) -> Cow<'a, str> {
        match word.chars().next().map_or(0, u32::from) {
            0..0x0250 if word.bytes().any(|it| it.is_ascii_digit()) => word.into(),
            0..0x0250 => self.latin.stem(word),
            0x0370..0x0400 => self.greek.stem(word),
            0x0400..0x0530 => self.cyrillic.stem(word),
            0x0600..0x0700 => self.arabic.stem(word),
            _ => word.into(),
        }
    }
}

pub(crate) fn is_stop(word: &str) -> bool {
    STOP.contains(word)
}
