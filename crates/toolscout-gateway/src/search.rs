//! Finds tools that fit a question.

use crate::{Gateway, Query};
use std::sync::Arc;
use toolscout_core::Tool;
use toolscout_core::door::Policy;
use toolscout_index::Index;

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

impl Gateway {
    /// The best fitting tools, best first; disabled ones are not there. Starts nothing.
    pub fn search(&self, query: &Query<'_>) -> Vec<SearchHit> {
        let published = self.published.load();
        let shown = |it: &&Arc<Tool>| (self.policies)(&it.id) != Policy::Disable;
        let index =
            published.index.get_or_init(|| Index::build(published.snapshot.tools().filter(shown).map(AsRef::as_ref)));
        let hits = index.search(query).into_iter();
        hits.filter_map(|hit| {
            let tool = published.snapshot.tool(&hit.id)?.tool.clone();
            Some(SearchHit { tool, score: hit.score, why: hit.why })
        })
        .collect()
    }
}
