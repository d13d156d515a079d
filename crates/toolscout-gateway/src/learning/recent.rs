//! The searches of the last ten minutes, and their hits.

use super::row::{self, FeedbackRowReader};
use std::collections::VecDeque;
use std::time::Duration;
use toolscout_core::{Moment, ToolId, redact};
use toolscout_index::Vector;

/// A call later than this is not attributed to the search.
pub(super) const SHORTLY: Duration = Duration::from_secs(10 * 60);
/// Maximum number of recent searches. With more, a call cannot be attributed reliably.
const MOST: usize = 16;
/// Maximum number of characters stored of a query.
const LONGEST: usize = 300;

/// A search and its hits.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct RecentSearch {
    pub(super) text: String,
    /// The embedding, and the vector space it belongs to.
    pub(super) meaning: Option<(u64, Vector)>,
    /// The hits that were not called yet.
    pub(super) hits: Vec<ToolId>,
    pub(super) asked: Moment,
}

/// The recent searches of one conversation, newest last.
#[derive(Debug, Default, PartialEq)]
pub(super) struct RecentSearches {
    questions: VecDeque<RecentSearch>,
}

/// A query in its stored form: on one line, without secrets, and of limited length.
pub(super) fn fit(text: &str) -> String {
    // Redacted before it is truncated: half a secret does not look like one.
    let start: String = text.chars().take(LONGEST * 8).collect();
    let words: Vec<_> = redact::text(&start).split_whitespace().map(str::to_owned).collect();
    words.join(" ").chars().filter(|it| !it.is_control()).take(LONGEST).collect()
}

impl RecentSearches {
    pub(super) fn add(&mut self, question: RecentSearch) {
        self.expire(question.asked);
        self.questions.retain(|it| it.text != question.text);
        self.questions.push_back(question);
        while self.questions.len() > MOST {
            self.questions.pop_front();
        }
    }

    /// The newest search that found this tool. Each search counts once for a tool.
    pub(super) fn take(&mut self, tool: &ToolId, now: Moment) -> Option<RecentSearch> {
        self.expire(now);
        for question in self.questions.iter_mut().rev() {
            if let Some(at) = question.hits.iter().position(|it| it == tool) {
                question.hits.remove(at);
                return Some(question.clone());
            }
        }
        None
    }

    /// Removes these tools from the hits of all searches.
    pub(super) fn forget(&mut self, is_meant: impl Fn(&ToolId) -> bool) {
        self.questions.iter_mut().for_each(|it| it.hits.retain(|tool| !is_meant(tool)));
        self.questions.retain(|it| !it.hits.is_empty());
    }

    pub(super) fn is_empty(&self) -> bool {
        self.questions.is_empty()
    }

    pub(super) fn expire(&mut self, now: Moment) {
        self.questions.retain(|it| it.asked.age(now) < SHORTLY);
    }

    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let mut out = row::begun();
        for RecentSearch { text, meaning, hits, asked } in &self.questions {
            row::text(&mut out, text);
            row::number(&mut out, asked.0);
            row::meaning(&mut out, meaning.as_ref());
            row::number(&mut out, hits.len() as u64);
            hits.iter().for_each(|it| row::tool(&mut out, it));
        }
        out
    }

    /// Parses the output of [`Self::to_bytes`]; stops at the first malformed entry.
    pub(super) fn from_bytes(bytes: &[u8]) -> Self {
        let mut recent = Self::default();
        let Some(mut reader) = FeedbackRowReader::of(bytes) else { return recent };
        while let Some(question) = question(&mut reader) {
            recent.questions.push_back(question);
        }
        recent
    }
}

fn question(reader: &mut FeedbackRowReader<'_>) -> Option<RecentSearch> {
    let (text, asked, meaning) = (reader.text()?, Moment(reader.number()?), reader.meaning()?);
    let count = reader.number()?;
    let hits = (0..count).map(|_| reader.tool()).collect::<Option<_>>()?;
    Some(RecentSearch { text, meaning, hits, asked })
}
