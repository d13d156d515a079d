//! Lexical scores: how much of a query the words of each tool cover.

use crate::asked::{QueryTerm, QueryTerms, TermMatchKind, rarity};
use crate::lexical::{Lexical, unpacked};

/// The lexical score of every tool.
#[derive(Debug)]
pub(crate) struct LexicalScores {
    pub(crate) of: Vec<f32>,
    /// The score of a tool with the full weight of every query word.
    pub(crate) most: f32,
    /// Whether any tool has a word of the query or a synonym, or most words have some match;
    /// otherwise the query may be nonsense.
    pub(crate) is_known: bool,
}

impl LexicalScores {
    pub(crate) fn of(asked: &QueryTerms, lexical: &Lexical) -> Self {
        let is_said = |it: &QueryTerm| {
            it.ways.iter().any(|it| matches!(it.kind, TermMatchKind::Same | TermMatchKind::Synonym))
        };
        let met = asked.terms.iter().filter(|it| !it.ways.is_empty()).count();
        let is_known = asked.terms.iter().any(is_said) || met * 2 > asked.terms.len();
        let mut scores = Self { of: vec![0.0; lexical.len()], most: 0.0, is_known };
        let mut scratch = Scratch::default();
        for term in &asked.terms {
            scores.most += term.rarity;
            scores.add(term, lexical, &mut scratch);
        }
        scores
    }

    /// The score relative to the attainable one; no tool covers every word of a long query, hence
    /// the root.
    pub(crate) fn reached(&self, tool: u32) -> f32 {
        self.of[tool as usize] / self.most.sqrt().max(f32::MIN_POSITIVE)
    }

    /// The highest score of any tool.
    pub(crate) fn best(&self) -> f32 {
        self.of.iter().copied().fold(0.0, f32::max)
    }

    fn add(&mut self, term: &QueryTerm, lexical: &Lexical, scratch: &mut Scratch) {
        if let [way] = term.ways.as_slice() {
            let worth = way.worth * term.rarity / 255.0;
            for posting in lexical.postings(way.term) {
                let (tool, impact) = unpacked(*posting);
                self.of[tool as usize] += worth * f32::from(impact);
            }
            return;
        }
        scratch.best.resize(self.of.len(), 0.0);
        for way in &term.ways {
            let others = rarity(lexical.postings(way.term).len(), lexical.len());
            let worth = way.worth * term.rarity.min(others) / 255.0;
            // If a tool has the word itself, other matches do not count; among others, the best
            // counts.
            for posting in lexical.postings(way.term) {
                let (tool, impact) = unpacked(*posting);
                let (best, value) = (&mut scratch.best[tool as usize], worth * f32::from(impact));
                if *best == 0.0 {
                    scratch.touched.push(tool);
                    *best = if way.kind == TermMatchKind::Same { -value } else { value };
                } else if *best > 0.0 {
                    *best = best.max(value);
                }
            }
        }
        for tool in scratch.touched.drain(..) {
            self.of[tool as usize] += std::mem::take(&mut scratch.best[tool as usize]).abs();
        }
    }
}

/// The best match of one word for each tool. Negative if the tool has the word itself.
#[derive(Debug, Default)]
struct Scratch {
    best: Vec<f32>,
    touched: Vec<u32>,
}
