//! Tools of approved sources win, unless others fit far better: an unapproved source chooses its
//! names and texts to be found.

use super::{SignalInput, SignalScores};
use crate::Index;

/// Factor for the score of a tool whose source is not approved, beside approved ones.
const UNAPPROVED: f64 = 0.25;
/// The same if no tool of this index is approved; other indexes may have approved ones.
const ALL_UNAPPROVED: f64 = 0.97;

struct Approval<'a> {
    index: &'a Index,
    factor: f64,
}

pub(super) fn signal<'a>(input: &SignalInput<'a>) -> Box<dyn SignalScores + 'a> {
    let index = input.index;
    let is_mixed = index.approved_part().is_some();
    Box::new(Approval { index, factor: if is_mixed { UNAPPROVED } else { ALL_UNAPPROVED } })
}

impl SignalScores for Approval<'_> {
    /// A hit stays a hit.
    fn score(&self, tool: u32, score: f64, floor: f64) -> f64 {
        if self.index.tools.is_approved(tool) {
            score
        } else {
            (score * self.factor).max(score.min(floor))
        }
    }
}
