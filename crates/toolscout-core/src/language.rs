//! The natural languages whose words search can reduce to stems.

use serde::{Deserialize, Serialize};
use std::fmt;

/// The language of words in Latin letters. Words in other scripts have the language of their
/// script.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs)]
pub enum Language {
    #[default]
    English,
    German,
    French,
    Spanish,
    Portuguese,
    Italian,
    Dutch,
    Swedish,
    Norwegian,
    Danish,
    Finnish,
    Hungarian,
    Romanian,
    Turkish,
}

impl Language {
    /// Every language, with its name as written in configuration.
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
}

impl fmt::Display for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(Self::ALL[*self as usize].1)
    }
}
