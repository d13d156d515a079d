//! The lexical and semantic scores of tools, before they are combined.

use crate::query_terms::QueryTerms;
use crate::scores::LexicalScores;
use crate::{Index, Query};

/// Lexical and semantic scores.
pub(crate) struct Evidence {
    pub(crate) terms: QueryTerms,
    pub(crate) lexical: LexicalScores,
    /// The similarity of the query to each tool; none without an encoder, NaN for a tool that is
    /// not encoded yet.
    pub(crate) semantic: Option<Vec<f32>>,
}

impl Evidence {
    pub(crate) fn gather(index: &Index, query: &Query<'_>) -> Self {
        let (_, terms) = index.query_terms(query.text);
        Self {
            lexical: LexicalScores::compute(&terms, &index.data.lexical),
            semantic: query
                .embedding
                .and_then(|embedding| index.data.vectors.similarities(embedding)),
            terms,
        }
    }

    /// The similarity of query and tool; none if it is not known.
    pub(crate) fn similarity(&self, tool: u32) -> Option<f32> {
        self.semantic
            .as_ref()
            .map(|similarities| similarities[tool as usize])
            .filter(|similarity| !similarity.is_nan())
    }
}
