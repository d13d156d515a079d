//! The feedback records of one tenant: queries, and the tools called after them. Bounded; the
//! oldest are evicted first.

use super::recent::RecentSearch;
use super::row::{self, FeedbackRowReader};
use std::sync::Arc;
use toolscout_core::{Moment, ToolId};
use toolscout_index::{LearnedQueries, Vector};

/// Maximum number of queries per tool; more add no information.
const OF_TOOL: usize = 40;
const OF_TENANT: usize = 4_000;

/// A search that was followed by a successful call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FeedbackRecord {
    /// The called tool.
    pub tool: ToolId,
    /// The query, with secrets redacted.
    pub question: String,
    /// The number of such calls.
    pub times: u64,
    /// The time of the last such call.
    pub last: Moment,
}

#[derive(Debug, Clone, PartialEq)]
struct StoredFeedback {
    lesson: FeedbackRecord,
    /// The project of the tool; empty for tools of servers.
    project: Arc<str>,
    /// The embedding of the query, and the vector space it belongs to.
    meaning: Option<(u64, Vector)>,
}

/// All feedback records of one tenant, oldest first.
#[derive(Debug, Default, Clone, PartialEq)]
pub(super) struct FeedbackRecords {
    all: Vec<StoredFeedback>,
}

impl FeedbackRecords {
    /// Adds a record: a search was followed by a successful call of this tool.
    pub(super) fn add(
        &mut self,
        question: RecentSearch,
        tool: &ToolId,
        project: &Arc<str>,
        at: Moment,
    ) {
        let is_same = |it: &StoredFeedback| {
            it.lesson.tool == *tool
                && it.project == *project
                && it.lesson.question.eq_ignore_ascii_case(&question.text)
        };
        let before = self.all.iter().position(is_same).map(|at| self.all.remove(at));
        let times = before.as_ref().map_or(0, |it| it.lesson.times) + 1;
        let meaning = question.meaning.or_else(|| before.and_then(|it| it.meaning));
        let lesson =
            FeedbackRecord { tool: tool.clone(), question: question.text, times, last: at };
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

    /// Deletes the records of these tools. Returns the number of deleted records.
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

    /// The records that apply to this project, newest first, for display.
    pub(super) fn shown(&self, project: &str) -> Vec<FeedbackRecord> {
        self.of(project).rev().map(|it| it.lesson.clone()).collect()
    }

    /// The records that apply to this project, for the index. Vectors of another space are left
    /// out, because they are not comparable.
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

    /// Parses the output of [`Self::to_bytes`]; stops at the first malformed entry.
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
    Some(StoredFeedback {
        lesson: FeedbackRecord { tool, question, times, last },
        project,
        meaning: reader.meaning()?,
    })
}
