//! Tools that were called after a query like this one.

use super::{SignalInput, SignalScores};
use crate::{Index, Query};

struct FeedbackScores(Vec<(u32, f32)>);

pub(super) fn signal<'a>(input: &SignalInput<'a>) -> Box<dyn SignalScores + 'a> {
    Box::new(FeedbackScores(feedback(input.index, input.query)))
}

/// The tools that relevance feedback supports, and the amount added to their score.
pub(crate) fn feedback(index: &Index, query: &Query<'_>) -> Vec<(u32, f32)> {
    query
        .learned
        .map(|learned| learned.feedback(index, query.text, query.embedding))
        .unwrap_or_default()
}

impl SignalScores for FeedbackScores {
    fn additions(&self) -> &[(u32, f32)] {
        &self.0
    }

    fn reason(&self, tool: u32) -> Option<String> {
        let is_called = self.0.iter().any(|(called, _)| *called == tool);
        is_called.then(|| "was called after a similar search".to_owned())
    }
}
