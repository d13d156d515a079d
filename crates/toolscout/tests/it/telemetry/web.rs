//! 1. A trace may come in the headers around a message, too, and goes on to the server.
//! 2. What was done is counted, and can be read in Prometheus' format; nothing of it is somebody's words.

use super::otlp::{Receiver, spans_of, world};
use crate::serve::Web;
use crate::servers::scene::until;
use serde_json::{Value, json};
use std::fs;

#[test]
fn a_trace_may_come_in_headers_and_goes_on_to_the_server() {
    let receiver = Receiver::start(&[]);
    let world = world(&receiver);
    world.run(&["server", "refresh"]).exits(0);
    let web = Web::open(&world, &[]);
    let (trace, parent) = ("0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331");
    let header = format!("Traceparent: 00-{trace}-{parent}-01");
    let mut session = web.session("/mcp", &[&header, "Tracestate: vendor=1"]);
    assert_eq!(session.text("s__say", json!({})), "said");
    let is_call = |it: &super::otlp::Span| it.name == "tool-call";
    until("the call is told of", || spans_of(&receiver).iter().any(is_call));
    let span = spans_of(&receiver).into_iter().find(is_call).expect("a call");
    assert_eq!((&*span.trace, span.parent.as_deref()), (trace, Some(parent)));
    let called = fs::read_to_string(world.path("called")).expect("it was called");
    let meta = &serde_json::from_str::<Value>(&called).expect("JSON")["params"]["_meta"];
    assert_eq!(meta["traceparent"], format!("00-{trace}-{}-01", span.id));
    assert_eq!(meta["tracestate"], "vendor=1");
}

#[test]
fn what_was_done_is_counted_for_prometheus() {
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
        answer.header("content-type").is_some_and(|it| it.starts_with("text/plain")),
        "{answer:?}"
    );
    let count = |line: &str| {
        let found = answer.body.lines().find_map(|it| it.strip_prefix(line)?.strip_prefix(' '));
        found
            .unwrap_or_else(|| panic!("no {line} in {}", answer.body))
            .parse::<f64>()
            .expect("a number")
    };
    assert!(count("toolscout_calls_total{server=\"s\",outcome=\"done\"}") >= 1.0);
    assert_eq!(count("toolscout_tools{server=\"s\",status=\"ready\"}"), 1.0);
    assert_eq!(count("toolscout_search_seconds_count"), 1.0);
    assert!(count("toolscout_sessions_total") >= 1.0);
    assert!(!answer.body.contains("verypersonalwords"));
}
