//! A query as terms, and for each term the terms of tools that match it.

use crate::lexical::Lexical;
use crate::spelling::SpellingGuess;
use crate::{Index, synonyms, words};

/// The terms of a query.
#[derive(Debug, Default)]
pub(crate) struct QueryTerms {
    pub(crate) terms: Vec<QueryTerm>,
}

/// One word of the query.
#[derive(Debug)]
pub(crate) struct QueryTerm {
    /// The word as typed, or translated.
    pub(crate) word: String,
    /// The rarity among the tools, from 0 to 1; 1 for a word that no tool has.
    pub(crate) rarity: f32,
    /// The terms that match it, the word itself first.
    pub(crate) matches: Vec<TermMatch>,
}

/// A term of the tools that matches a word of the query.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct TermMatch {
    pub(crate) term: u32,
    /// The weight, relative to the word itself.
    pub(crate) weight: f32,
    pub(crate) kind: TermMatchKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TermMatchKind {
    Same,
    /// A term with nearly the same meaning.
    Synonym,
    /// A term with nearly the same spelling.
    Near,
    /// Two words of the query as one term, or one word as two terms.
    Compound,
}

/// Maximum number of terms. Real queries have fewer; more would only cost time.
const MAX_TERMS: usize = 64;
const SYNONYM_WEIGHT: f32 = 0.4;
const COMPOUND_WEIGHT: f32 = 0.8;

/// Parses queries for the tools of this index.
pub(crate) struct QueryReader<'a>(pub(crate) &'a Index);

/// A word with its stem. A name is capitalized within a sentence and is not spell-checked.
struct QueryWord {
    text: String,
    stem: String,
    is_name: bool,
}

impl<'a> QueryReader<'a> {
    fn lexical(&self) -> &'a Lexical {
        &self.0.data.lexical
    }

    pub(crate) fn read(&self, text: &str, english: Option<&str>) -> QueryTerms {
        let mut all = self.words(text);
        // The English translation covers everything, so foreign words that no tool has do not count
        // as missing.
        if let Some(english) = english {
            all.retain(|word| self.lexical().vocabulary.number(&word.stem).is_some());
            all.extend(self.words(english));
        }
        let mut query_terms = QueryTerms::default();
        for (at, word) in all.iter().enumerate() {
            if query_terms.terms.len() < MAX_TERMS
                && !all[..at].iter().any(|earlier| earlier.stem == word.stem)
            {
                query_terms.terms.extend(self.term(
                    word,
                    at.checked_sub(1).map(|before| &all[before]),
                    all.get(at + 1),
                ));
            }
        }
        query_terms
    }

    fn words(&self, text: &str) -> Vec<QueryWord> {
        let mut all = Vec::new();
        let mut is_start = true;
        for token in text.split_whitespace() {
            let is_name = !is_start && token.starts_with(char::is_uppercase);
            words::for_each(token, |word| {
                if let Some(stem) = self.0.stems.term(word) {
                    all.push(QueryWord { text: word.to_owned(), stem: stem.into_owned(), is_name });
                }
            });
            is_start = token.ends_with(['.', '!', '?', ':']);
        }
        all
    }

    /// None for a number that no tool has: it is a value, not a search term.
    fn term(
        &self,
        word: &QueryWord,
        before: Option<&QueryWord>,
        after: Option<&QueryWord>,
    ) -> Option<QueryTerm> {
        let own = self.lexical().vocabulary.number(&word.stem);
        let mut matches: Vec<TermMatch> = own
            .into_iter()
            .map(|term| TermMatch { term, weight: 1.0, kind: TermMatchKind::Same })
            .collect();
        matches.extend(self.synonyms(&word.stem));
        let joined = [before.map(|value| (value, word)), after.map(|value| (word, value))];
        matches.extend(
            joined.into_iter().flatten().filter_map(|(one, other)| self.joined(one, other)),
        );
        if matches.is_empty() && !word.is_name {
            matches = self.corrections(word);
        }
        if matches.is_empty() && word.text.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        let rarest =
            matches.iter().map(|term_match| self.rarity(term_match.term)).fold(0.0, f32::max);
        let rarity =
            own.map_or(if matches.is_empty() { 1.0 } else { rarest }, |value| self.rarity(value));
        Some(QueryTerm { word: word.text.clone(), rarity, matches })
    }

    fn synonyms(&self, stem: &str) -> impl Iterator<Item = TermMatch> {
        synonyms::of_stem(stem).iter().filter_map(|other| {
            let term = self.lexical().vocabulary.number(other)?;
            Some(TermMatch { term, weight: SYNONYM_WEIGHT, kind: TermMatchKind::Synonym })
        })
    }

    /// `data base` matches `database`.
    fn joined(&self, one: &QueryWord, other: &QueryWord) -> Option<TermMatch> {
        let compound = format!("{}{}", one.text, other.text);
        let term = self.lexical().vocabulary.number(&self.0.stems.stem(&compound))?;
        Some(TermMatch { term, weight: COMPOUND_WEIGHT, kind: TermMatchKind::Compound })
    }

    /// The likely intended terms for a word that no tool has.
    fn corrections(&self, word: &QueryWord) -> Vec<TermMatch> {
        let parts = self.parts(&word.text);
        if !parts.is_empty() {
            return parts;
        }
        let guesses = self.0.spelling().guesses(&word.stem, &self.lexical().vocabulary, |value| {
            self.lexical().postings(value).len()
        });
        let to_match = |spelling_guess: SpellingGuess| TermMatch {
            term: spelling_guess.term,
            weight: if spelling_guess.distance == 1 { 0.8 } else { 0.6 },
            kind: TermMatchKind::Near,
        };
        guesses.into_iter().map(to_match).collect()
    }

    /// `webpage` matches `web` and `page`.
    fn parts(&self, word: &str) -> Vec<TermMatch> {
        if !word.is_ascii() || word.len() < 6 {
            return Vec::new();
        }
        let number = |text: &str| self.lexical().vocabulary.number(&self.0.stems.stem(text));
        let to_match =
            |term| TermMatch { term, weight: COMPOUND_WEIGHT / 2.0, kind: TermMatchKind::Compound };
        let split =
            |at: usize| Some([to_match(number(&word[..at])?), to_match(number(&word[at..])?)]);
        (3..=word.len() - 3).rev().find_map(split).map_or_else(Vec::new, Vec::from)
    }

    fn rarity(&self, term: u32) -> f32 {
        rarity(self.lexical().postings(term).len(), self.lexical().len())
    }
}

/// The rarity of a term that this many of all tools have, relative to a term that no tool has.
pub(crate) fn rarity(tools: usize, all: usize) -> f32 {
    let weight = |tools: f32| (1.0 + (all as f32 - tools + 0.5) / (tools + 0.5)).ln();
    weight(tools as f32) / weight(0.5)
}
