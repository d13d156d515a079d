//! The search engine of a gateway: its index, its encoder, and what both have worked out.

mod documents;
mod encoder;
mod engine;
mod indexed;
mod query_cache;
mod stamps;
mod store;

#[cfg(test)]
mod tests;

pub use encoder::LazyEncoder;
pub use engine::SearchEngine;
pub(crate) use indexed::{BuiltIndex, IndexSlot};

use crate::Query;
use std::sync::Arc;
use toolscout_core::Tool;
use toolscout_index::QueryEmbedding;

/// One tool that fits, how well, and why.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchHit {
    /// The tool, with its whole definition.
    pub tool: Arc<Tool>,
    /// From 0 to 1.
    pub score: f64,
    /// What in the tool fits the question.
    pub why: Vec<String>,
}

/// What a question means, and what there is to say about that.
#[derive(Debug, Clone, Default)]
pub struct EmbeddedQuery {
    /// None where words alone decide.
    pub meaning: Option<Arc<QueryEmbedding>>,
    /// Why meaning counts less than it should, for people.
    pub notes: Vec<String>,
}

impl EmbeddedQuery {
    /// The question, by its meaning, too.
    pub fn question<'a>(&'a self, query: Query<'a>) -> Query<'a> {
        Query { meaning: self.meaning.as_deref(), ..query }
    }
}
