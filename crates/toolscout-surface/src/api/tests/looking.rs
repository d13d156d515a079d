use super::{begun, request, site};
use crate::api::Events;
use crate::http::fixture::{ADA, BOB, Wire, terms, tokens};
use std::time::Duration;
use toolscout_core::event::{
    CallEvent, CallOutcome, DiscoveryEvent, Event, EventKind, Observer, Requester, SearchEvent, Span,
};
use toolscout_core::{Arguments, Caller, Moment, SourceId};

fn event(kind: EventKind) -> Event {
    let requester = Requester { caller: Caller::Mcp, user: None, client: None, session: None, project: None };
    Event { at: Moment::now(), took: Duration::from_millis(7), requester, span: Span::child_of(&[]), kind }
}

fn discovery() -> Event {
    let source = SourceId::new("mail").expect("an id");
    event(EventKind::Discovery(DiscoveryEvent {
        source,
        names: vec!["send".to_owned()],
        was_needed: true,
        changed: true,
        error: None,
    }))
}

fn search(text: &str) -> Event {
    let text = text.to_owned();
    event(EventKind::Search(SearchEvent { text, profile: "ranked", hits: Vec::new(), notes: Vec::new() }))
}

fn call() -> Event {
    let arguments: Arguments = serde_json::from_str(r#"{"password":"hunter2hunter2"}"#).expect("arguments");
    event(EventKind::Call(CallEvent {
        tool: crate::mcp::meta::fixture::id("mail/send"),
        digest: None,
        arguments,
        policy: None,
        outcome: CallOutcome::Succeeded(3),
    }))
}

async fn look(site: &crate::http::fixture::Site, secret: &str) -> Wire {
    let bearer = format!("Authorization: Bearer {secret}");
    let (mut wire, head) = begun(site, request("GET", "/api/events", &["Host: localhost", &bearer], None)).await;
    assert_eq!((head.status, head.header("content-type")), (200, Some("text/event-stream")));
    assert!(wire.event().await.expect("the first").starts_with("event: changed\ndata: {\"generation\":"));
    wire
}

#[tokio::test]
async fn operators_see_everything_and_agents_what_is_there() {
    let events = Events::default();
    let site = site(terms(tokens()), events.clone()).await;
    let (mut agent, mut operator) = (look(&site, ADA).await, look(&site, BOB).await);
    [search("mail"), call(), discovery()].iter().for_each(|it| events.observe(it));
    let first = operator.event().await.expect("the search");
    assert!(first.starts_with("event: search\n") && first.contains("\"text\":\"mail\""), "{first}");
    let second = operator.event().await.expect("the call");
    assert!(second.starts_with("event: call\n") && second.contains("mail/send"), "{second}");
    assert!(!second.contains("hunter2"), "arguments are the caller's: {second}");
    assert!(operator.event().await.expect("the discovery").starts_with("event: discovery\n"));
    let only = agent.event().await.expect("the discovery");
    assert!(only.starts_with("event: discovery\n") && only.contains("\"phase\":\"done\""), "{only}");
}

#[tokio::test]
async fn who_reads_too_slowly_is_told_how_much_is_missing() {
    let events = Events::default();
    let site = site(terms(tokens()), events.clone()).await;
    let mut wire = look(&site, BOB).await;
    // In one go, so that nobody takes any of them meanwhile.
    (0..1_000).for_each(|it| events.observe(&search(&it.to_string())));
    let lost = wire.event().await.expect("what is lost");
    assert!(lost.starts_with("event: lost\ndata: {\"missed\":"), "{lost}");
    assert!(wire.event().await.expect("what is left").starts_with("event: search\n"));
}

#[tokio::test]
async fn a_stream_ends_with_the_listener() {
    let events = Events::default();
    let mut site = site(terms(tokens()), events.clone()).await;
    let mut wire = look(&site, ADA).await;
    site.stop();
    assert_eq!(wire.event().await, None);
    site.stopped().await;
}
