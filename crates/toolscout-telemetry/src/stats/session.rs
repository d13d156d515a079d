//! The usage of one session: its lists, searches and calls, and which search led to which call.

use super::median;
use super::output::{SessionStats, UsageTotals};
use super::record::CountedRecord;
use crate::journal::REFUSED;
use crate::journal::RecordedOutcome;
use std::collections::{BTreeSet, HashSet, VecDeque};
use toolscout_core::Moment;

/// A call up to this many milliseconds after a search follows it. Relevance feedback uses the same
/// limit.
const FOLLOW_MILLIS: u64 = 600_000;
/// Number of searches per session that calls are matched with; older ones are settled.
const MAX_OPEN: usize = 32;

/// The usage of one session.
#[derive(Debug, Default)]
pub(super) struct SessionUsage {
    pub(super) started: String,
    pub(super) ended: String,
    pub(super) project: Option<String>,
    pub(super) is_of_agent: bool,
    cost: UsageTotals,
    first_search: Option<Moment>,
    open: VecDeque<PastSearch>,
    /// Sources of the tools that were called.
    called_sources: HashSet<String>,
    pub(super) called: BTreeSet<String>,
    /// Searches that led to calls.
    pub(super) followed: Vec<PastSearch>,
}

/// A search.
#[derive(Debug)]
pub(super) struct PastSearch {
    pub(super) query: String,
    pub(super) at: Moment,
    pub(super) hits: Vec<String>,
    /// The tokens of its results; none if they were not sent to a model.
    pub(super) tokens: Option<u64>,
    /// The tools among its hits that were called.
    pub(super) called: BTreeSet<String>,
}

/// The fields of a call that are counted.
pub(super) struct CountedCall<'a> {
    pub(super) tool: &'a str,
    pub(super) at: Moment,
    pub(super) took: f64,
    pub(super) outcome: RecordedOutcome,
    pub(super) error: Option<&'a str>,
}

impl<'a> CountedCall<'a> {
    /// The call of a record; none if the record lacks its fields.
    pub(super) fn of(row: &'a CountedRecord<'_>, at: Moment) -> Option<Self> {
        Some(Self {
            tool: row.tool.as_deref()?,
            at,
            took: row.duration_ms.unwrap_or_default(),
            outcome: row.outcome?,
            error: row.error_kind.as_deref(),
        })
    }

    /// The id of the tool's source.
    pub(super) fn source(&self) -> &'a str {
        self.tool.split('/').next().unwrap_or_default()
    }

    pub(super) fn is_refused(&self) -> bool {
        self.outcome == RecordedOutcome::Failed && self.error == Some(REFUSED)
    }

    /// Whether the call reached its tool, so that its duration says something about the tool.
    pub(super) fn was_sent(&self) -> bool {
        !matches!(self.outcome, RecordedOutcome::Pending | RecordedOutcome::Interrupted)
            && !self.is_refused()
    }

    pub(super) fn has_failed(&self) -> bool {
        matches!(
            self.outcome,
            RecordedOutcome::ToolError | RecordedOutcome::Failed | RecordedOutcome::Interrupted
        ) && !self.is_refused()
    }
}

impl SessionUsage {
    /// Records a list of tools. Only the last one counts, because a client that lists again
    /// replaces the previous list.
    pub(super) fn set_list_tokens(&mut self, tokens: u64, all: Option<u64>) {
        self.cost.list_tokens = tokens;
        self.cost.all_tokens = all.unwrap_or(self.cost.all_tokens);
    }

    /// A later session of a client without sessions. It has the same tool list, which the client
    /// does not request again while its copy is valid.
    pub(super) fn next(&self) -> Self {
        let UsageTotals { list_tokens, all_tokens, .. } = self.cost;
        let cost = UsageTotals { list_tokens, all_tokens, ..UsageTotals::default() };
        Self { cost, ..Self::default() }
    }

    /// Whether the tokens of all definitions are known.
    pub(super) fn is_measured(&self) -> bool {
        self.cost.all_tokens > 0
    }

    /// Whether a model searched or called tools, and the tokens it saved are unknown.
    pub(super) fn is_unmeasured(&self) -> bool {
        self.is_of_agent && !self.is_measured() && self.cost.searches + self.cost.calls > 0
    }

    /// Records a search. Returns the oldest one if it is now too old to be matched with calls.
    pub(super) fn add_search(&mut self, search: PastSearch) -> Option<PastSearch> {
        self.cost.searches += 1;
        self.first_search.get_or_insert(search.at);
        self.open.push_back(search);
        (self.open.len() > MAX_OPEN).then(|| self.open.pop_front()).flatten()
    }

    /// Records the tokens of search results, for the first search that has none yet.
    pub(super) fn add_search_tokens(&mut self, tokens: u64) {
        self.cost.search_tokens += tokens;
        if let Some(search) = self.open.iter_mut().find(|item| item.tokens.is_none()) {
            search.tokens = Some(tokens);
        }
    }

    /// Records a call. Returns true if it is the first call of its source in this session.
    pub(super) fn add_call(&mut self, call: &CountedCall<'_>) -> bool {
        self.cost.calls += 1;
        self.cost.failures += u64::from(call.has_failed());
        self.cost.refused += u64::from(call.is_refused());
        if !self.called.contains(call.tool) {
            self.called.insert(call.tool.to_owned());
        }
        let is_recent = |past_search: &&mut PastSearch| {
            call.at.0.saturating_sub(past_search.at.0) <= FOLLOW_MILLIS
        };
        let has_hit =
            |past_search: &&mut PastSearch| past_search.hits.iter().any(|hit| hit == call.tool);
        if let Some(search) = self.open.iter_mut().rev().filter(is_recent).find(has_hit) {
            search.called.insert(call.tool.to_owned());
        }
        if let (Some(first), None, RecordedOutcome::Succeeded) =
            (self.first_search, self.cost.first_use_ms, call.outcome)
        {
            self.cost.first_use_ms = Some(call.at.0.saturating_sub(first.0) as f64 + call.took);
        }
        let source = call.source();
        !self.called_sources.contains(source) && self.called_sources.insert(source.to_owned())
    }

    /// Counts the outcome of a search. Returns the search if no call followed it.
    pub(super) fn close_search(&mut self, search: PastSearch) -> Option<PastSearch> {
        match (search.hits.is_empty(), search.called.is_empty()) {
            (true, _) => self.cost.empty += 1,
            (false, true) => self.cost.not_followed += 1,
            (false, false) => {
                self.cost.followed += 1;
                self.followed.push(search);
                return None;
            }
        }
        Some(search)
    }

    /// Removes and returns the open searches.
    pub(super) fn take_open_searches(&mut self) -> VecDeque<PastSearch> {
        std::mem::take(&mut self.open)
    }

    pub(super) fn cost(&self) -> UsageTotals {
        let UsageTotals { list_tokens, search_tokens, all_tokens, .. } = self.cost;
        let signed = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
        // The savings of a session whose list was not recorded are unknown.
        let saved_tokens = if self.is_measured() {
            signed(all_tokens) - signed(list_tokens) - signed(search_tokens)
        } else {
            0
        };
        let measured_sessions = u64::from(self.is_measured());
        UsageTotals { sessions: 1, measured_sessions, saved_tokens, ..self.cost.clone() }
    }

    pub(super) fn stats(&self, session: &str) -> SessionStats {
        SessionStats {
            session: session.to_owned(),
            started: self.started.clone(),
            ended: self.ended.clone(),
            project: self.project.clone(),
            cost: self.cost(),
        }
    }
}

/// The totals of several sessions.
pub(super) fn sum<'a>(sessions: impl Iterator<Item = &'a SessionUsage>) -> UsageTotals {
    let (mut total, mut first_uses) = (UsageTotals::default(), Vec::new());
    for cost in sessions.map(SessionUsage::cost) {
        total.sessions += 1;
        total.measured_sessions += cost.measured_sessions;
        total.list_tokens += cost.list_tokens;
        total.search_tokens += cost.search_tokens;
        total.all_tokens += cost.all_tokens;
        total.saved_tokens += cost.saved_tokens;
        total.searches += cost.searches;
        total.followed += cost.followed;
        total.not_followed += cost.not_followed;
        total.empty += cost.empty;
        total.calls += cost.calls;
        total.failures += cost.failures;
        total.refused += cost.refused;
        first_uses.extend(cost.first_use_ms);
    }
    UsageTotals { first_use_ms: median(&first_uses), ..total }
}
