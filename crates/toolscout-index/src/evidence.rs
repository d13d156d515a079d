//! What words and meaning say about tools, before it is weighed.

use crate::asked::QueryTerms;
use crate::scores::LexicalScores;
use crate::{Index, Query};

/// What words and meaning say.
pub(crate) struct Evidence {
    pub(crate) asked: QueryTerms,
    pub(crate) words: LexicalScores,
    /// How alike query and tools are, by tool; none if there is no encoder, not a number if a tool is not encoded yet.
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

    /// How alike question and tool are; none where that is not known.
    pub(crate) fn likeness(&self, tool: u32) -> Option<f32> {
        self.meaning.as_ref().map(|it| it[tool as usize]).filter(|it| !it.is_nan())
    }
}
