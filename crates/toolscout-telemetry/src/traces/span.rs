//! Converts events to spans, with the attributes of OpenTelemetry's and Langfuse's conventions.

use super::TracedServers;
use super::attributes::{Attributes, clip};
use super::request::ExportedSpan;
use crate::metrics::{error_kind_name, outcome_name};
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
        EventKind::Discovery(discovery) => (
            "tool-discovery",
            discovery_attributes(discovery, count, event.took),
            discovery.error.clone(),
        ),
        EventKind::Search(search) => {
            ("tool-search", search_attributes(search, count, content), None)
        }
        EventKind::Call(call) => {
            ("tool-call", call_attributes(call, content), failure(&call.outcome))
        }
        EventKind::Decision(value) => (decision_span_name(value), decision_attributes(value), None),
        _ => return None,
    };
    let error = error.map(|error| clip(&redact::text(&error)).to_owned());
    let start = event.at.0.saturating_mul(1_000_000);
    let end = start.saturating_add(u64::try_from(event.took.as_nanos()).unwrap_or(u64::MAX));
    let (trace, id, parent) = (event.span.trace, event.span.id, event.span.parent);
    let attributes = with_requester(&event.requester, attributes);
    let attributes = match &error {
        Some(error) => attributes
            .with("langfuse.observation.level", "ERROR")
            .with("langfuse.observation.status_message", error.as_str()),
        None => attributes,
    };
    Some(ExportedSpan { trace, id, parent, name, start, end, attributes, error })
}

/// Adds the names of the configured MCP servers to the span of a discovery or a search, and to a
/// search whether one of them needs a discovery.
pub(super) fn with_servers(
    span: ExportedSpan,
    servers: impl FnOnce() -> TracedServers,
) -> ExportedSpan {
    if !matches!(span.name, "tool-discovery" | "tool-search") {
        return span;
    }
    let TracedServers { names, needs_discovery } = servers();
    let text = json!(names).to_string();
    let attributes = span.attributes.with("toolscout.mcp_servers", names);
    let attributes = metadata(attributes, "mcpServers", text);
    let attributes = if span.name == "tool-search" {
        let attributes = attributes.with("toolscout.needs_discovery", needs_discovery);
        metadata(attributes, "needsDiscovery", needs_discovery)
    } else {
        attributes
    };
    ExportedSpan { attributes, ..span }
}

/// Adds the attributes of the requester.
fn with_requester(requester: &Requester, attributes: Attributes) -> Attributes {
    attributes
        .with("toolscout.caller", requester.caller.as_str())
        .with_optional("toolscout.client", requester.client.as_deref())
        .with_optional("session.id", requester.session.as_deref())
        .with_optional("langfuse.session.id", requester.session.as_deref())
        .with_optional("user.id", requester.user.as_deref())
        .with_optional("langfuse.user.id", requester.user.as_deref())
}

fn discovery_attributes(
    discovery_event: &DiscoveryEvent,
    count: CacheCounts,
    took: Duration,
) -> Attributes {
    let server = discovery_event.source.as_str();
    let names = json!(discovery_event.names.iter().take(128).collect::<Vec<_>>());
    let millis = u64::try_from(took.as_millis()).unwrap_or(u64::MAX);
    let attributes = Attributes::default()
        .with("langfuse.observation.type", "span")
        .with("toolscout.server", server)
        .with("toolscout.tool.count", discovery_event.names.len())
        .with("toolscout.tool.names", discovery_event.names.clone())
        .with("toolscout.duration_ms", millis)
        .with("toolscout.needs_discovery", discovery_event.was_uncached)
        .with("toolscout.changed", discovery_event.changed)
        .with_optional("error.type", discovery_event.error.as_ref().map(|_| "discovery_failed"));
    let attributes = metadata(attributes, "server", server);
    let attributes = metadata(attributes, "toolCount", discovery_event.names.len());
    let attributes = metadata(attributes, "byServer", by_server(discovery_event).to_string());
    let attributes = metadata(attributes, "toolNames", names.to_string());
    let attributes = metadata(attributes, "durationMs", millis);
    let attributes = metadata(attributes, "needsDiscovery", discovery_event.was_uncached);
    with_cache_counts(attributes, count)
}

/// Number of tools by server. Names of observed tools contain their server: `server/tool`.
fn by_server(discovery_event: &DiscoveryEvent) -> Value {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for name in &discovery_event.names {
        let server = name
            .split_once('/')
            .map(|(server, _)| server)
            .filter(|_| discovery_event.source.as_str() == "observed");
        *counts.entry(server.unwrap_or(discovery_event.source.as_str())).or_default() += 1;
    }
    json!(counts)
}

fn search_attributes(search_event: &SearchEvent, count: CacheCounts, content: bool) -> Attributes {
    let ids: Vec<_> = search_event.hits.iter().map(|(id, _)| id.to_string()).collect();
    let text = content.then(|| redact::text(&search_event.text));
    let attributes = Attributes::default()
        .with("langfuse.observation.type", "retriever")
        .with("toolscout.search.profile", search_event.profile)
        .with("toolscout.search.hits", ids.len())
        .with("toolscout.search.results", ids.clone())
        .with_optional(
            "toolscout.search.best_score",
            search_event.hits.first().map(|(_, score)| *score),
        )
        .with_optional("langfuse.observation.input", text)
        .with("langfuse.observation.output", json!(ids).to_string());
    with_cache_counts(metadata(attributes, "hits", ids.len()), count)
}

fn call_attributes(call_event: &CallEvent, content: bool) -> Attributes {
    let outcome = outcome_name(&call_event.outcome);
    let arguments = content.then(|| redacted_json(&call_event.arguments));
    let attributes = Attributes::default()
        .with("langfuse.observation.type", "tool")
        .with("gen_ai.operation.name", "execute_tool")
        .with("gen_ai.tool.name", call_event.tool.name.as_str())
        .with("gen_ai.tool.type", "extension")
        .with("mcp.method.name", "tools/call")
        .with("toolscout.server", call_event.tool.source.as_str())
        .with("toolscout.tool.id", call_event.tool.to_string())
        .with_optional("toolscout.tool.digest", call_event.digest.map(|digest| digest.to_string()))
        .with_optional("toolscout.policy", call_event.policy.map(|policy| policy.as_str()))
        .with("toolscout.outcome", outcome)
        .with_optional("toolscout.result.bytes", result_bytes(&call_event.outcome))
        .with_optional("error.type", error_type(&call_event.outcome))
        .with_optional("gen_ai.tool.call.arguments", arguments.clone())
        .with_optional("langfuse.observation.input", arguments);
    let attributes = metadata(attributes, "server", call_event.tool.source.as_str());
    metadata(attributes, "outcome", outcome)
}

fn decision_attributes(decision_event: &DecisionEvent) -> Attributes {
    let kind = if decision_span_name(decision_event) == "approval" { "guardrail" } else { "event" };
    let attributes = Attributes::default()
        .with("langfuse.observation.type", kind)
        .with("toolscout.decision.subject_type", decision_event.kind)
        .with("toolscout.decision.subject", redact::text(&decision_event.subject))
        .with("toolscout.decision", decision_event.action)
        .with("toolscout.decision.by", decision_event.by.as_str());
    metadata(attributes, "decision", decision_event.action)
}

/// The span name of a decision: calls and definitions are approved, everything else is decided.
fn decision_span_name(decision_event: &DecisionEvent) -> &'static str {
    if matches!(decision_event.kind, "call" | "definition") { "approval" } else { "decision" }
}

fn with_cache_counts(attributes: Attributes, count: CacheCounts) -> Attributes {
    let attributes = metadata(attributes, "cacheHits", count.hits);
    let attributes = metadata(attributes, "cacheMisses", count.misses);
    metadata(attributes, "cacheHitRatio", count.ratio())
}

fn metadata(attributes: Attributes, key: &str, value: impl Into<Value>) -> Attributes {
    attributes.with(format!("langfuse.observation.metadata.{key}"), value)
}

fn result_bytes(outcome: &CallOutcome) -> Option<usize> {
    match outcome {
        CallOutcome::Succeeded(bytes) | CallOutcome::ToolError(bytes) => Some(*bytes),
        _ => None,
    }
}

fn error_type(outcome: &CallOutcome) -> Option<&'static str> {
    match outcome {
        CallOutcome::ToolError(_) => Some("tool_error"),
        CallOutcome::Failed { kind, .. } => Some(error_kind_name(*kind)),
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

fn redacted_json(arguments: &Arguments) -> String {
    redact::text(&redact::json(&Value::Object(arguments.clone())).to_string())
}
