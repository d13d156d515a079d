//! The classic ladder profile. Its steps: exact name, prefix, keyword, part of the name, part of a
//! keyword, description, similar spelling.

use crate::normalized_query::NormalizedQuery;
use crate::rules::ScoringRules;
use crate::rung::{Met, Rung};
use crate::steps::{self, LadderSteps};
use crate::{Hit, Index, Query};

pub(crate) struct Ladder;

impl ScoringRules for Ladder {
    fn name(&self) -> &'static str {
        "ladder"
    }

    fn search(&self, index: &Index, query: &Query<'_>, normalized: &NormalizedQuery) -> Vec<Hit> {
        steps::search(self, index.tools.entries(), normalized, query)
    }
}

impl LadderSteps for Ladder {
    /// A mean with a penalty for words without a match.
    fn combine(&self, total: f64, matched: usize, total_words: usize) -> f64 {
        let mean = total / total_words as f64;
        match (matched, total_words) {
            (1, 1) => mean,
            _ if matched == total_words => mean * 0.9,
            _ => mean * matched as f64 / total_words as f64,
        }
    }

    fn on_name<'a>(&self, word: &'a str, name: &str) -> Option<Rung<'a>> {
        if name.starts_with(word) {
            Some(Rung::new(0.9, word, Met::NameStart))
        } else if name.contains(word) {
            Some(Rung::new(0.8, word, Met::NamePart))
        } else {
            None
        }
    }

    fn on_keyword<'a>(&self, word: &'a str, keyword: &'a str) -> Option<Rung<'a>> {
        if keyword == word {
            Some(Rung::new(0.85, word, Met::Keyword))
        } else if keyword.contains(word) {
            Some(Rung::new(0.7, word, Met::KeywordPart(keyword)))
        } else {
            None
        }
    }
}
