//! Ranks tools against a question.
//!
//! Takes tools, gives an immutable [`Index`]; a [`Query`] gives [`Hit`]s, each with its reasons.
//! Pure: no files, no clock, no tokio. The same input always gives the same order.
//! Start reading at [`Index::search`]; how scores are made is a [`Profile`], each in a file of its own.

#![warn(missing_docs)]

mod entry;
mod ladder;
mod ladder2;
mod profile;
mod query;
mod question;
mod rung;
mod steps;
mod substring;

#[cfg(test)]
mod tests;

pub use profile::{Profile, UnknownProfile};
pub use query::{Hit, Query};

use entry::Entry;
use question::Question;
use toolscout_core::Tool;

/// Tools made ready to be found, in the order they were registered. Built once, never changed.
#[derive(Debug, Default)]
pub struct Index {
    entries: Vec<Entry>,
}

impl Index {
    /// Reads the tools; keeps none of them.
    pub fn build<'a>(tools: impl IntoIterator<Item = &'a Tool>) -> Self {
        Self { entries: tools.into_iter().map(Entry::of).collect() }
    }

    /// The tools that fit, best first, at most as many as the query wants.
    pub fn search(&self, query: &Query<'_>) -> Vec<Hit> {
        let question = Question::read(query.text);
        query.profile.rules().search(&self.entries, &question, query.bounded_limit())
    }

    /// How many tools can be found here.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there is nothing to find.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
}
