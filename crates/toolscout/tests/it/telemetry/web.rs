//! 1. A trace in the HTTP headers of a message continues to the server, too.
//! 2. Metrics are available in the Prometheus format and contain no text of users.

use super::otlp::{Receiver, spans_of, world};
use crate::serve::Web;
use crate::servers::fixture::wait_until;
use serde_json::{Value, json};
use std::fs;

#[test]
fn trace_headers_of_a_request_reach_the_server() {
    let receiver = Receiver::start(&[]);
    let world = world(&receiver);
    world.run(&["server", "refresh"]).exits(0);
    let web = Web::open(&world, &[]);
    let (trace, parent) = ("0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331");
    let header = format!("Traceparent: 00-{trace}-{parent}-01");
    let mut session = web.session("/mcp", &[&header, "Tracestate: vendor=1"]);
    assert_eq!(session.text("s__say", json!({})), "said");
    let is_call = |span: &super::otlp::Span| span.name == "tool-call";
    wait_until("the call is exported", || spans_of(&receiver).iter().any(is_call));
    let span = spans_of(&receiver).into_iter().find(is_call).expect("a call");
    assert_eq!((&*span.trace, span.parent.as_deref()), (trace, Some(parent)));
    let called = fs::read_to_string(world.path("called")).expect("the tool was called");
    let meta = &serde_json::from_str::<Value>(&called).expect("JSON")["params"]["_meta"];
    assert_eq!(meta["traceparent"], format!("00-{trace}-{}-01", span.id));
    assert_eq!(meta["tracestate"], "vendor=1");
}

#[test]
fn activity_is_counted_in_prometheus_metrics() {
    let receiver = Receiver::start(&[]);
    let world = world(&receiver);
    world.run(&["server", "refresh"]).exits(0);
    let web = Web::open(&world, &[]);
    let mut session = web.session("/mcp", &[]);
    assert_eq!(session.text("s__say", json!({})), "said");
    session.call("execute_tool", json!({"name": "s/say", "arguments": {"wrong": 1}}));
    session.call("tool_search", json!({"query": "verypersonalwords"}));
    let answer = web.send("GET", "/metrics", &[], "");
    assert_eq!(answer.status, 200, "{answer:?}");
    assert!(
        answer.header("content-type").is_some_and(|header| header.starts_with("text/plain")),
        "{answer:?}"
    );
    let count = |line: &str| {
        let found = answer.body.lines().find_map(|item| item.strip_prefix(line)?.strip_prefix(' '));
        found
            .unwrap_or_else(|| panic!("no {line} in {}", answer.body))
            .parse::<f64>()
            .expect("a number")
    };
    assert!(count("toolscout_calls_total{server=\"s\",outcome=\"succeeded\"}") >= 1.0);
    assert_eq!(count("toolscout_tools{server=\"s\",status=\"ready\"}"), 1.0);
    assert_eq!(count("toolscout_search_duration_seconds_count"), 1.0);
    assert!(count("toolscout_sessions_total") >= 1.0);
    assert!(!answer.body.contains("verypersonalwords"));
}
