//! Tools that words alone would find stay hits if embeddings are used, even if no word is rare, as
//! among few tools.

use super::{SignalInput, SignalScores};
use crate::scores::LexicalScores;

/// Minimum relative lexical score that makes a tool a hit, as it would be without embeddings.
const MIN_RELATIVE_SCORE: f32 = 0.2;

struct PlainWords<'a>(&'a LexicalScores);

pub(super) fn signal<'a>(input: &SignalInput<'a>) -> Box<dyn SignalScores + 'a> {
    Box::new(PlainWords(input.lexical))
}

impl SignalScores for PlainWords<'_> {
    fn score(&self, tool: u32, score: f64, floor: f64) -> f64 {
        let is_hit = self.0.is_known && self.0.relative(tool) >= MIN_RELATIVE_SCORE;
        if is_hit { score.max(floor + 0.1 * score) } else { score }
    }
}
