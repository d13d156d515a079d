//! The search engine of a gateway: its index, its encoder, and the cached results of both.

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

/// A matching tool, with its score and the reasons.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchHit {
    /// The tool, with its whole definition.
    pub tool: Arc<Tool>,
    /// From 0 to 1.
    pub score: f64,
    /// The parts of the tool that match the query.
    pub why: Vec<String>,
}

/// The embedding of a query, and notes about it.
#[derive(Debug, Clone, Default)]
pub struct EmbeddedQuery {
    /// `None` for a purely lexical search.
    pub embedding: Option<Arc<QueryEmbedding>>,
    /// Messages for the user about limits of the semantic search, such as missing embeddings.
    pub notes: Vec<String>,
}

impl EmbeddedQuery {
    /// Adds the embedding to a query.
    pub fn apply_to<'a>(&'a self, query: Query<'a>) -> Query<'a> {
        Query { embedding: self.embedding.as_deref(), ..query }
    }
}
