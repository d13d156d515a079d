//! Every search and every call is told to those who look on, once, whatever comes of it.

use super::actor::{Actor, Answer, agent};
use crate::{Gateway, Search};
use futures_util::FutureExt;
use std::sync::{Arc, Mutex};
use tokio::sync::Notify;
use toolscout_core::event::{Event, Happening, Outcome, Witness, Witnesses};
use toolscout_core::{Arguments, Cx, ErrorKind};

/// Remembers all it sees.
#[derive(Default)]
struct Onlooker(Mutex<Vec<Event>>);

impl Witness for Onlooker {
    fn saw(&self, event: &Event) {
        self.0.lock().unwrap().push(event.clone());
    }
}

impl Onlooker {
    fn outcomes(&self) -> Vec<Outcome> {
        let called = |it: &Event| match &it.what {
            Happening::Called(called) => Some(called.outcome.clone()),
            _ => None,
        };
        self.0.lock().unwrap().iter().filter_map(called).collect()
    }
}

async fn world() -> (Arc<Actor>, Gateway, Arc<Onlooker>, Cx) {
    of(Actor::new("office", &["mail: Mails the report"])).await
}

async fn of(office: Actor) -> (Arc<Actor>, Gateway, Arc<Onlooker>, Cx) {
    let office = Arc::new(office);
    let gateway = Gateway::builder().source(office.clone()).build().unwrap();
    gateway.refresh(&agent()).await;
    let onlooker = Arc::new(Onlooker::default());
    let cx = Cx { witnesses: Witnesses::new(vec![onlooker.clone()]), session: Some("talk".into()), ..agent() };
    (office, gateway, onlooker, cx)
}

#[tokio::test]
async fn a_search_is_told_with_what_it_found() {
    let (_, gateway, onlooker, cx) = world().await;
    let view = gateway.view(&cx).await;
    gateway.answer(&view, &Search::new("mail a report"), &cx).await;
    let seen = onlooker.0.lock().unwrap();
    let [Event { what: Happening::Searched(searched), who, .. }] = &seen[..] else { panic!("{seen:?}") };
    assert_eq!((searched.text.as_str(), searched.profile, searched.hits.len()), ("mail a report", "ranked", 1));
    assert_eq!((who.session.as_deref(), searched.hits[0].0.to_string().as_str()), (Some("talk"), "office/mail"));
}

#[tokio::test]
async fn what_somebody_is_still_typing_is_told_to_nobody() {
    let (_, gateway, onlooker, cx) = world().await;
    let view = gateway.view(&cx).await;
    let asked = gateway.answer(&view, &Search::new("mail a report"), &cx).await;
    let typed = gateway.answer(&view, &Search { is_passing: true, ..Search::new("mail a report") }, &cx).await;
    assert_eq!(typed.hits, asked.hits, "it finds the same");
    assert_eq!(onlooker.0.lock().unwrap().len(), 1);
}

#[tokio::test]
async fn a_call_is_told_once_whatever_comes_of_it() {
    let (office, gateway, onlooker, cx) = world().await;
    let call = || gateway.call("office/mail", Arguments::new(), cx.clone());
    call().await.unwrap();
    for answer in [Answer::Fails, Answer::Wants("more"), Answer::Down] {
        office.answers(answer);
        let _ = call().await;
    }
    let outcomes = onlooker.outcomes();
    let [Outcome::Done(bytes), Outcome::ToolFailed(_), Outcome::WantsInput, Outcome::Failed { kind, .. }] =
        &outcomes[..]
    else {
        panic!("{outcomes:?}")
    };
    assert!(*bytes > 0);
    assert_eq!(*kind, ErrorKind::Unavailable);
}

#[tokio::test]
async fn a_call_that_nobody_waits_for_was_cancelled() {
    let gate = Arc::new(Notify::new());
    gate.notify_one();
    let (_, gateway, onlooker, cx) = of(Actor::new("office", &["mail: Mails the report"]).behind(&gate)).await;
    assert!(gateway.call("office/mail", Arguments::new(), cx).now_or_never().is_none());
    assert_eq!(onlooker.outcomes(), [Outcome::Cancelled]);
}
