//! What one tenant has taught: questions, and the tools that answered them. Bounded, the oldest go first.

use super::recent::RecentSearch;
use super::row::{self, FeedbackRowReader};
use std::sync::Arc;
use toolscout_core::{Moment, ToolId};
use toolscout_index::{LearnedQueries, Vector};

/// More questions about one tool would only say the same again.
const OF_TOOL: usize = 40;
const OF_TENANT: usize = 4_000;

/// A question that ended in a call that worked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FeedbackRecord {
    /// What was called.
    pub tool: ToolId,
    /// What had been asked, without secrets.
    pub question: String,
    /// How often.
    pub times: u64,
    /// When last.
    pub last: Moment,
}

#[derive(Debug, Clone, PartialEq)]
struct StoredFeedback {
    lesson: FeedbackRecord,
    /// The project whose tool it is; empty for tools of servers.
    project: Arc<str>,
    /// What the question means, and to whom.
    meaning: Option<(u64, Vector)>,
}

/// All lessons of one tenant, the oldest first.
#[derive(Debug, Default, Clone, PartialEq)]
pub(super) struct FeedbackRecords {
    all: Vec<StoredFeedback>,
}

impl FeedbackRecords {
    /// This question was answered by that tool.
    pub(super) fn add(&mut self, question: RecentSearch, tool: &ToolId, project: &Arc<str>, at: Moment) {
        let is_same = |it: &StoredFeedback| {
            it.lesson.tool == *tool && it.project == *project && it.lesson.question.eq_ignore_ascii_case(&question.text)
        };
        let before = self.all.iter().position(is_same).map(|at| self.all.remove(at));
        let times = before.as_ref().map_or(0, |it| it.lesson.times) + 1;
        let meaning = question.meaning.or_else(|| before.and_then(|it| it.meaning));
        let lesson = FeedbackRecord { tool: tool.clone(), question: question.text, times, last: at };
        self.all.push(StoredFeedback { lesson, project: project.clone(), meaning });
        self.bound(tool, project);
    }

    fn bound(&mut self, tool: &ToolId, project: &Arc<str>) {
        let is_about = |it: &StoredFeedback| it.lesson.tool == *tool && it.project == *project;
        if self.all.iter().filter(|it| is_about(it)).count() > OF_TOOL
            && let Some(oldest) = self.all.iter().position(is_about)
        {
            self.all.remove(oldest);
        }
        let many = self.all.len().saturating_sub(OF_TENANT);
        self.all.drain(..many);
    }

    /// Without what is known of these tools; says how much that was.
    pub(super) fn forget(&mut self, is_meant: impl Fn(&ToolId) -> bool) -> usize {
        let before = self.all.len();
        self.all.retain(|it| !is_meant(&it.lesson.tool));
        before - self.all.len()
    }

    pub(super) fn len(&self) -> usize {
        self.all.len()
    }

    pub(super) fn newest(&self) -> Option<Moment> {
        self.all.last().map(|it| it.lesson.last)
    }

    /// Those that count in this project, for people: the newest first.
    pub(super) fn shown(&self, project: &str) -> Vec<FeedbackRecord> {
        self.of(project).rev().map(|it| it.lesson.clone()).collect()
    }

    /// Those that count in this project, for the index. Vectors of another space say nothing.
    pub(super) fn learned(&self, project: &str, space: u64) -> LearnedQueries {
        let lesson = |it: &StoredFeedback| toolscout_index::LearnedQuery {
            tool: it.lesson.tool.clone(),
            question: it.lesson.question.clone(),
            meaning: it.meaning.as_ref().filter(|it| it.0 == space).map(|it| it.1.clone()),
        };
        LearnedQueries::of(self.of(project).map(lesson).collect())
    }

    fn of(&self, project: &str) -> impl DoubleEndedIterator<Item = &StoredFeedback> {
        self.all.iter().filter(move |it| it.project.is_empty() || &*it.project == project)
    }

    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let mut out = row::begun();
        for StoredFeedback { lesson, project, meaning } in &self.all {
            row::tool(&mut out, &lesson.tool);
            row::text(&mut out, &lesson.question);
            row::text(&mut out, project);
            row::number(&mut out, lesson.times);
            row::number(&mut out, lesson.last.0);
            row::meaning(&mut out, meaning.as_ref());
        }
        out
    }

    /// Reads what [`Self::to_bytes`] wrote; of anything else, what can be read.
    pub(super) fn from_bytes(bytes: &[u8]) -> Self {
        let mut lessons = Self::default();
        let Some(mut reader) = FeedbackRowReader::of(bytes) else { return lessons };
        while let Some(kept) = kept(&mut reader) {
            lessons.all.push(kept);
        }
        lessons
    }
}

fn kept(reader: &mut FeedbackRowReader<'_>) -> Option<StoredFeedback> {
    let (tool, question, project) = (reader.tool()?, reader.text()?, reader.text()?.into());
    let (times, last) = (reader.number()?, Moment(reader.number()?));
    Some(StoredFeedback { lesson: FeedbackRecord { tool, question, times, last }, project, meaning: reader.meaning()? })
}
