//! Finds tools that fit a question.

use crate::{Gateway, Query};
use std::sync::Arc;
use toolscout_core::Tool;

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
    /// The best fitting tools, best first; neither disabled ones nor those held for review are there, and
    /// [`Gateway::notes`] says so. Of what all requests have; one request's own is in its [`crate::View`]. Starts nothing.
    pub fn search(&self, query: &Query<'_>) -> Vec<SearchHit> {
        self.board.now().search(query)
    }
}
