//! The second ladder profile: words inside names and keywords score almost as high as whole ones,
//! and the score of several words is a plain mean.

use crate::normalized_query::NormalizedQuery;
use crate::rules::ScoringRules;
use crate::rung::{Met, Rung};
use crate::steps::{self, LadderSteps};
use crate::{Hit, Index, Query};

pub(crate) struct Ladder2;

impl ScoringRules for Ladder2 {
    fn name(&self) -> &'static str {
        "ladder2"
    }

    fn search(&self, index: &Index, query: &Query<'_>, normalized: &NormalizedQuery) -> Vec<Hit> {
        steps::search(self, index.tools.entries(), normalized, query)
    }
}

impl LadderSteps for Ladder2 {
    fn combine(&self, total: f64, _matched: usize, total_words: usize) -> f64 {
        total / total_words as f64
    }

    fn on_name<'a>(&self, word: &'a str, name: &str) -> Option<Rung<'a>> {
        let mut tokens = name.split(['_', '-']);
        if name.starts_with(word) {
            Some(Rung::new(0.95, word, Met::NameStart))
        } else if !name.contains(word) {
            None
        } else if tokens.clone().any(|token| token == word) {
            Some(Rung::new(0.92, word, Met::NameWord))
        } else if tokens.any(|token| token.starts_with(word)) {
            Some(Rung::new(0.9, word, Met::NameWordStart))
        } else {
            Some(Rung::new(0.8, word, Met::NamePart))
        }
    }

    fn on_keyword<'a>(&self, word: &'a str, keyword: &'a str) -> Option<Rung<'a>> {
        if keyword == word {
            Some(Rung::new(0.85, word, Met::Keyword))
        } else if keyword.split_whitespace().any(|item| item == word) {
            Some(Rung::new(0.85, word, Met::KeywordPart(keyword)))
        } else if keyword.contains(word) {
            Some(Rung::new(0.7, word, Met::KeywordPart(keyword)))
        } else {
            None
        }
    }
}
