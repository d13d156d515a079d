//! Converts events to spans, with the attributes of OpenTelemetry's and Langfuse's conventions.

use super::attributes::{Attributes, clip};
use super::request::ExportedSpan;
use crate::metrics::word;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::time::Duration;
use toolscout_core::event::{
    CallEvent, CallOutcome, DecisionEvent, DiscoveryEvent, Event, EventKind, Requester, SearchEvent,
};
use toolscout_core::{Arguments, redact};

/// How often a cached discovery was enough, and how often a server had to be queried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct CacheCounts {
    pub(super) hits: u64,
    pub(super) misses: u64,
}

impl CacheCounts {
    /// The share of hits, from 0 to 1.
    fn ratio(self) -> f64 {
        let all = self.hits + self.misses;
        if all == 0 { 0.0 } else { self.hits as f64 / all as f64 }
    }
}

/// The span of an event, or none for kinds that are not exported. `content` adds queries and
/// arguments.
pub(super) fn to_span(event: &Event, count: CacheCounts, content: bool) -> Option<ExportedSpan> {
    let (name, attributes, error) = match &event.kind {
        EventKind::Discovery(it) => {
            ("tool-discovery", discovered(it, count, event.took), it.error.clone())
        }
        EventKind::Search(it) => ("tool-search", searched(it, count, content), None),
        EventKind::Call(it) => ("tool-call", called(it, content), failure(&it.outcome)),
        EventKind::Decision(it) => (decision(it), decided(it), None),
        _ => return None,
    };
    let error = error.map(|it| clip(&redact::text(&it)).to_owned());
    let start = event.at.0.saturating_mul(1_000_000);
    let end = start.saturating_add(u64::try_from(event.took.as_nanos()).unwrap_or(u64::MAX));
    let (trace, id, parent) = (event.span.trace, event.span.id, event.span.parent);
    let attributes = of(&event.requester, attributes);
    let attributes = match &error {
        Some(error) => attributes
            .with("langfuse.observation.level", "ERROR")
            .with("langfuse.observation.status_message", error.as_str()),
        None => attributes,
    };
    Some(ExportedSpan { trace, id, parent, name, start, end, attributes, error })
}

/// Adds the attributes of the requester.
fn of(who: &Requester, attributes: Attributes) -> Attributes {
    attributes
        .with("toolscout.caller", who.caller.word())
        .maybe("toolscout.client", who.client.as_deref())
        .maybe("session.id", who.session.as_deref())
        .maybe("langfuse.session.id", who.session.as_deref())
        .maybe("user.id", who.user.as_deref())
        .maybe("langfuse.user.id", who.user.as_deref())
}

fn discovered(it: &DiscoveryEvent, count: CacheCounts, took: Duration) -> Attributes {
    let server = it.source.as_str();
    let named = json!(it.names.iter().take(128).collect::<Vec<_>>());
    let millis = u64::try_from(took.as_millis()).unwrap_or(u64::MAX);
    let attributes = Attributes::default()
        .with("langfuse.observation.type", "span")
        .with("toolscout.server", server)
        .with("toolscout.tool.count", it.names.len())
        .with("toolscout.tool.names", it.names.clone())
        .with("toolscout.duration_ms", millis)
        .with("toolscout.needs_discovery", it.was_needed)
        .with("toolscout.changed", it.changed)
        .maybe("error.type", it.error.as_ref().map(|_| "discovery_failed"));
    let attributes = metadata(attributes, "server", server);
    let attributes = metadata(attributes, "toolCount", it.names.len());
    let attributes = metadata(attributes, "byServer", by_server(it).to_string());
    let attributes = metadata(attributes, "toolNames", named.to_string());
    let attributes = metadata(attributes, "durationMs", millis);
    let attributes = metadata(attributes, "needsDiscovery", it.was_needed);
    cached(attributes, count)
}

/// Number of tools by server. Names of observed tools contain their server: `server/tool`.
fn by_server(it: &DiscoveryEvent) -> Value {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for name in &it.names {
        let server = name
            .split_once('/')
            .map(|(server, _)| server)
            .filter(|_| it.source.as_str() == "observed");
        *counts.entry(server.unwrap_or(it.source.as_str())).or_default() += 1;
    }
    json!(counts)
}

fn searched(it: &SearchEvent, count: CacheCounts, content: bool) -> Attributes {
    let ids: Vec<_> = it.hits.iter().map(|(id, _)| id.to_string()).collect();
    let text = content.then(|| redact::text(&it.text));
    let attributes = Attributes::default()
        .with("langfuse.observation.type", "retriever")
        .with("toolscout.search.profile", it.profile)
        .with("toolscout.search.hits", ids.len())
        .with("toolscout.search.results", ids.clone())
        .maybe("toolscout.search.best_score", it.hits.first().map(|(_, score)| *score))
        .maybe("langfuse.observation.input", text)
        .with("langfuse.observation.output", json!(ids).to_string());
    cached(metadata(attributes, "hits", ids.len()), count)
}

fn called(it: &CallEvent, content: bool) -> Attributes {
    let (outcome, bytes) = outcome(&it.outcome);
    let arguments = content.then(|| written(&it.arguments));
    let attributes = Attributes::default()
        .with("langfuse.observation.type", "tool")
        .with("gen_ai.operation.name", "execute_tool")
        .with("gen_ai.tool.name", it.tool.name.as_str())
        .with("gen_ai.tool.type", "extension")
        .with("mcp.method.name", "tools/call")
        .with("toolscout.server", it.tool.source.as_str())
        .with("toolscout.tool.id", it.tool.to_string())
        .maybe("toolscout.tool.digest", it.digest.map(|it| it.to_string()))
        .maybe("toolscout.policy", it.policy.map(|it| it.word()))
        .with("toolscout.outcome", outcome)
        .maybe("toolscout.result.bytes", bytes)
        .maybe("error.type", error_type(&it.outcome))
        .maybe("gen_ai.tool.call.arguments", arguments.clone())
        .maybe("langfuse.observation.input", arguments);
    let attributes = metadata(attributes, "server", it.tool.source.as_str());
    metadata(attributes, "outcome", outcome)
}

fn decided(it: &DecisionEvent) -> Attributes {
    let kind = if decision(it) == "approval" { "guardrail" } else { "event" };
    let attributes = Attributes::default()
        .with("langfuse.observation.type", kind)
        .with("toolscout.decision.about", it.about)
        .with("toolscout.decision.which", redact::text(&it.which))
        .with("toolscout.decision", it.word)
        .with("toolscout.decision.by", it.by.as_str());
    metadata(attributes, "decision", it.word)
}

/// The span name of a decision: calls and definitions are approved, everything else is decided.
fn decision(it: &DecisionEvent) -> &'static str {
    if matches!(it.about, "call" | "definition") { "approval" } else { "decision" }
}

fn cached(attributes: Attributes, count: CacheCounts) -> Attributes {
    let attributes = metadata(attributes, "cacheHits", count.hits);
    let attributes = metadata(attributes, "cacheMisses", count.misses);
    metadata(attributes, "cacheHitRatio", count.ratio())
}

fn metadata(attributes: Attributes, key: &str, value: impl Into<Value>) -> Attributes {
    attributes.with(format!("langfuse.observation.metadata.{key}"), value)
}

fn outcome(outcome: &CallOutcome) -> (&'static str, Option<usize>) {
    match outcome {
        CallOutcome::Succeeded(bytes) => ("done", Some(*bytes)),
        CallOutcome::ToolError(bytes) => ("tool_failed", Some(*bytes)),
        CallOutcome::InputRequired => ("wants_input", None),
        CallOutcome::Cancelled => ("cancelled", None),
        CallOutcome::Failed { kind, .. } => (word(*kind), None),
    }
}

fn error_type(outcome: &CallOutcome) -> Option<&'static str> {
    match outcome {
        CallOutcome::ToolError(_) => Some("tool_error"),
        CallOutcome::Failed { kind, .. } => Some(word(*kind)),
        _ => None,
    }
}

fn failure(outcome: &CallOutcome) -> Option<String> {
    match outcome {
        CallOutcome::ToolError(_) => Some("the tool reported an error".to_owned()),
        CallOutcome::Failed { message, .. } => Some(message.clone()),
        _ => None,
    }
}

fn written(arguments: &Arguments) -> String {
    redact::text(&redact::secrets(&Value::Object(arguments.clone())).to_string())
}
