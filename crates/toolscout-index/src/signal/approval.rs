//! Tools of approved sources win, unless others fit far better: an unapproved source
//! chooses its names and texts to be found.

use super::{SignalInput, SignalScores};
use crate::Index;

/// Factor for the score of a tool whose source is not approved.
const UNAPPROVED: f64 = 0.97;

struct Approval<'a>(&'a Index);

pub(super) fn signal<'a>(input: &SignalInput<'a>) -> Box<dyn SignalScores + 'a> {
    Box::new(Approval(input.index))
}

impl SignalScores for Approval<'_> {
    fn score(&self, tool: u32, score: f64, _: f64) -> f64 {
        if self.0.tools.is_approved(tool) { score } else { score * UNAPPROVED }
    }
}
