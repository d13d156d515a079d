//! Tools that were called after a query like this one.

use super::{SignalInput, SignalScores};
use crate::{Index, Query};

struct FeedbackScores(Vec<(u32, f32)>);

pub(super) fn signal<'a>(input: &SignalInput<'a>) -> Box<dyn SignalScores + 'a> {
    Box::new(FeedbackScores(lessons(input.index, input.query)))
}

/// The tools that relevance feedback supports, and the amount added to their score.
pub(crate) fn lessons(index: &Index, query: &Query<'_>) -> Vec<(u32, f32)> {
    query.learned.map(|it| it.lessons(index, query.text, query.meaning)).unwrap_or_default()
}

impl SignalScores for FeedbackScores {
    fn fits(&self) -> &[(u32, f32)] {
        &self.0
    }

    fn reason(&self, tool: u32) -> Option<String> {
        let is_called = self.0.iter().any(|(called, _)| *called == tool);
        is_called.then(|| "was called after such a question".to_owned())
    }
}
