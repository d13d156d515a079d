//! 1. Each exported event has its name, its place in the trace and its time.
//! 2. Queries and arguments are exported only on request, and never with a secret in them.
//! 3. Environment variables are read as OpenTelemetry specifies.

use super::TracedServers;
use super::environment::pairs;
use super::request::ExportedSpan;
use super::span::{CacheCounts, to_span, with_servers};
use serde_json::{Value, json};
use std::time::Duration;
use toolscout_core::event::{
    CallEvent, CallOutcome, DecisionEvent, DiscoveryEvent, DiscoveryStart, Event, EventKind,
    Requester, SearchEvent, Span as Place,
};
use toolscout_core::{Arguments, Caller, ErrorKind, Moment, SourceId, ToolId, ToolName, redact};

fn event(kind: EventKind) -> Event {
    let requester = Requester {
        caller: Caller::Mcp,
        user: Some("ada".into()),
        token: None,
        client: Some("claude-code 2.1".into()),
        session: Some("s-1".into()),
        project: None,
    };
    let span = Place { trace: [7; 16], id: [1; 8], parent: Some([2; 8]), is_sampled: true };
    Event {
        at: Moment(1_700_000_000_123),
        took: Duration::from_micros(1_500),
        requester,
        span,
        kind,
    }
}

fn span(what: EventKind, content: bool) -> ExportedSpan {
    to_span(&event(what), CacheCounts { hits: 3, misses: 1 }, content).expect("a span")
}

fn attribute(span: &ExportedSpan, key: &str) -> Option<Value> {
    span.attributes.get(key).cloned()
}

fn text(text: &str) -> Option<Value> {
    Some(text.into())
}

fn call(outcome: CallOutcome) -> EventKind {
    let tool =
        ToolId::new(SourceId::new("mail").expect("an id"), ToolName::new("send").expect("a name"));
    let arguments: Arguments = json!({"to": "bob", "password": "x", "note": "tracecanaryword"})
        .as_object()
        .expect("an object")
        .clone();
    EventKind::Call(CallEvent { tool, digest: None, arguments, policy: None, outcome })
}

#[test]
fn a_span_has_its_trace_position_and_times() {
    let span = span(call(CallOutcome::Succeeded(12)), false);
    assert_eq!((span.trace, span.id, span.parent), ([7; 16], [1; 8], Some([2; 8])));
    assert_eq!((span.start, span.end - span.start), (1_700_000_000_123_000_000, 1_500_000));
    assert_eq!((span.name, span.error.as_deref()), ("tool-call", None));
    for key in ["session.id", "langfuse.session.id"] {
        assert_eq!(attribute(&span, key), text("s-1"));
    }
    assert_eq!(
        (attribute(&span, "user.id"), attribute(&span, "langfuse.user.id")),
        (text("ada"), text("ada"))
    );
}

#[test]
fn a_call_span_follows_the_semantic_conventions() {
    let done = span(call(CallOutcome::Succeeded(12)), false);
    assert_eq!(attribute(&done, "gen_ai.operation.name"), text("execute_tool"));
    assert_eq!(attribute(&done, "gen_ai.tool.name"), text("send"));
    assert_eq!(attribute(&done, "langfuse.observation.type"), text("tool"));
    assert_eq!(attribute(&done, "toolscout.result.bytes"), Some(json!(12)));
    assert_eq!(attribute(&done, "error.type"), None);
    let failed = span(call(CallOutcome::ToolError(1)), false);
    assert_eq!(attribute(&failed, "error.type"), text("tool_error"));
    let message = "no answer, token=abcdef123456".to_owned();
    let late = span(call(CallOutcome::Failed { kind: ErrorKind::TimedOut, message }), false);
    assert_eq!(
        (attribute(&late, "error.type"), attribute(&late, "langfuse.observation.level")),
        (text("timed_out"), text("ERROR"))
    );
    assert!(
        late.error
            .as_deref()
            .is_some_and(|error| error.contains("no answer") && !error.contains("abcdef")),
        "{late:?}"
    );
}

#[test]
fn content_is_exported_only_on_demand_and_redacted() {
    redact::add_secret("tracecanaryword");
    let quiet = span(call(CallOutcome::Succeeded(1)), false);
    assert_eq!(
        (
            attribute(&quiet, "gen_ai.tool.call.arguments"),
            attribute(&quiet, "langfuse.observation.input")
        ),
        (None, None)
    );
    let loud = format!("{:?}", span(call(CallOutcome::Succeeded(1)), true));
    assert!(
        loud.contains("bob") && loud.contains("[REDACTED]") && !loud.contains("tracecanaryword"),
        "{loud}"
    );
    let search = || {
        let text = "send with tracecanaryword".to_owned();
        EventKind::Search(SearchEvent {
            text,
            profile: "ranked",
            hits: Vec::new(),
            notes: Vec::new(),
        })
    };
    assert_eq!(attribute(&span(search(), false), "langfuse.observation.input"), None);
    assert_eq!(
        attribute(&span(search(), true), "langfuse.observation.input"),
        text("send with [REDACTED]")
    );
}

#[test]
fn a_discovery_span_has_tools_and_cache_counts() {
    let source = SourceId::new("observed").expect("an id");
    let names = vec!["mail/send".to_owned(), "mail/read".to_owned(), "x".to_owned()];
    let found = DiscoveryEvent { source, names, was_uncached: true, changed: true, error: None };
    let span = span(EventKind::Discovery(found), false);
    let metadata = |key: &str| attribute(&span, &format!("langfuse.observation.metadata.{key}"));
    assert_eq!((span.name, metadata("toolCount")), ("tool-discovery", Some(json!(3))));
    assert_eq!(metadata("byServer"), text(r#"{"mail":2,"observed":1}"#));
    assert_eq!(metadata("toolNames"), text(r#"["mail/send","mail/read","x"]"#));
    assert_eq!(
        (metadata("needsDiscovery"), metadata("durationMs")),
        (Some(json!(true)), Some(json!(1)))
    );
    assert_eq!(metadata("cacheHitRatio"), Some(json!(0.75)));
}

/// M-16b
#[test]
fn spans_of_discoveries_and_searches_name_the_servers() {
    let servers =
        || TracedServers { names: vec!["fs".to_owned(), "mail".to_owned()], needs_discovery: true };
    let found = DiscoveryEvent {
        source: SourceId::new("mail").expect("an id"),
        names: Vec::new(),
        was_uncached: false,
        changed: false,
        error: None,
    };
    let discovery = with_servers(span(EventKind::Discovery(found), false), servers);
    assert_eq!(
        attribute(&discovery, "langfuse.observation.metadata.mcpServers"),
        text(r#"["fs","mail"]"#)
    );
    assert_eq!(attribute(&discovery, "toolscout.mcp_servers"), Some(json!(["fs", "mail"])));
    let needs_discovery = "langfuse.observation.metadata.needsDiscovery";
    assert_eq!(attribute(&discovery, needs_discovery), Some(json!(false)), "its own value");
    let search = EventKind::Search(SearchEvent {
        text: "mail".to_owned(),
        profile: "ranked",
        hits: Vec::new(),
        notes: Vec::new(),
    });
    let search = with_servers(span(search, false), servers);
    assert_eq!(attribute(&search, "toolscout.mcp_servers"), Some(json!(["fs", "mail"])));
    assert_eq!(attribute(&search, needs_discovery), Some(json!(true)));
    let call = with_servers(span(call(CallOutcome::InputRequired), false), servers);
    assert_eq!(attribute(&call, "toolscout.mcp_servers"), None);
}

#[test]
fn approvals_have_their_own_span_name_and_other_events_no_span() {
    let decided = |kind| DecisionEvent {
        kind,
        subject: "mail/send".to_owned(),
        action: "approved",
        by: "ada".to_owned(),
    };
    assert_eq!(span(EventKind::Decision(decided("call")), false).name, "approval");
    assert_eq!(span(EventKind::Decision(decided("definition")), false).name, "approval");
    assert_eq!(span(EventKind::Decision(decided("policy")), false).name, "decision");
    let begun = event(EventKind::DiscoveryStarted(DiscoveryStart {
        source: SourceId::local(),
        installer: None,
    }));
    assert_eq!(to_span(&begun, CacheCounts { hits: 0, misses: 0 }, false), None);
}

#[test]
fn pairs_are_parsed_as_in_otel_variables() {
    let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    assert_eq!(
        pairs("Authorization=Basic%20YTpi==, x=1,,=no,none, y = a%2Cb%zz%"),
        [pair("Authorization", "Basic YTpi=="), pair("x", "1"), pair("y", "a,b%zz%")]
    );
}
