//! Tools with short names are easier to call.

use super::{SignalInput, SignalScores};
use crate::Index;

/// Letters of a short name.
const SHORT: usize = 8;

struct Brevity<'a>(&'a Index);

pub(super) fn signal<'a>(input: &SignalInput<'a>) -> Box<dyn SignalScores + 'a> {
    Box::new(Brevity(input.index))
}

impl Brevity<'_> {
    fn is_short(&self, tool: u32) -> bool {
        self.0.tools.id(tool).name.as_str().len() <= SHORT
    }
}

impl SignalScores for Brevity<'_> {
    fn score(&self, tool: u32, score: f64, _: f64) -> f64 {
        if self.is_short(tool) { (score * 1.01).min(1.0) } else { score }
    }

    fn reason(&self, tool: u32) -> Option<String> {
        self.is_short(tool).then(|| "short name".to_owned())
    }
}
