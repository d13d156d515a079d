//! Ranks tools for a query.
//!
//! Builds an immutable [`Index`] from tools; a [`Query`] returns [`Hit`]s, each with its reasons.
//! Pure: no files, no clock, no tokio. The same input always gives the same order. Start reading at
//! [`Index::search`]; a [`RankingProfile`] defines the scoring, each in its own file.

#![warn(missing_docs)]

mod by_meaning;
mod copies;
mod document;
mod encoder;
mod entry;
mod evidence;
mod explain;
mod fair_share;
mod fields;
mod fusion;
mod index_data;
mod ladder;
mod ladder2;
mod learned;
mod lexical;
mod lexicon;
mod normalized_query;
mod originals;
mod parameters;
mod profile;
mod query;
mod query_embedding;
mod query_terms;
mod ranked;
mod reasons;
mod rules;
mod rung;
mod scores;
mod signal;
mod spelling;
mod stems;
mod steps;
mod substring;
mod synonyms;
mod tools;
mod unapproved;
mod vectors;
mod vocabulary;
mod words;

#[cfg(test)]
mod tests;

pub use document::{TextStamp, ToolDocument};
pub use encoder::Encoder;
pub use explain::{QueryReading, QueryWordReading, ScoreParts};
pub use index_data::IndexData;
pub use learned::{LearnedQueries, LearnedQuery};
pub use profile::{RankingProfile, UnknownProfile};
pub use query::{Hit, Query, ToolScope};
pub use query_embedding::{QueryEmbedding, encoded_text};
pub use toolscout_core::Language;
pub use vectors::Vector;

use normalized_query::NormalizedQuery;
use originals::Originals;
use query_terms::{QueryReader, QueryTerms};
use spelling::SpellingIndex;
use std::fmt;
use std::sync::{Arc, OnceLock};
use stems::Stems;
use tools::IndexedTools;
use toolscout_core::Tool;

/// An index of tools, in the order they were given. Built once, never changed; cloning is cheap.
#[derive(Clone)]
pub struct Index {
    stems: Arc<Stems>,
    data: IndexData,
    tools: Arc<IndexedTools>,
    /// Built on the first query word that no tool has.
    spelling: Arc<OnceLock<SpellingIndex>>,
    /// Built by the first search.
    originals: Arc<OnceLock<Originals>>,
    /// Built by the first search.
    approved_part: Arc<OnceLock<Option<Box<Index>>>>,
}

impl Index {
    /// Indexes the tools.
    pub fn build(documents: &[ToolDocument<'_>]) -> Self {
        Self::build_from(&IndexData::default(), Language::default(), documents)
    }

    /// Indexes only the tools that `known` does not contain. The result is the same as that of a
    /// full build.
    pub fn build_from(
        known: &IndexData,
        language: Language,
        documents: &[ToolDocument<'_>],
    ) -> Self {
        let stems = Arc::new(Stems::new(language));
        let data = IndexData::update(known, &stems, documents);
        Self {
            stems,
            data,
            tools: Arc::new(IndexedTools::new(documents)),
            spelling: Arc::default(),
            originals: Arc::default(),
            approved_part: Arc::default(),
        }
    }

    /// The same tools with these vectors in addition; vectors of another encoder are dropped.
    pub fn with_vectors(
        &self,
        encoder: &str,
        new: impl IntoIterator<Item = (TextStamp, Vector)>,
    ) -> Self {
        let data = self.data.with_vectors(encoder, new);
        Self { data, approved_part: Arc::default(), ..self.clone() }
    }

    /// The matching tools, best first, up to the limit of the query.
    pub fn search(&self, query: &Query<'_>) -> Vec<Hit> {
        let hits = query.profile.rules().search(self, query, &NormalizedQuery::new(query.text));
        copies::demote(self, hits)
    }

    /// The index of the approved tools alone, if there are others as well.
    fn approved_part(&self) -> Option<&Self> {
        let build = || {
            let is_approved = |tool: &u32| self.tools.is_approved(*tool);
            let approved: Vec<u32> = (0..self.len() as u32).filter(is_approved).collect();
            // The terms of these tools are known by their stamps.
            let document = |tool: &u32| ToolDocument {
                tool: &self.tools.all[*tool as usize],
                stamp: self.data.lexical.stamps[*tool as usize],
                is_approved: true,
                source_description: "",
            };
            let is_part = !approved.is_empty() && approved.len() < self.len();
            is_part.then(|| {
                let documents: Vec<_> = approved.iter().map(document).collect();
                Box::new(Self {
                    stems: self.stems.clone(),
                    data: IndexData::update(&self.data, &self.stems, &documents),
                    tools: Arc::new(IndexedTools::new(&documents)),
                    spelling: Arc::default(),
                    originals: Arc::default(),
                    approved_part: Arc::default(),
                })
            })
        };
        self.approved_part.get_or_init(build).as_deref()
    }

    /// The approved tools that tools of unapproved sources copy.
    fn originals(&self) -> &Originals {
        self.originals.get_or_init(|| Originals::find(self))
    }

    /// The computed data about the tools, for the next index or the next process.
    pub fn data(&self) -> &IndexData {
        &self.data
    }

    /// The tools without a vector of this encoder, with their stamps.
    pub fn without_vector<'a>(
        &'a self,
        encoder: &'a str,
    ) -> impl Iterator<Item = (TextStamp, &'a Arc<Tool>)> {
        let vectors = &self.data.vectors;
        let has_none = move |at: &usize| {
            vectors.encoder != encoder || vectors.scales.get(*at).is_none_or(|scale| scale.is_nan())
        };
        (0..self.len())
            .filter(has_none)
            .map(|at| (self.data.lexical.stamps[at], &self.tools.all[at]))
    }

    /// The number of tools that have a vector.
    pub fn vectors(&self) -> usize {
        self.data.vectors.len()
    }

    /// The number of tools.
    pub fn len(&self) -> usize {
        self.tools.all.len()
    }

    /// Whether there are no tools.
    pub fn is_empty(&self) -> bool {
        self.tools.all.is_empty()
    }

    /// Parses a query into terms. If it is not in words that the tools have, it is translated to
    /// English first.
    fn query_terms(&self, text: &str) -> (Option<String>, QueryTerms) {
        let is_known =
            |word: &str| self.data.lexical.vocabulary.number(&self.stems.stem(word)).is_some();
        let english = lexicon::in_english(text, is_known);
        let terms = QueryReader(self).read(text, english.as_deref());
        (english, terms)
    }

    fn spelling(&self) -> &SpellingIndex {
        self.spelling.get_or_init(|| SpellingIndex::new(&self.data.lexical.vocabulary))
    }
}

impl Default for Index {
    fn default() -> Self {
        Self::build(&[])
    }
}

impl fmt::Debug for Index {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Index")
            .field("tools", &self.len())
            .field("vectors", &self.vectors())
            .finish_non_exhaustive()
    }
}
