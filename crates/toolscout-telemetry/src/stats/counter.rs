//! Counts the journal record by record.

use super::median;
use super::output::{ClientStats, Savings, SourceStats, ToolStats, UnansweredQuery, UsageStats};
use super::record::CountedRecord;
use super::session::{CountedCall, PastSearch, SessionUsage, sum};
use super::session_key::{RequestGroups, SessionKey};
use crate::audit::{KINDS, current_kind};
use crate::since;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use toolscout_core::{Moment, counted};

/// Maximum number of rows in each table.
const MAX_ROWS: usize = 100;
/// Number of call durations kept per tool; more would hardly change the median.
const MAX_TIMES: usize = 1_000;

/// Usage counted from the journal.
#[derive(Default)]
pub struct UsageCounter {
    records: u64,
    since: Option<String>,
    until: Option<String>,
    dropped: u64,
    pub(super) sessions: BTreeMap<SessionKey, SessionUsage>,
    groups: RequestGroups,
    tools: HashMap<String, (ToolStats, Vec<f64>)>,
    sources: HashMap<String, Times>,
    unanswered: HashMap<(String, bool), (u64, String)>,
}

#[derive(Default)]
struct Times {
    calls: u64,
    first: Vec<f64>,
    later: Vec<f64>,
}

impl UsageCounter {
    /// Counts one record. A record that cannot be parsed was written by a later version, and is
    /// skipped.
    pub(crate) fn read(&mut self, text: &str) {
        let Ok(row) = serde_json::from_str::<CountedRecord<'_>>(text) else { return };
        if let Some(at) = since::date(row.at) {
            self.count(&row, at);
        }
    }

    /// Counts one record of this time.
    pub(super) fn count(&mut self, row: &CountedRecord<'_>, at: Moment) {
        if !KINDS.contains(&current_kind(row.kind)) {
            return;
        }
        self.records += 1;
        if self.since.as_deref().is_none_or(|value| value > row.at) {
            self.since = Some(row.at.to_owned());
        }
        if self.until.as_deref().is_none_or(|until| until < row.at) {
            self.until = Some(row.at.to_owned());
        }
        self.add(row, at);
    }

    fn add(&mut self, row: &CountedRecord<'_>, at: Moment) {
        match (current_kind(row.kind), row.tokens) {
            ("search", _) => self.add_search(row, at),
            ("call", _) => {
                let Some(call) = CountedCall::of(row, at) else { return };
                let session = self.session(row, at);
                let is_new = !session.called.contains(call.tool);
                let is_first = session.add_call(&call);
                self.add_call(&call, is_new, is_first);
            }
            ("context", Some(tokens)) => match row.form.as_deref() {
                Some("list") => self.session(row, at).set_list_tokens(tokens, row.all_tokens),
                Some("search") => self.session(row, at).add_search_tokens(tokens),
                _ => {}
            },
            ("dropped", _) => self.dropped += row.records.unwrap_or_default(),
            _ => {}
        }
    }

    fn add_search(&mut self, row: &CountedRecord<'_>, at: Moment) {
        let hits: Vec<String> = row.hits.iter().map(|hit| hit.id.clone().into_owned()).collect();
        for hit in &hits {
            self.tool(hit).0.found += 1;
        }
        let query = row.query.as_deref().unwrap_or_default().to_owned();
        let session = self.session(row, at);
        let evicted = session.add_search(PastSearch {
            query,
            at,
            hits,
            tokens: None,
            called: BTreeSet::new(),
        });
        let evicted = evicted.and_then(|evicted| session.close_search(evicted));
        self.add_unanswered(evicted);
    }

    fn add_call(&mut self, call: &CountedCall<'_>, is_new: bool, is_first: bool) {
        let (tool, times) = self.tool(call.tool);
        tool.calls += 1;
        tool.failures += u64::from(call.has_failed());
        tool.refused += u64::from(call.is_refused());
        tool.sessions += u64::from(is_new);
        if call.was_sent() {
            push_limited(times, call.took);
        }
        let times = self.sources.entry(call.source().to_owned()).or_default();
        times.calls += 1;
        if call.was_sent() {
            push_limited(if is_first { &mut times.first } else { &mut times.later }, call.took);
        }
    }

    /// Settles all open searches. Called after the last record.
    pub(crate) fn finish(&mut self) {
        let mut unanswered = Vec::new();
        for session in self.sessions.values_mut() {
            for search in session.take_open_searches() {
                unanswered.push(session.close_search(search));
            }
        }
        unanswered.into_iter().for_each(|item| self.add_unanswered(item));
    }

    fn add_unanswered(&mut self, search: Option<PastSearch>) {
        let Some(PastSearch { query, at, hits, .. }) =
            search.filter(|search| !search.query.is_empty())
        else {
            return;
        };
        let (times, last) = self.unanswered.entry((query, hits.is_empty())).or_default();
        *times += 1;
        *last = std::mem::take(last).max(at.to_string());
    }

    fn tool(&mut self, id: &str) -> &mut (ToolStats, Vec<f64>) {
        let new = || (ToolStats { tool: id.to_owned(), ..ToolStats::default() }, Vec::new());
        self.tools.entry(id.to_owned()).or_insert_with(new)
    }

    fn session(&mut self, row: &CountedRecord<'_>, time: Moment) -> &mut SessionUsage {
        let CountedRecord { caller, project, at, .. } = row;
        let (key, earlier) = self.groups.key(row, time);
        let inherited = earlier.and_then(|key| self.sessions.get(&key)).map(SessionUsage::next);
        let found = self.sessions.entry(key).or_insert_with(|| inherited.unwrap_or_default());
        if found.started.is_empty() || found.started.as_str() > *at {
            found.started = (*at).to_owned();
        }
        if found.ended.as_str() < *at {
            found.ended = (*at).to_owned();
        }
        if found.project.is_none() {
            found.project = project.as_deref().map(str::to_owned);
        }
        found.is_of_agent |= caller.as_deref() == Some("mcp");
        found
    }

    /// The statistics of all counted records.
    pub fn stats(self) -> UsageStats {
        let notes = (self.dropped > 0).then(|| {
            format!("{} lost: they could not be written", counted(self.dropped as usize, "record"))
        });
        UsageStats {
            total: sum(self.sessions.values()),
            savings: Savings::of(self.sessions.values()),
            clients: clients(&self.sessions),
            tools: tools(self.tools),
            sources: sources(self.sources),
            unanswered_queries: unanswered(self.unanswered),
            since: self.since,
            until: self.until,
            records: self.records,
            token_counting: "upper-bound".to_owned(),
            notes: notes.into_iter().collect(),
        }
    }
}

fn push_limited(times: &mut Vec<f64>, took: f64) {
    if times.len() < MAX_TIMES {
        times.push(took);
    }
}

fn clients(sessions: &BTreeMap<SessionKey, SessionUsage>) -> Vec<ClientStats> {
    let mut by_client: BTreeMap<&str, Vec<(&SessionKey, &SessionUsage)>> = BTreeMap::new();
    for (key, usage) in sessions {
        by_client.entry(key.client.as_str()).or_default().push((key, usage));
    }
    let mut clients: Vec<_> = by_client
        .into_iter()
        .map(|(client, of_client)| {
            let mut recent: Vec<_> =
                of_client.iter().map(|(key, usage)| usage.stats(&key.session)).collect();
            recent.sort_by(|one, other| other.ended.cmp(&one.ended));
            recent.truncate(MAX_ROWS);
            ClientStats {
                client: client.to_owned(),
                cost: sum(of_client.iter().map(|(_, usage)| *usage)),
                recent_sessions: recent,
            }
        })
        .collect();
    clients.sort_by_key(|client| std::cmp::Reverse(client.cost.sessions));
    clients.truncate(MAX_ROWS);
    clients
}

fn tools(tools: HashMap<String, (ToolStats, Vec<f64>)>) -> Vec<ToolStats> {
    let with_median =
        |(tool, times): (ToolStats, Vec<f64>)| ToolStats { median_ms: median(&times), ..tool };
    let mut tools: Vec<_> = tools.into_values().map(with_median).collect();
    tools.sort_by(|one, other| {
        (other.calls, other.found, &one.tool).cmp(&(one.calls, one.found, &other.tool))
    });
    tools.truncate(MAX_ROWS);
    tools
}

fn sources(sources: HashMap<String, Times>) -> Vec<SourceStats> {
    let stats = |(source, Times { calls, first, later }): (String, Times)| SourceStats {
        source,
        calls,
        first_call_ms: median(&first),
        later_call_ms: median(&later),
    };
    let mut sources: Vec<_> = sources.into_iter().map(stats).collect();
    sources.sort_by(|one, other| (other.calls, &one.source).cmp(&(one.calls, &other.source)));
    sources.truncate(MAX_ROWS);
    sources
}

fn unanswered(queries: HashMap<(String, bool), (u64, String)>) -> Vec<UnansweredQuery> {
    let row = |((query, empty), (count, last_searched))| UnansweredQuery {
        query,
        count,
        empty,
        last_searched,
    };
    let mut rows: Vec<_> = queries.into_iter().map(row).collect();
    rows.sort_by(|one, other| {
        let count = other.count.cmp(&one.count);
        let age = other.last_searched.cmp(&one.last_searched);
        count.then(age).then(one.query.cmp(&other.query))
    });
    rows.truncate(MAX_ROWS);
    rows
}
