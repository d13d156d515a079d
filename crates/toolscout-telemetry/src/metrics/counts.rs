//! The counters and their labels. Every label has a bounded number of values.

use super::histogram::Histogram;
use super::page::MetricsPage;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::hash::{BuildHasher, RandomState};
use toolscout_core::event::{
    CallEvent, CallOutcome, ContextUse, DecisionEvent, DiscoveryEvent, Event, EventKind,
    OperationEvent, Requester,
};
use toolscout_core::{ErrorKind, SourceId};

/// Number of servers with a label of their own; all others share the label `other`.
pub(super) const SERVERS: usize = 256;
/// Number of sessions that are counted.
const SESSIONS: usize = 65_536;
/// Number of distinct decisions that are counted.
const DECISIONS: usize = 256;

#[derive(Default)]
pub(super) struct EventCounts {
    calls: BTreeMap<(SourceId, &'static str), u64>,
    call_seconds: BTreeMap<SourceId, Histogram>,
    result_bytes: BTreeMap<SourceId, u64>,
    searches: BTreeMap<&'static str, u64>,
    search_seconds: Histogram,
    discoveries: BTreeMap<(SourceId, &'static str), u64>,
    discovery_seconds: Histogram,
    decisions: BTreeMap<(&'static str, &'static str), u64>,
    /// By operation and outcome; bounded by the number of operations.
    operations: BTreeMap<(&'static str, &'static str), u64>,
    operation_seconds: BTreeMap<&'static str, Histogram>,
    shown: BTreeMap<&'static str, ContextSum>,
    servers: BTreeSet<SourceId>,
    /// Hashes of the session labels.
    sessions: HashSet<u64>,
    hasher: RandomState,
}

/// Sums of context use for one form: `list`, `search` or `context`.
#[derive(Default)]
struct ContextSum {
    times: u64,
    tools: u64,
    tokens: u64,
}

impl EventCounts {
    pub(super) fn add(&mut self, event: &Event) {
        self.session(&event.requester);
        let seconds = event.took.as_secs_f64();
        match &event.kind {
            EventKind::Call(called) => self.called(called, seconds),
            EventKind::Search(searched) => {
                let outcome = if searched.hits.is_empty() { "nothing" } else { "found" };
                *self.searches.entry(outcome).or_default() += 1;
                self.search_seconds.add(seconds);
            }
            EventKind::Discovery(discovered) => self.discovered(discovered, seconds),
            EventKind::Decision(decided) => self.decided(decided),
            EventKind::ContextUse(shown) => self.shown(shown),
            EventKind::Operation(OperationEvent { name, outcome }) => {
                *self.operations.entry((name, outcome)).or_default() += 1;
                self.operation_seconds.entry(name).or_default().add(seconds);
            }
            EventKind::DiscoveryStarted(_) => {}
        }
    }

    fn called(&mut self, called: &CallEvent, seconds: f64) {
        let server = self.server(&called.tool.source);
        *self.calls.entry((server.clone(), outcome(&called.outcome))).or_default() += 1;
        if let CallOutcome::Succeeded(bytes) | CallOutcome::ToolError(bytes) = called.outcome {
            *self.result_bytes.entry(server.clone()).or_default() += bytes as u64;
        }
        self.call_seconds.entry(server).or_default().add(seconds);
    }

    fn discovered(&mut self, discovered: &DiscoveryEvent, seconds: f64) {
        let server = self.server(&discovered.source);
        let outcome = if discovered.error.is_some() { "failed" } else { "done" };
        *self.discoveries.entry((server, outcome)).or_default() += 1;
        self.discovery_seconds.add(seconds);
    }

    fn decided(&mut self, decided: &DecisionEvent) {
        let key = (decided.about, decided.word);
        if self.decisions.len() < DECISIONS || self.decisions.contains_key(&key) {
            *self.decisions.entry(key).or_default() += 1;
        }
    }

    fn shown(&mut self, shown: &ContextUse) {
        let sum = self.shown.entry(shown.what).or_default();
        sum.times += 1;
        sum.tools += shown.tools as u64;
        sum.tokens += shown.tokens as u64;
    }

    fn session(&mut self, who: &Requester) {
        let Some(session) = &who.session else { return };
        if self.sessions.len() < SESSIONS {
            self.sessions.insert(self.hasher.hash_one(session));
        }
    }

    /// The metric label for a server. Servers beyond the limit share one label, to cap cardinality.
    fn server(&mut self, id: &SourceId) -> SourceId {
        if self.servers.contains(id) || self.servers.len() < SERVERS {
            self.servers.insert(id.clone());
            return id.clone();
        }
        SourceId::new("other").unwrap_or_else(|_| SourceId::local())
    }

    pub(super) fn write(&self, page: &mut MetricsPage) {
        self.write_calls(page);
        page.counter("toolscout_searches_total", "Searches, by whether anything was found.");
        self.searches
            .iter()
            .for_each(|(outcome, count)| page.line(&[("outcome", outcome)], *count));
        page.histogram("toolscout_search_seconds", "How long searches took.");
        self.search_seconds.write(page, &[]);
        page.counter("toolscout_discoveries_total", "Discoveries of servers, by outcome.");
        for ((server, outcome), count) in &self.discoveries {
            page.line(&[("server", server.as_str()), ("outcome", outcome)], *count);
        }
        page.histogram("toolscout_discovery_seconds", "How long discoveries took.");
        self.discovery_seconds.write(page, &[]);
        page.counter("toolscout_operations_total", "Operations, by name and by how they ended.");
        for ((operation, outcome), count) in &self.operations {
            page.line(&[("operation", operation), ("outcome", outcome)], *count);
        }
        page.histogram("toolscout_operation_seconds", "How long operations took.");
        for (operation, histogram) in &self.operation_seconds {
            histogram.write(page, &[("operation", operation)]);
        }
        self.write_people(page);
    }

    fn write_calls(&self, page: &mut MetricsPage) {
        page.counter("toolscout_calls_total", "Tool calls, by server and outcome.");
        for ((server, outcome), count) in &self.calls {
            page.line(&[("server", server.as_str()), ("outcome", outcome)], *count);
        }
        page.histogram("toolscout_call_seconds", "How long calls took.");
        for (server, histogram) in &self.call_seconds {
            histogram.write(page, &[("server", server.as_str())]);
        }
        page.counter("toolscout_result_bytes_total", "Bytes of results, as tools gave them.");
        for (server, bytes) in &self.result_bytes {
            page.line(&[("server", server.as_str())], *bytes);
        }
    }

    fn write_people(&self, page: &mut MetricsPage) {
        page.counter(
            "toolscout_decisions_total",
            "Decisions of people and rules: approvals, reviews, policies.",
        );
        for ((about, word), count) in &self.decisions {
            page.line(&[("about", about), ("decision", word)], *count);
        }
        page.counter("toolscout_sessions_total", "Conversations that asked for anything.");
        page.line(&[], self.sessions.len());
        page.counter("toolscout_shown_total", "How often something was put before a model.");
        self.shown.iter().for_each(|(what, sum)| page.line(&[("what", what)], sum.times));
        page.counter("toolscout_shown_tools_total", "Tools that were put before models.");
        self.shown.iter().for_each(|(what, sum)| page.line(&[("what", what)], sum.tools));
        page.counter(
            "toolscout_shown_tokens_total",
            "Tokens that models were given to read, at most.",
        );
        self.shown.iter().for_each(|(what, sum)| page.line(&[("what", what)], sum.tokens));
    }
}

fn outcome(outcome: &CallOutcome) -> &'static str {
    match outcome {
        CallOutcome::Succeeded(_) => "done",
        CallOutcome::ToolError(_) => "tool_failed",
        CallOutcome::InputRequired => "wants_input",
        CallOutcome::Cancelled => "cancelled",
        CallOutcome::Failed { kind, .. } => word(*kind),
    }
}

/// The name of an error kind in metric labels and span attributes.
pub(crate) fn word(kind: ErrorKind) -> &'static str {
    match kind {
        ErrorKind::NotFound => "not_found",
        ErrorKind::Invalid => "invalid",
        ErrorKind::Refused => "refused",
        ErrorKind::Unavailable => "unavailable",
        ErrorKind::TimedOut => "timed_out",
        ErrorKind::Cancelled => "cancelled",
        ErrorKind::Failed => "failed",
        _ => "internal",
    }
}
