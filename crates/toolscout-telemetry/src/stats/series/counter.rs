//! Counts journal records by bucket, source, tool and day.

use super::latency::LatencyHistogram;
use super::output::{
    BucketStats, DaySavings, LatencyBucket, ServerSeries, ServerState, ToolSeries, Uptime,
    UsageSeries,
};
use super::range::{SeriesRange, day_of};
use crate::audit::current_kind;
use crate::journal::RecordedOutcome;
use crate::since;
use crate::stats::record::CountedRecord;
use crate::stats::session::{CountedCall, SessionUsage};
use crate::stats::{Savings, UsageCounter};
use std::collections::{BTreeMap, HashMap};
use toolscout_core::Moment;

/// Number of sources shown, and of tools.
const MAX_SERVERS: usize = 50;
const MAX_TOOLS: usize = 20;
/// Number of sources that are counted. Names of sources come from calls, so clients can make up
/// any number of them.
const MAX_SOURCES: usize = 1_000;

pub(super) struct SeriesCounter {
    range: SeriesRange,
    buckets: Vec<(CallCounts, u64)>,
    sources: HashMap<String, SourceCounts>,
    tools: HashMap<String, CallCounts>,
    /// Sessions, also those that started before the range.
    usage: UsageCounter,
}

#[derive(Debug, Default)]
struct CallCounts {
    calls: u64,
    failures: u64,
    refused: u64,
    latency: LatencyHistogram,
}

#[derive(Debug, Default)]
struct SourceCounts {
    total: CallCounts,
    latency: BTreeMap<usize, CallCounts>,
    uptime: BTreeMap<usize, Uptime>,
    last: Option<(Moment, ServerState)>,
    last_error: Option<String>,
}

impl SeriesCounter {
    pub(super) fn new(range: SeriesRange) -> Self {
        let buckets = (0..range.bucket_count()).map(|_| (CallCounts::default(), 0)).collect();
        let (sources, tools, usage) = (HashMap::new(), HashMap::new(), UsageCounter::default());
        Self { range, buckets, sources, tools, usage }
    }

    /// Counts one record. A record that cannot be parsed was written by a later version, and is
    /// skipped.
    pub(super) fn read(&mut self, text: &str) {
        let Ok(row) = serde_json::from_str::<CountedRecord<'_>>(text) else { return };
        let Some(at) = since::date(row.at).filter(|at| *at < self.range.to) else { return };
        self.usage.count(&row, at);
        let Some(index) = self.range.index(at) else { return };
        match current_kind(row.kind) {
            "search" => self.buckets[index].1 += 1,
            "call" => self.add_call(&row, at, index),
            "discovery" => self.add_discovery(&row, at, index),
            _ => {}
        }
    }

    fn add_call(&mut self, row: &CountedRecord<'_>, at: Moment, index: usize) {
        let Some(call) = CountedCall::of(row, at) else { return };
        self.buckets[index].0.add(&call);
        let Some(source) = self.source(call.source()) else { return };
        source.total.add(&call);
        source.latency.entry(index).or_default().add(&call);
        match (call.outcome, call.error) {
            // The server did not see it.
            _ if !call.was_sent() => {}
            (RecordedOutcome::Failed, Some("unavailable" | "timedOut")) => {
                source.observe(at, index, ServerState::Down);
                source.last_error = row.error.as_deref().map(str::to_owned);
            }
            (
                RecordedOutcome::Failed | RecordedOutcome::Cancelled | RecordedOutcome::Interrupted,
                _,
            ) => {}
            _ => source.observe(at, index, ServerState::Up),
        }
        self.tools.entry(call.tool.to_owned()).or_default().add(&call);
    }

    fn add_discovery(&mut self, row: &CountedRecord<'_>, at: Moment, index: usize) {
        let Some(source) = row.source.as_deref().and_then(|source| self.source(source)) else {
            return;
        };
        if let Some(error) = row.error.as_deref() {
            source.observe(at, index, ServerState::Down);
            source.last_error = Some(error.to_owned());
        } else if row.cache_miss {
            source.observe(at, index, ServerState::Up);
        }
    }

    fn source(&mut self, id: &str) -> Option<&mut SourceCounts> {
        if !self.sources.contains_key(id) && self.sources.len() >= MAX_SOURCES {
            return None;
        }
        Some(self.sources.entry(id.to_owned()).or_default())
    }

    pub(super) fn finish(mut self) -> UsageSeries {
        self.usage.finish();
        let range = self.range;
        let buckets = self.buckets.iter().enumerate();
        UsageSeries {
            from: range.from.to_string(),
            to: range.to.to_string(),
            bucket_seconds: range.bucket_seconds,
            buckets: buckets
                .map(|(index, (counts, searches))| bucket(range.start(index), counts, *searches))
                .collect(),
            days: days(&range, &self.usage),
            savings: Savings::of(
                self.usage.sessions.values().filter(|session| is_started_in(session, &range)),
            ),
            servers: servers(self.sources, &range),
            tools: tools(self.tools),
            notes: Vec::new(),
        }
    }
}

impl CallCounts {
    fn add(&mut self, call: &CountedCall<'_>) {
        self.calls += 1;
        self.failures += u64::from(call.has_failed());
        self.refused += u64::from(call.is_refused());
        if call.was_sent() {
            self.latency.add(call.took);
        }
    }
}

impl SourceCounts {
    fn observe(&mut self, at: Moment, index: usize, state: ServerState) {
        let now = if state == ServerState::Up { Uptime::Up } else { Uptime::Down };
        let uptime = self.uptime.entry(index).or_insert(now);
        if *uptime != now {
            *uptime = Uptime::Mixed;
        }
        if self.last.is_none_or(|(last, _)| last <= at) {
            self.last = Some((at, state));
        }
    }
}

fn bucket(start: Moment, counts: &CallCounts, searches: u64) -> BucketStats {
    BucketStats {
        start: start.to_string(),
        calls: counts.calls,
        failures: counts.failures,
        refused: counts.refused,
        searches,
        p50_ms: counts.latency.percentile(50),
        p95_ms: counts.latency.percentile(95),
    }
}

fn servers(sources: HashMap<String, SourceCounts>, range: &SeriesRange) -> Vec<ServerSeries> {
    let mut sources: Vec<_> = sources
        .into_iter()
        .filter(|(_, counts)| counts.total.calls > 0 || !counts.uptime.is_empty())
        .collect();
    sources.sort_by(|(one, one_counts), (other, other_counts)| {
        (other_counts.total.calls, one).cmp(&(one_counts.total.calls, other))
    });
    sources.truncate(MAX_SERVERS);
    sources.into_iter().map(|(source, counts)| server(source, counts, range)).collect()
}

fn server(source: String, counts: SourceCounts, range: &SeriesRange) -> ServerSeries {
    let SourceCounts { total, latency, uptime, last, last_error } = counts;
    let latency = latency.iter().filter_map(|(index, counts)| {
        Some(LatencyBucket {
            start: range.start(*index).to_string(),
            calls: counts.calls - counts.refused,
            p50_ms: counts.latency.percentile(50)?,
            p95_ms: counts.latency.percentile(95)?,
        })
    });
    let in_bucket = |index| uptime.get(&(index as usize)).copied().unwrap_or_default();
    ServerSeries {
        source,
        calls: total.calls,
        failures: total.failures,
        refused: total.refused,
        p50_ms: total.latency.percentile(50),
        p95_ms: total.latency.percentile(95),
        latency: latency.collect(),
        uptime: (0..range.bucket_count()).map(in_bucket).collect(),
        state: last.map(|(_, state)| state).unwrap_or_default(),
        last_error,
    }
}

fn tools(tools: HashMap<String, CallCounts>) -> Vec<ToolSeries> {
    let mut tools: Vec<_> = tools.into_iter().collect();
    tools.sort_by(|(one, one_counts), (other, other_counts)| {
        (other_counts.calls, one).cmp(&(one_counts.calls, other))
    });
    tools.truncate(MAX_TOOLS);
    let row = |(tool, counts): (String, CallCounts)| ToolSeries {
        tool,
        calls: counts.calls,
        failures: counts.failures,
        refused: counts.refused,
        p50_ms: counts.latency.percentile(50),
        p95_ms: counts.latency.percentile(95),
    };
    tools.into_iter().map(row).collect()
}

fn days(range: &SeriesRange, usage: &UsageCounter) -> Vec<DaySavings> {
    let mut by_day: BTreeMap<String, Vec<&SessionUsage>> =
        range.days().map(|day| (day, Vec::new())).collect();
    for session in usage.sessions.values().filter(|session| is_started_in(session, range)) {
        if let Some(sessions) = by_day.get_mut(day_of(&session.started)) {
            sessions.push(session);
        }
    }
    let row = |(day, sessions): (String, Vec<&SessionUsage>)| {
        let savings = Savings::of(sessions.iter().copied());
        DaySavings {
            day,
            sessions: sessions.len() as u64,
            measured_sessions: savings.measured_sessions,
            all_tokens: savings.compared_with,
            list_tokens: savings.list_tokens,
            search_tokens: savings.search_tokens,
            saved_tokens: savings.tokens,
        }
    };
    by_day.into_iter().map(row).collect()
}

fn is_started_in(session: &SessionUsage, range: &SeriesRange) -> bool {
    since::date(&session.started).is_some_and(|at| range.from <= at)
}
