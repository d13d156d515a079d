//! The lexical and semantic scores of tools, before they are combined.

use crate::asked::QueryTerms;
use crate::scores::LexicalScores;
use crate::{Index, Query};

/// Lexical and semantic scores.
pub(crate) struct Evidence {
    pub(crate) asked: QueryTerms,
    pub(crate) words: LexicalScores,
    /// The similarity of the query to each tool; none without an encoder, NaN for a tool that is
    /// not encoded yet.
    pub(crate) meaning: Option<Vec<f32>>,
}

impl Evidence {
    pub(crate) fn of(index: &Index, query: &Query<'_>) -> Self {
        let (_, asked) = index.asked(query.text);
        Self {
            words: LexicalScores::of(&asked, &index.known.lexical),
            meaning: query.meaning.and_then(|it| index.known.vectors.similarities(it)),
            asked,
        }
    }

    /// The similarity of query and tool; none if it is not known.
    pub(crate) fn likeness(&self, tool: u32) -> Option<f32> {
        self.meaning.as_ref().map(|it| it[tool as usize]).filter(|it| !it.is_nan())
    }
}
