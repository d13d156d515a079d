//! The signals that adjust the combined score. A signal is one file and a line in [`SIGNALS`].

mod approval;
mod feedback;
mod own_name;
mod plain_words;

use crate::query_terms::QueryTerms;
use crate::scores::LexicalScores;
use crate::{Index, Query};

pub(crate) use feedback::feedback;
pub(crate) use own_name::named;

/// All signals, in the order in which they change a score; reasons come in the opposite order.
const SIGNALS: &[Signal] = &[
    feedback::signal,
    approval::signal,
    plain_words::signal,
    own_name::signal, // Last: an exact name decides.
];

/// Computes a signal for one query.
type Signal = for<'a> fn(&SignalInput<'a>) -> Box<dyn SignalScores + 'a>;

/// The query that a signal is computed for.
#[derive(Clone, Copy)]
pub(crate) struct SignalInput<'a> {
    pub(crate) index: &'a Index,
    pub(crate) query: &'a Query<'a>,
    pub(crate) terms: &'a QueryTerms,
    pub(crate) lexical: &'a LexicalScores,
}

/// The effects of one signal. Every method has a default that changes nothing.
pub(crate) trait SignalScores {
    /// Tools, and the amount added to their combined score before it becomes a confidence.
    fn additions(&self) -> &[(u32, f32)] {
        &[]
    }

    /// Tools that are hits regardless of their score.
    fn certain(&self) -> &[u32] {
        &[]
    }

    /// The new score of a tool, given the score so far. Below `floor` a tool is no hit.
    fn score(&self, _tool: u32, score: f64, _floor: f64) -> f64 {
        score
    }

    /// The reason to show for this tool.
    fn reason(&self, _tool: u32) -> Option<String> {
        None
    }
}

/// The effects of all signals.
pub(crate) struct Signals<'a>(Vec<Box<dyn SignalScores + 'a>>);

impl<'a> Signals<'a> {
    pub(crate) fn compute(input: &SignalInput<'a>) -> Self {
        Self(SIGNALS.iter().map(|signal| signal(input)).collect())
    }

    pub(crate) fn additions(&self) -> impl Iterator<Item = (u32, f32)> {
        self.0.iter().flat_map(|signal| signal.additions().iter().copied())
    }

    pub(crate) fn certain(&self) -> Vec<u32> {
        self.0.iter().flat_map(|signal| signal.certain().iter().copied()).collect()
    }

    pub(crate) fn score(&self, tool: u32, fit: f64, floor: f64) -> f64 {
        self.0.iter().fold(fit, |score, signal| signal.score(tool, score, floor))
    }

    pub(crate) fn reasons(&self, tool: u32) -> impl Iterator<Item = String> {
        self.0.iter().rev().filter_map(move |signal| signal.reason(tool))
    }
}
