//! Lexical scores: how much of a query the words of each tool cover.

use crate::lexical::{Lexical, unpack};
use crate::query_terms::{QueryTerm, QueryTerms, TermMatchKind, rarity};

/// The lexical score of every tool.
#[derive(Debug)]
pub(crate) struct LexicalScores {
    pub(crate) scores: Vec<f32>,
    /// The score of a tool with the full weight of every query word.
    pub(crate) maximum: f32,
    /// Whether any tool has a word of the query or a synonym, or most words have some match;
    /// otherwise the query may be nonsense.
    pub(crate) is_known: bool,
}

impl LexicalScores {
    pub(crate) fn compute(query_terms: &QueryTerms, lexical: &Lexical) -> Self {
        let is_exact_or_synonym = |query_term: &QueryTerm| {
            query_term.matches.iter().any(|term_match| {
                matches!(term_match.kind, TermMatchKind::Same | TermMatchKind::Synonym)
            })
        };
        let matched = query_terms.terms.iter().filter(|term| !term.matches.is_empty()).count();
        let is_known = query_terms.terms.iter().any(is_exact_or_synonym)
            || matched * 2 > query_terms.terms.len();
        let mut scores = Self { scores: vec![0.0; lexical.len()], maximum: 0.0, is_known };
        let mut scratch = Scratch::default();
        for term in &query_terms.terms {
            scores.maximum += term.rarity;
            scores.add(term, lexical, &mut scratch);
        }
        scores
    }

    /// The score relative to the attainable one; no tool covers every word of a long query, hence
    /// the root.
    pub(crate) fn relative(&self, tool: u32) -> f32 {
        self.scores[tool as usize] / self.maximum.sqrt().max(f32::MIN_POSITIVE)
    }

    /// The highest score of any tool.
    pub(crate) fn best(&self) -> f32 {
        self.scores.iter().copied().fold(0.0, f32::max)
    }

    fn add(&mut self, term: &QueryTerm, lexical: &Lexical, scratch: &mut Scratch) {
        if let [term_match] = term.matches.as_slice() {
            let weight = term_match.weight * term.rarity / 255.0;
            for posting in lexical.postings(term_match.term) {
                let (tool, impact) = unpack(*posting);
                self.scores[tool as usize] += weight * f32::from(impact);
            }
            return;
        }
        scratch.best.resize(self.scores.len(), 0.0);
        for term_match in &term.matches {
            let term_rarity = rarity(lexical.postings(term_match.term).len(), lexical.len());
            let weight = term_match.weight * term.rarity.min(term_rarity) / 255.0;
            // If a tool has the word itself, other matches do not count; among others, the best
            // counts.
            for posting in lexical.postings(term_match.term) {
                let (tool, impact) = unpack(*posting);
                let (best, value) = (&mut scratch.best[tool as usize], weight * f32::from(impact));
                if *best == 0.0 {
                    scratch.touched.push(tool);
                    *best = if term_match.kind == TermMatchKind::Same { -value } else { value };
                } else if *best > 0.0 {
                    *best = best.max(value);
                }
            }
        }
        for tool in scratch.touched.drain(..) {
            self.scores[tool as usize] += std::mem::take(&mut scratch.best[tool as usize]).abs();
        }
    }
}

/// The best match of one word for each tool. Negative if the tool has the word itself.
#[derive(Debug, Default)]
struct Scratch {
    best: Vec<f32>,
    touched: Vec<u32>,
}
