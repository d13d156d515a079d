//! The searches of the last ten minutes, and their hits.

use super::row::{self, FeedbackRowReader};
use std::collections::VecDeque;
use std::time::Duration;
use toolscout_core::{Moment, ToolId, redact};
use toolscout_index::Vector;

/// A call later than this is not attributed to the search.
pub(super) const MAX_ATTRIBUTION_AGE: Duration = Duration::from_secs(10 * 60);
/// Maximum number of recent searches. With more, a call cannot be attributed reliably.
const MAX_SEARCHES: usize = 16;
/// Maximum number of characters stored of a query.
const MAX_QUERY_CHARS: usize = 300;

/// A search and its hits.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct RecentSearch {
    pub(super) text: String,
    /// The embedding, and the vector space it belongs to.
    pub(super) embedding: Option<(u64, Vector)>,
    /// The hits that were not called yet.
    pub(super) hits: Vec<ToolId>,
    pub(super) searched_at: Moment,
}

/// The recent searches of one conversation, newest last.
#[derive(Debug, Default, PartialEq)]
pub(super) struct RecentSearches {
    searches: VecDeque<RecentSearch>,
}

/// A query in its stored form: on one line, without secrets, and of limited length.
pub(super) fn to_stored_query(text: &str) -> String {
    // Redacted before it is truncated: half a secret does not look like one.
    let start: String = text.chars().take(MAX_QUERY_CHARS * 8).collect();
    let words: Vec<_> = redact::text(&start).split_whitespace().map(str::to_owned).collect();
    words.join(" ").chars().filter(|c| !c.is_control()).take(MAX_QUERY_CHARS).collect()
}

impl RecentSearches {
    pub(super) fn add(&mut self, search: RecentSearch) {
        self.expire(search.searched_at);
        self.searches.retain(|item| item.text != search.text);
        self.searches.push_back(search);
        while self.searches.len() > MAX_SEARCHES {
            self.searches.pop_front();
        }
    }

    /// The newest search that found this tool. Each search counts once for a tool.
    pub(super) fn take(&mut self, tool: &ToolId, now: Moment) -> Option<RecentSearch> {
        self.expire(now);
        for search in self.searches.iter_mut().rev() {
            if let Some(at) = search.hits.iter().position(|hit| hit == tool) {
                search.hits.remove(at);
                return Some(search.clone());
            }
        }
        None
    }

    /// Removes these tools from the hits of all searches.
    pub(super) fn delete(&mut self, selects: impl Fn(&ToolId) -> bool) {
        self.searches.iter_mut().for_each(|search| search.hits.retain(|tool| !selects(tool)));
        self.searches.retain(|search| !search.hits.is_empty());
    }

    pub(super) fn is_empty(&self) -> bool {
        self.searches.is_empty()
    }

    pub(super) fn expire(&mut self, now: Moment) {
        self.searches.retain(|search| search.searched_at.age(now) < MAX_ATTRIBUTION_AGE);
    }

    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let mut out = row::new_row();
        for RecentSearch { text, embedding, hits, searched_at } in &self.searches {
            row::text(&mut out, text);
            row::number(&mut out, searched_at.0);
            row::embedding(&mut out, embedding.as_ref());
            row::number(&mut out, hits.len() as u64);
            hits.iter().for_each(|hit| row::tool(&mut out, hit));
        }
        out
    }

    /// Parses the output of [`Self::to_bytes`]; stops at the first malformed entry.
    pub(super) fn from_bytes(bytes: &[u8]) -> Self {
        let mut recent = Self::default();
        let Some(mut reader) = FeedbackRowReader::new(bytes) else { return recent };
        while let Some(search) = read_search(&mut reader) {
            recent.searches.push_back(search);
        }
        recent
    }
}

fn read_search(reader: &mut FeedbackRowReader<'_>) -> Option<RecentSearch> {
    let (text, searched_at, embedding) =
        (reader.text()?, Moment(reader.number()?), reader.embedding()?);
    let count = reader.number()?;
    let hits = (0..count).map(|_| reader.tool()).collect::<Option<_>>()?;
    Some(RecentSearch { text, embedding, hits, searched_at })
}
