//! Every search and every call emits exactly one event, however it ends.

use super::actor::{Actor, Answer, agent};
use crate::{Gateway, SearchRequest};
use futures_util::FutureExt;
use parking_lot::Mutex;
use std::sync::Arc;
use tokio::sync::Notify;
use toolscout_core::event::{CallOutcome, Event, EventKind, Observer, Observers};
use toolscout_core::{Arguments, Cx, ErrorKind};

/// Records all events.
#[derive(Default)]
struct Recorder(Mutex<Vec<Event>>);

impl Observer for Recorder {
    fn observe(&self, event: &Event) {
        self.0.lock().push(event.clone());
    }
}

impl Recorder {
    fn outcomes(&self) -> Vec<CallOutcome> {
        let called = |event: &Event| match &event.kind {
            EventKind::Call(called) => Some(called.outcome.clone()),
            _ => None,
        };
        self.0.lock().iter().filter_map(called).collect()
    }
}

async fn world() -> (Arc<Actor>, Gateway, Arc<Recorder>, Cx) {
    world_with(Actor::new("office", &["mail: Mails the report"])).await
}

async fn world_with(office: Actor) -> (Arc<Actor>, Gateway, Arc<Recorder>, Cx) {
    let office = Arc::new(office);
    let gateway = Gateway::builder().source(office.clone()).build().unwrap();
    gateway.refresh(&agent()).await;
    let recorder = Arc::new(Recorder::default());
    let cx = Cx {
        observers: Observers::new(vec![recorder.clone()]),
        session: Some("talk".into()),
        ..agent()
    };
    (office, gateway, recorder, cx)
}

#[tokio::test]
async fn a_search_emits_an_event_with_its_hits() {
    let (_, gateway, recorder, cx) = world().await;
    let view = gateway.view(&cx).await;
    gateway.tool_search(&view, &SearchRequest::new("mail a report"), &cx).await;
    let seen = recorder.0.lock();
    let [Event { kind: EventKind::Search(searched), requester, .. }] = &seen[..] else {
        panic!("{seen:?}")
    };
    assert_eq!(
        (searched.text.as_str(), searched.profile, searched.hits.len()),
        ("mail a report", "ranked", 1)
    );
    assert_eq!(
        (requester.session.as_deref(), searched.hits[0].0.to_string().as_str()),
        (Some("talk"), "office/mail")
    );
}

#[tokio::test]
async fn a_passing_search_emits_no_event() {
    let (_, gateway, recorder, cx) = world().await;
    let view = gateway.view(&cx).await;
    let complete = gateway.tool_search(&view, &SearchRequest::new("mail a report"), &cx).await;
    let typed = gateway
        .tool_search(
            &view,
            &SearchRequest { is_passing: true, ..SearchRequest::new("mail a report") },
            &cx,
        )
        .await;
    assert_eq!(typed.hits, complete.hits, "the hits are the same");
    assert_eq!(recorder.0.lock().len(), 1);
}

#[tokio::test]
async fn a_call_emits_one_event_however_it_ends() {
    let (office, gateway, recorder, cx) = world().await;
    let call = || gateway.call("office/mail", Arguments::new(), cx.clone());
    call().await.unwrap();
    for answer in [Answer::Fails, Answer::Wants("more"), Answer::Down] {
        office.set_answer(answer);
        let _ = call().await;
    }
    let outcomes = recorder.outcomes();
    let [
        CallOutcome::Succeeded(bytes),
        CallOutcome::ToolError(_),
        CallOutcome::InputRequired,
        CallOutcome::Failed { kind, .. },
    ] = &outcomes[..]
    else {
        panic!("{outcomes:?}")
    };
    assert!(*bytes > 0);
    assert_eq!(*kind, ErrorKind::Unavailable);
}

#[tokio::test]
async fn a_dropped_call_is_reported_as_cancelled() {
    let gate = Arc::new(Notify::new());
    gate.notify_one();
    let (_, gateway, recorder, cx) =
        world_with(Actor::new("office", &["mail: Mails the report"]).gated_by(&gate)).await;
    assert!(gateway.call("office/mail", Arguments::new(), cx).now_or_never().is_none());
    assert_eq!(recorder.outcomes(), [CallOutcome::Cancelled]);
}
