//! What was asked in the last ten minutes, and what that has found.

use super::row::{self, FeedbackRowReader};
use std::collections::VecDeque;
use std::time::Duration;
use toolscout_core::{Moment, ToolId, redact};
use toolscout_index::Vector;

/// A call that comes later than that was not because of the question.
pub(super) const SHORTLY: Duration = Duration::from_secs(10 * 60);
/// Of more questions at once nobody knows which one a call is about.
const MOST: usize = 16;
/// Characters of a question that are kept.
const LONGEST: usize = 300;

/// A question, and what it has found.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct RecentSearch {
    pub(super) text: String,
    /// What it means, and to whom.
    pub(super) meaning: Option<(u64, Vector)>,
    /// Those that were not called yet.
    pub(super) hits: Vec<ToolId>,
    pub(super) asked: Moment,
}

/// The last questions of one owner, the newest last.
#[derive(Debug, Default, PartialEq)]
pub(super) struct RecentSearches {
    questions: VecDeque<RecentSearch>,
}

/// A question as it may be kept: in one line, without secrets, and not too long.
pub(super) fn fit(text: &str) -> String {
    // Redacted before it is cut: half a secret does not look like one.
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

    /// The newest question that has found this tool. It teaches about it once.
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

    /// As if these tools had not been found.
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

    /// Reads what [`Self::to_bytes`] wrote; of anything else, what can be read.
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
