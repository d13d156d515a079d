//! 1. Each event is counted once, under its server and its outcome.
//! 2. The buckets of a histogram are cumulative, and the last one contains everything.
//! 3. Every line belongs to a declared metric family, and the number of lines is bounded.

use super::*;
use std::collections::{BTreeSet, HashMap};
use std::time::Duration;
use toolscout_core::event::{
    CallEvent, CallOutcome, ContextUse, DecisionEvent, DiscoveryEvent, DiscoveryStart, EventKind,
    Requester, SearchEvent, Span,
};
use toolscout_core::{Arguments, Caller, ErrorKind, SourceId, ToolId, ToolName};

fn event(millis: u64, session: &str, kind: EventKind) -> Event {
    let session = Some(session.into());
    let requester = Requester {
        caller: Caller::Mcp,
        user: None,
        token: None,
        client: None,
        session,
        project: None,
    };
    Event {
        at: Moment(0),
        took: Duration::from_millis(millis),
        requester,
        span: Span::child_of(&[]),
        kind,
    }
}

fn source(id: &str) -> SourceId {
    SourceId::new(id).expect("an id")
}

fn call(server: &str, outcome: CallOutcome) -> EventKind {
    let tool = ToolId::new(source(server), ToolName::new("send").expect("a name"));
    EventKind::Call(CallEvent {
        tool,
        digest: None,
        arguments: Arguments::default(),
        policy: None,
        outcome,
    })
}

/// The value of each line.
fn values(page: &str) -> HashMap<&str, f64> {
    let lines = page.lines().filter(|line| !line.starts_with('#'));
    lines
        .map(|line| line.rsplit_once(' ').expect("a value"))
        .map(|(k, v)| (k, v.parse().expect("a number")))
        .collect()
}

#[test]
fn each_event_is_counted_once_by_server_and_outcome() {
    let metrics = Metrics::default();
    let timed_out = CallOutcome::Failed { kind: ErrorKind::TimedOut, message: "no".to_owned() };
    let searched = SearchEvent {
        text: "x".to_owned(),
        profile: "hybrid",
        hits: Vec::new(),
        notes: Vec::new(),
    };
    let found = DiscoveryEvent {
        source: source("mail"),
        names: vec!["send".to_owned()],
        was_uncached: true,
        changed: true,
        error: None,
    };
    let decided = DecisionEvent {
        kind: "call",
        subject: "mail/send".to_owned(),
        action: "approved",
        by: "a person".to_owned(),
    };
    for what in [
        call("mail", CallOutcome::Succeeded(100)),
        call("mail", CallOutcome::Succeeded(11)),
        call("mail", timed_out),
        call("files", CallOutcome::ToolError(5)),
        EventKind::Search(searched),
        EventKind::Discovery(found),
        EventKind::Decision(decided),
        EventKind::ContextUse(ContextUse {
            form: "search",
            tools: 5,
            tokens: 700,
            ..ContextUse::default()
        }),
        EventKind::ContextUse(ContextUse {
            form: "search",
            tools: 1,
            tokens: 70,
            ..ContextUse::default()
        }),
    ] {
        metrics.observe(&event(30, "one", what));
    }
    let start = DiscoveryStart { source: source("mail"), installer: None };
    metrics.observe(&event(1, "two", EventKind::DiscoveryStarted(start)));
    let page = metrics.render();
    let values = values(&page);
    for (line, value) in [
        ("toolscout_calls_total{server=\"mail\",outcome=\"succeeded\"}", 2.0),
        ("toolscout_calls_total{server=\"mail\",outcome=\"timed_out\"}", 1.0),
        ("toolscout_calls_total{server=\"files\",outcome=\"tool_error\"}", 1.0),
        ("toolscout_result_bytes_total{server=\"mail\"}", 111.0),
        ("toolscout_call_duration_seconds_count{server=\"mail\"}", 3.0),
        ("toolscout_call_duration_seconds_bucket{server=\"mail\",le=\"0.025\"}", 0.0),
        ("toolscout_call_duration_seconds_bucket{server=\"mail\",le=\"0.05\"}", 3.0),
        ("toolscout_call_duration_seconds_bucket{server=\"mail\",le=\"+Inf\"}", 3.0),
        ("toolscout_searches_total{outcome=\"empty\"}", 1.0),
        ("toolscout_discoveries_total{server=\"mail\",outcome=\"succeeded\"}", 1.0),
        ("toolscout_decisions_total{subject_type=\"call\",decision=\"approved\"}", 1.0),
        ("toolscout_sessions_total", 2.0),
        ("toolscout_context_total{form=\"search\"}", 2.0),
        ("toolscout_context_tools_total{form=\"search\"}", 6.0),
        ("toolscout_context_tokens_total{form=\"search\"}", 770.0),
    ] {
        assert_eq!(values.get(line), Some(&value), "{line} in {page}");
    }
    assert!((values["toolscout_call_duration_seconds_sum{server=\"mail\"}"] - 0.09).abs() < 1e-9);
}

#[test]
fn every_sample_follows_its_metric_header() {
    let metrics = Metrics::default();
    metrics.observe(&event(30, "one", call("mail", CallOutcome::Succeeded(1))));
    let (mut announced, mut name, page) = (BTreeSet::new(), String::new(), metrics.render());
    for line in page.lines() {
        if let Some(rest) = line.strip_prefix("# HELP ") {
            name = rest.split(' ').next().expect("a name").to_owned();
            assert!(announced.insert(name.clone()), "{name} twice");
        } else if !line.starts_with("# TYPE") {
            assert!(line.starts_with(&name), "{line} under {name}");
        }
    }
    assert!(page.ends_with('\n'));
}

#[test]
fn servers_beyond_the_limit_share_one_label() {
    let metrics = Metrics::default();
    for at in 0..2_000 {
        metrics.observe(&event(1, "one", call(&format!("s{at}"), CallOutcome::Succeeded(1))));
    }
    let page = metrics.render();
    let values = values(&page);
    let lines = page.lines().filter(|line| line.starts_with("toolscout_calls_total")).count();
    assert_eq!(lines, counts::MAX_SERVERS + 1);
    let others = (2_000 - counts::MAX_SERVERS) as f64;
    assert_eq!(values["toolscout_calls_total{server=\"other\",outcome=\"succeeded\"}"], others);
}

#[test]
fn tools_of_servers_beyond_the_limit_are_counted_as_other() {
    let metrics = Metrics::default();
    let servers = (0..300).map(|at| SourceId::new(&format!("s{at:03}")).expect("an id"));
    let tools = servers.flat_map(|id| [((id.clone(), "available"), 2), ((id, "disabled"), 1)]);
    let counts = CatalogCounts { sources: 300, tools: tools.collect() };
    metrics.add_catalog(move || counts.clone());
    let page = metrics.render();
    let values = values(&page);
    assert_eq!(values["toolscout_tools{server=\"s255\",status=\"disabled\"}"], 1.0);
    assert_eq!(values["toolscout_tools{server=\"other\",status=\"available\"}"], 88.0);
    assert_eq!(values["toolscout_tools{server=\"other\",status=\"disabled\"}"], 44.0);
}
