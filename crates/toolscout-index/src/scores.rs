//! How much of a question each tool answers with its words.

use crate::asked::{QueryTerm, QueryTerms, TermMatchKind, rarity};
use crate::lexical::{Lexical, unpacked};

/// For every tool how much it says of what was asked.
#[derive(Debug)]
pub(crate) struct LexicalScores {
    pub(crate) of: Vec<f32>,
    /// What a tool would have that is all about every word of the question.
    pub(crate) most: f32,
    /// Whether any tool has a word of the question, or one that means the same, or most of them nearly: else it may be no question
    /// at all.
    pub(crate) is_known: bool,
}

impl LexicalScores {
    pub(crate) fn of(asked: &QueryTerms, lexical: &Lexical) -> Self {
        let is_said =
            |it: &QueryTerm| it.ways.iter().any(|it| matches!(it.kind, TermMatchKind::Same | TermMatchKind::Synonym));
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

    /// How much of what could be said this tool says; of a long question nobody answers every word.
    pub(crate) fn reached(&self, tool: u32) -> f32 {
        self.of[tool as usize] / self.most.sqrt().max(f32::MIN_POSITIVE)
    }

    /// The most that any tool has.
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
            // A tool that has the word itself is not judged by others; of others, the best counts.
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

/// What the ways to answer one word give, before the best is known. Negative where the word itself was met.
#[derive(Debug, Default)]
struct Scratch {
    best: Vec<f32>,
    touched: Vec<u32>,
}
