//! Explains how a query was parsed and how a score is composed.

use crate::evidence::Evidence;
use crate::query_terms::{QueryTerm, TermMatchKind};
use crate::{Index, Query, signal, words};
use toolscout_core::ToolId;

/// A parsed query.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct QueryReading {
    /// The word-by-word translation to English, if the query is in another language.
    pub english: Option<String>,
    /// The words that count for lexical scores.
    pub words: Vec<QueryWordReading>,
}

/// A word of a query, and the words of tools that match it; not yet escaped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueryWordReading {
    /// The word as typed, or translated.
    pub word: String,
    /// Whether a tool has the word itself.
    pub is_known: bool,
    /// Likely corrections, if no tool has the word.
    pub corrected: Vec<String>,
    /// Other words that match it: synonyms, and compounds that it is a part of.
    pub related: Vec<String>,
}

impl QueryWordReading {
    /// Whether no tool has a match for it.
    pub fn is_unknown(&self) -> bool {
        !self.is_known && self.corrected.is_empty() && self.related.is_empty()
    }
}

impl QueryReading {
    /// The words that no tool matches.
    pub fn unknown(&self) -> impl Iterator<Item = &str> {
        self.words.iter().filter(|word| word.is_unknown()).map(|word| word.word.as_str())
    }

    /// Combines the readings of two indexes: a word that one of them knows is known.
    pub fn merge(mut self, other: Self) -> Self {
        for theirs in other.words {
            match self.words.iter_mut().find(|word| word.word == theirs.word) {
                Some(ours) => ours.join(theirs),
                None => self.words.push(theirs),
            }
        }
        self.english = self.english.or(other.english);
        self
    }
}

impl QueryWordReading {
    fn join(&mut self, other: Self) {
        self.is_known |= other.is_known;
        self.corrected.extend(other.corrected);
        self.related.extend(other.related);
        if self.is_known {
            self.corrected.clear();
        }
        for all in [&mut self.corrected, &mut self.related] {
            all.sort_unstable();
            all.dedup();
        }
    }
}

/// The parts of the score of a hit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ScoreParts {
    /// Whether the query is the name of the tool.
    pub is_named: bool,
    /// The share of the query that the words of the tool cover, from 0 to 1.
    pub lexical: f64,
    /// The semantic similarity of query and tool; none if it is not known.
    pub semantic: Option<f64>,
    /// The contribution of relevance feedback.
    pub feedback: f64,
    /// Whether a user approved its source.
    pub is_approved: bool,
}

impl Index {
    /// Parses a query and explains the result.
    pub fn reading(&self, text: &str) -> QueryReading {
        let (english, terms) = self.query_terms(text);
        let words = terms.terms.iter().map(|term| self.read_term(term)).collect();
        QueryReading { english, words }
    }

    fn read_term(&self, term: &QueryTerm) -> QueryWordReading {
        let spellings = |kinds: &[TermMatchKind]| {
            let matches = term.matches.iter().filter(|term_match| kinds.contains(&term_match.kind));
            matches.map(|term_match| self.original_spelling(term_match.term)).collect::<Vec<_>>()
        };
        QueryWordReading {
            word: term.word.clone(),
            is_known: term.matches.iter().any(|term_match| term_match.kind == TermMatchKind::Same),
            corrected: spellings(&[TermMatchKind::Near]),
            related: spellings(&[TermMatchKind::Synonym, TermMatchKind::Compound]),
        }
    }

    /// A term as spelled by the first tool that has it, so that users do not see stems.
    pub(crate) fn original_spelling(&self, term: u32) -> String {
        let lexical = &self.data.lexical;
        let stem = lexical.vocabulary.word(term);
        let first =
            lexical.postings(term).first().map(|posting| crate::lexical::unpack(*posting).0);
        let tool = first.map(|value| &self.tools.all[value as usize]);
        let texts = tool.into_iter().flat_map(|tool| {
            let texts =
                [Some(tool.id.name.as_str()), tool.title.as_deref(), tool.description.as_deref()];
            texts.into_iter().flatten().chain(tool.keywords.iter().map(String::as_str))
        });
        let mut found = None;
        for text in texts {
            words::for_each(text, |word| {
                if found.is_none() && self.stems.term(word).is_some_and(|term| term == stem) {
                    found = Some(word.to_owned());
                }
            });
        }
        found.unwrap_or_else(|| stem.to_owned())
    }

    /// The parts of the scores of these tools in the profile `ranked`; none for tools that are not
    /// in this index.
    pub fn parts(&self, query: &Query<'_>, tools: &[&ToolId]) -> Vec<Option<ScoreParts>> {
        let all = self.own_parts(query, tools);
        match self.approved_part() {
            Some(part) => {
                let approved = part.own_parts(query, tools).into_iter();
                approved.zip(all).map(|(approved, other)| approved.or(other)).collect()
            }
            None => all,
        }
    }

    fn own_parts(&self, query: &Query<'_>, tools: &[&ToolId]) -> Vec<Option<ScoreParts>> {
        let evidence = Evidence::gather(self, query);
        let maximum = evidence.lexical.maximum.max(f32::MIN_POSITIVE);
        let named = signal::named(self, &evidence.terms, query.text);
        let feedback = signal::feedback(self, query);
        let feedback_for = |tool: u32| {
            feedback.iter().find(|(called, _)| *called == tool).map_or(0.0, |(_, weight)| *weight)
        };
        let parts = |tool: &&ToolId| {
            let at = self.tools.position_of(tool)?;
            Some(ScoreParts {
                is_named: named.contains(&at),
                lexical: f64::from(evidence.lexical.scores[at as usize] / maximum),
                semantic: evidence.similarity(at).map(f64::from),
                feedback: f64::from(feedback_for(at)),
                is_approved: self.tools.is_approved(at),
            })
        };
        tools.iter().map(parts).collect()
    }
}
