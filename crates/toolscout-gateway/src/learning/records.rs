//! The feedback records of one tenant: queries, and the tools called after them. Bounded; the
//! oldest are evicted first.

use super::recent::RecentSearch;
use super::row::{self, FeedbackRowReader};
use std::sync::Arc;
use toolscout_core::{Moment, ToolId};
use toolscout_index::{LearnedQueries, Vector};

/// Maximum number of queries per tool; more add no information.
const MAX_PER_TOOL: usize = 40;
const MAX_PER_TENANT: usize = 4_000;

/// A search that was followed by a successful call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FeedbackRecord {
    /// The called tool.
    pub tool: ToolId,
    /// The query, with secrets redacted.
    pub query: String,
    /// The number of such calls.
    pub times: u64,
    /// The time of the last such call.
    pub last: Moment,
}

#[derive(Debug, Clone, PartialEq)]
struct StoredFeedback {
    record: FeedbackRecord,
    /// The project of the tool; empty for tools of servers.
    project: Arc<str>,
    /// The embedding of the query, and the vector space it belongs to.
    embedding: Option<(u64, Vector)>,
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
        search: RecentSearch,
        tool: &ToolId,
        project: &Arc<str>,
        at: Moment,
    ) {
        let is_same = |stored: &StoredFeedback| {
            stored.record.tool == *tool
                && stored.project == *project
                && stored.record.query.eq_ignore_ascii_case(&search.text)
        };
        let before = self.all.iter().position(is_same).map(|at| self.all.remove(at));
        let times = before.as_ref().map_or(0, |value| value.record.times) + 1;
        let embedding = search.embedding.or_else(|| before.and_then(|value| value.embedding));
        let record = FeedbackRecord { tool: tool.clone(), query: search.text, times, last: at };
        self.all.push(StoredFeedback { record, project: project.clone(), embedding });
        self.bound(tool, project);
    }

    fn bound(&mut self, tool: &ToolId, project: &Arc<str>) {
        let is_about =
            |stored: &StoredFeedback| stored.record.tool == *tool && stored.project == *project;
        if self.all.iter().filter(|item| is_about(item)).count() > MAX_PER_TOOL
            && let Some(oldest) = self.all.iter().position(is_about)
        {
            self.all.remove(oldest);
        }
        let many = self.all.len().saturating_sub(MAX_PER_TENANT);
        self.all.drain(..many);
    }

    /// Deletes the records of these tools. Returns the number of deleted records.
    pub(super) fn delete(&mut self, selects: impl Fn(&ToolId) -> bool) -> usize {
        let before = self.all.len();
        self.all.retain(|item| !selects(&item.record.tool));
        before - self.all.len()
    }

    pub(super) fn len(&self) -> usize {
        self.all.len()
    }

    pub(super) fn newest(&self) -> Option<Moment> {
        self.all.last().map(|value| value.record.last)
    }

    /// The records that apply to this project, newest first, for display.
    pub(super) fn shown(&self, project: &str) -> Vec<FeedbackRecord> {
        self.in_project(project).rev().map(|item| item.record.clone()).collect()
    }

    /// The records that apply to this project, for the index. Vectors of another space are left
    /// out, because they are not comparable.
    pub(super) fn learned(&self, project: &str, space: u64) -> LearnedQueries {
        let record = |stored: &StoredFeedback| toolscout_index::LearnedQuery {
            tool: stored.record.tool.clone(),
            query: stored.record.query.clone(),
            embedding: stored
                .embedding
                .as_ref()
                .filter(|embedding| embedding.0 == space)
                .map(|embedding| embedding.1.clone()),
        };
        LearnedQueries::new(self.in_project(project).map(record).collect())
    }

    fn in_project(&self, project: &str) -> impl DoubleEndedIterator<Item = &StoredFeedback> {
        self.all.iter().filter(move |item| item.project.is_empty() || &*item.project == project)
    }

    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let mut out = row::new_row();
        for StoredFeedback { record, project, embedding } in &self.all {
            row::tool(&mut out, &record.tool);
            row::text(&mut out, &record.query);
            row::text(&mut out, project);
            row::number(&mut out, record.times);
            row::number(&mut out, record.last.0);
            row::embedding(&mut out, embedding.as_ref());
        }
        out
    }

    /// Parses the output of [`Self::to_bytes`]; stops at the first malformed entry.
    pub(super) fn from_bytes(bytes: &[u8]) -> Self {
        let mut records = Self::default();
        let Some(mut reader) = FeedbackRowReader::new(bytes) else { return records };
        while let Some(record) = read_record(&mut reader) {
            records.all.push(record);
        }
        records
    }
}

fn read_record(reader: &mut FeedbackRowReader<'_>) -> Option<StoredFeedback> {
    let (tool, query, project) = (reader.tool()?, reader.text()?, reader.text()?.into());
    let (times, last) = (reader.number()?, Moment(reader.number()?));
    Some(StoredFeedback {
        record: FeedbackRecord { tool, query, times, last },
        project,
        embedding: reader.embedding()?,
    })
}
