//! Trace context of requests.

use super::*;

fn headers(all: &[(&str, &str)]) -> Vec<(String, String)> {
    all.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

const TRACEPARENT: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

#[test]
fn outgoing_requests_are_children_of_our_span() {
    let incoming = headers(&[("tracestate", "vendor=1"), ("traceparent", TRACEPARENT)]);
    let span = Span::child_of(&incoming);
    assert_eq!(hex(&span.trace), "4bf92f3577b34da6a3ce929d0e0e4736");
    assert_eq!(span.parent.map(|parent| hex(&parent)).as_deref(), Some("00f067aa0ba902b7"));
    let outgoing = span.propagate(&incoming);
    let next = Span::child_of(&outgoing);
    assert_eq!((next.trace, next.parent, next.is_sampled), (span.trace, Some(span.id), true));
    assert_eq!(outgoing[1], incoming[0]);
    assert_eq!(outgoing.len(), 2);
}

#[test]
fn trace_context_is_taken_from_mixed_headers() {
    let incoming = headers(&[
        ("host", "x"),
        ("Traceparent", TRACEPARENT),
        ("authorization", "no"),
        ("baggage", "a=1"),
    ]);
    assert_eq!(
        *trace_context(&incoming),
        *headers(&[("traceparent", TRACEPARENT), ("baggage", "a=1")])
    );
    assert!(trace_context(&headers(&[("baggage", "a=1")])).is_empty());
}

#[test]
fn invalid_traceparent_starts_a_new_trace() {
    let invalid = [
        "",
        "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
        "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
        "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more",
        "00-4bf92f3577b34da6a3ce929d0e0e47-00f067aa0ba902b7-01",
    ];
    for invalid in invalid {
        let span = Span::child_of(&headers(&[("traceparent", invalid)]));
        assert_eq!(span.parent, None, "{invalid}");
        assert_ne!(hex(&span.trace), "4bf92f3577b34da6a3ce929d0e0e4736");
    }
    assert_ne!(Span::child_of(&[]).trace, Span::child_of(&[]).trace);
    let later = "cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00-what-comes";
    let span = Span::child_of(&headers(&[("traceparent", later)]));
    assert!(span.parent.is_some() && !span.is_sampled);
}
