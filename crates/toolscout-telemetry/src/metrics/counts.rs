//! The counters and their labels. Every label has a bounded number of values.

use super::histogram::Histogram;
use super::page::MetricsPage;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use toolscout_core::event::{
    CallEvent, CallOutcome, ContextUse, DecisionEvent, DiscoveryEvent, Event, EventKind,
    OperationEvent, Requester,
};
use toolscout_core::{ErrorKind, SourceId};

/// Number of servers with a label of their own; all others share the label `other`.
pub(super) const MAX_SERVERS: usize = 256;
/// Number of access tokens with a label of their own; all others share the label `other`.
const MAX_TOKENS: usize = 256;
/// Number of sessions that are counted.
const MAX_SESSIONS: usize = 65_536;
/// Number of distinct decisions that are counted.
const MAX_DECISIONS: usize = 256;

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
    /// Requests by the name of the access token, and by kind.
    token_requests: BTreeMap<(Arc<str>, &'static str), u64>,
    tokens: BTreeSet<Arc<str>>,
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
        self.add_session(&event.requester);
        self.add_token(event);
        let seconds = event.took.as_secs_f64();
        match &event.kind {
            EventKind::Call(called) => self.add_call(called, seconds),
            EventKind::Search(searched) => {
                let outcome = if searched.hits.is_empty() { "empty" } else { "found" };
                *self.searches.entry(outcome).or_default() += 1;
                self.search_seconds.add(seconds);
            }
            EventKind::Discovery(discovered) => self.add_discovery(discovered, seconds),
            EventKind::Decision(decided) => self.add_decision(decided),
            EventKind::ContextUse(shown) => self.add_context_use(shown),
            EventKind::Operation(OperationEvent { name, outcome }) => {
                *self.operations.entry((name, outcome)).or_default() += 1;
                self.operation_seconds.entry(name).or_default().add(seconds);
            }
            EventKind::DiscoveryStarted(_) | EventKind::CallStarted(_) => {}
        }
    }

    fn add_call(&mut self, called: &CallEvent, seconds: f64) {
        let server = self.server(&called.tool.source);
        *self.calls.entry((server.clone(), outcome_name(&called.outcome))).or_default() += 1;
        if let CallOutcome::Succeeded(bytes) | CallOutcome::ToolError(bytes) = called.outcome {
            *self.result_bytes.entry(server.clone()).or_default() += bytes as u64;
        }
        self.call_seconds.entry(server).or_default().add(seconds);
    }

    fn add_discovery(&mut self, discovered: &DiscoveryEvent, seconds: f64) {
        let server = self.server(&discovered.source);
        let outcome = if discovered.error.is_some() { "failed" } else { "succeeded" };
        *self.discoveries.entry((server, outcome)).or_default() += 1;
        self.discovery_seconds.add(seconds);
    }

    fn add_decision(&mut self, decided: &DecisionEvent) {
        let key = (decided.kind, decided.action);
        if self.decisions.len() < MAX_DECISIONS || self.decisions.contains_key(&key) {
            *self.decisions.entry(key).or_default() += 1;
        }
    }

    fn add_context_use(&mut self, shown: &ContextUse) {
        let sum = self.shown.entry(shown.form).or_default();
        sum.times += 1;
        sum.tools += shown.tools as u64;
        sum.tokens += shown.tokens as u64;
    }

    fn add_session(&mut self, requester: &Requester) {
        let Some(session) = &requester.session else { return };
        if self.sessions.len() < MAX_SESSIONS {
            self.sessions.insert(self.hasher.hash_one(session));
        }
    }

    fn add_token(&mut self, event: &Event) {
        let Some(token) = &event.requester.token else { return };
        let kind = match &event.kind {
            EventKind::Call(_) => "call",
            EventKind::Search(_) => "search",
            EventKind::Operation(_) => "operation",
            EventKind::Decision(_) => "decision",
            _ => return,
        };
        let is_counted = self.tokens.contains(token) || self.tokens.len() < MAX_TOKENS;
        let label: Arc<str> = if is_counted { token.clone() } else { "other".into() };
        self.tokens.insert(label.clone());
        *self.token_requests.entry((label, kind)).or_default() += 1;
    }

    /// The metric label for a server. Servers beyond the limit share one label, to cap cardinality.
    pub(super) fn server(&mut self, id: &SourceId) -> SourceId {
        if self.servers.contains(id) || self.servers.len() < MAX_SERVERS {
            self.servers.insert(id.clone());
            return id.clone();
        }
        SourceId::new("other").unwrap_or_else(|_| SourceId::local())
    }

    pub(super) fn write(&self, page: &mut MetricsPage) {
        self.write_calls(page);
        page.counter("toolscout_searches_total", "Searches, by outcome.");
        self.searches
            .iter()
            .for_each(|(outcome, count)| page.line(&[("outcome", outcome)], *count));
        page.histogram("toolscout_search_duration_seconds", "Duration of searches in seconds.");
        self.search_seconds.write(page, &[]);
        page.counter("toolscout_discoveries_total", "Discoveries, by server and outcome.");
        for ((server, outcome), count) in &self.discoveries {
            page.line(&[("server", server.as_str()), ("outcome", outcome)], *count);
        }
        page.histogram(
            "toolscout_discovery_duration_seconds",
            "Duration of discoveries in seconds.",
        );
        self.discovery_seconds.write(page, &[]);
        page.counter("toolscout_operations_total", "Operations, by name and outcome.");
        for ((operation, outcome), count) in &self.operations {
            page.line(&[("operation", operation), ("outcome", outcome)], *count);
        }
        page.histogram(
            "toolscout_operation_duration_seconds",
            "Duration of operations in seconds.",
        );
        for (operation, histogram) in &self.operation_seconds {
            histogram.write(page, &[("operation", operation)]);
        }
        page.counter(
            "toolscout_token_requests_total",
            "Calls, searches, operations and decisions over HTTP, by access token and kind.",
        );
        for ((token, kind), count) in &self.token_requests {
            page.line(&[("token", token.as_ref()), ("kind", kind)], *count);
        }
        self.write_decisions_and_context(page);
    }

    fn write_calls(&self, page: &mut MetricsPage) {
        page.counter("toolscout_calls_total", "Tool calls, by server and outcome.");
        for ((server, outcome), count) in &self.calls {
            page.line(&[("server", server.as_str()), ("outcome", outcome)], *count);
        }
        page.histogram("toolscout_call_duration_seconds", "Duration of tool calls in seconds.");
        for (server, histogram) in &self.call_seconds {
            histogram.write(page, &[("server", server.as_str())]);
        }
        page.counter(
            "toolscout_result_bytes_total",
            "Bytes of tool results, as returned by the tools.",
        );
        for (server, bytes) in &self.result_bytes {
            page.line(&[("server", server.as_str())], *bytes);
        }
    }

    fn write_decisions_and_context(&self, page: &mut MetricsPage) {
        page.counter(
            "toolscout_decisions_total",
            "Decisions of users and policy rules, by subject type and decision.",
        );
        for ((subject_type, decision), count) in &self.decisions {
            let labels = [("subject_type", *subject_type), ("decision", *decision)];
            page.line(&labels, *count);
        }
        page.counter("toolscout_sessions_total", "Sessions with at least one request.");
        page.line(&[], self.sessions.len());
        page.counter(
            "toolscout_context_total",
            "Tool lists, search results and summaries sent to clients.",
        );
        self.shown.iter().for_each(|(form, sum)| page.line(&[("form", form)], sum.times));
        page.counter(
            "toolscout_context_tools_total",
            "Tools in lists, search results and summaries sent to clients.",
        );
        self.shown.iter().for_each(|(form, sum)| page.line(&[("form", form)], sum.tools));
        page.counter(
            "toolscout_context_tokens_total",
            "Tokens of lists, search results and summaries sent to clients; an upper bound.",
        );
        self.shown.iter().for_each(|(form, sum)| page.line(&[("form", form)], sum.tokens));
    }
}

/// The name of an outcome in metric labels and span attributes.
pub(crate) fn outcome_name(outcome: &CallOutcome) -> &'static str {
    match outcome {
        CallOutcome::Succeeded(_) => "succeeded",
        CallOutcome::ToolError(_) => "tool_error",
        CallOutcome::InputRequired => "input_required",
        CallOutcome::Pending => "pending",
        CallOutcome::Cancelled => "cancelled",
        CallOutcome::Failed { kind, .. } => error_kind_name(*kind),
    }
}

/// The name of an error kind in metric labels and span attributes.
pub(crate) fn error_kind_name(kind: ErrorKind) -> &'static str {
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
