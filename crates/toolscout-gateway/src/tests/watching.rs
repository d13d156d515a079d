//! 1. A hint leads to one refresh, many hints to few.
//! 2. Sources added later are watched, removed ones are not.
//! 3. Library events are forwarded; a slow receiver is notified of lost events.

use super::actor::{Actor, Answer};
use super::cli;
use crate::Gateway;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::broadcast::error::TryRecvError;
use toolscout_core::{LibraryEvent, Source};

fn gateway(sources: &[&Arc<Actor>]) -> Gateway {
    let all = sources.iter().map(|source| Arc::clone(source) as Arc<dyn Source>);
    all.fold(Gateway::builder(), |builder, value| builder.source(value)).build().unwrap()
}

/// Time is paused, so this returns when no other work is left.
async fn wait_until_idle() {
    tokio::time::sleep(Duration::from_secs(3)).await;
}

async fn while_watching<T>(gateway: &Gateway, work: impl Future<Output = T>) -> T {
    let cx = cli();
    tokio::select! {
        done = work => done,
        never = gateway.watch(&cx) => match never {},
    }
}

/// F-05, at the gateway: a source reports that its tools have changed.
#[tokio::test(start_paused = true)]
async fn a_hint_leads_to_one_refresh_and_one_change() {
    let (one, other) = (Arc::new(Actor::new("one", &["a"])), Arc::new(Actor::new("other", &["b"])));
    let gateway = gateway(&[&one, &other]);
    gateway.refresh(&cli()).await;
    let mut changes = gateway.changes();
    while_watching(&gateway, async {
        one.set_tools(&["a", "more"]);
        one.hint();
        changes.changed().await.unwrap();
        wait_until_idle().await;
    })
    .await;
    assert_eq!((one.discovered(), other.discovered()), (2, 1));
    assert_eq!(gateway.snapshot().len(), 3);
    assert!(!changes.has_changed().unwrap());
}

#[tokio::test(start_paused = true)]
async fn many_hints_lead_to_few_refreshes_including_the_last() {
    let source = Arc::new(Actor::new("s", &["a"]));
    let gateway = gateway(&[&source]);
    while_watching(&gateway, async {
        for _ in 0..10_000 {
            source.hint();
        }
        wait_until_idle().await;
        assert!(source.discovered() <= 10, "{}", source.discovered());
        let before = source.discovered();
        for _ in 0..1_000 {
            source.hint();
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        source.set_tools(&["last"]);
        source.hint();
        wait_until_idle().await;
        assert!(source.discovered() - before <= 12, "{}", source.discovered() - before);
    })
    .await;
    assert_eq!(
        gateway.snapshot().tools().map(|tool| tool.id.to_string()).collect::<Vec<_>>(),
        ["s/last"]
    );
}

#[tokio::test(start_paused = true)]
async fn a_failing_source_is_still_watched() {
    let source = Arc::new(Actor::new("s", &["a"]));
    let gateway = gateway(&[&source]);
    while_watching(&gateway, async {
        source.set_answer(Answer::Down);
        source.hint();
        wait_until_idle().await;
        source.set_answer(Answer::Id);
        source.hint();
        wait_until_idle().await;
    })
    .await;
    assert_eq!((source.discovered(), gateway.snapshot().len()), (2, 1));
}

#[tokio::test(start_paused = true)]
async fn added_sources_are_watched_and_removed_ones_are_not() {
    let (early, late) =
        (Arc::new(Actor::new("early", &["a"])), Arc::new(Actor::new("late", &["b"])));
    let gateway = gateway(&[&early]);
    while_watching(&gateway, async {
        wait_until_idle().await;
        gateway.add_source(late.clone()).unwrap();
        wait_until_idle().await;
        late.hint();
        wait_until_idle().await;
        assert_eq!((early.discovered(), late.discovered()), (0, 1));
        gateway.remove_source(late.id());
        late.hint();
        wait_until_idle().await;
        assert_eq!(late.discovered(), 1);
        let again = Arc::new(Actor::new("late", &["c"]));
        gateway.add_source(again.clone()).unwrap();
        again.hint();
        wait_until_idle().await;
        assert_eq!(again.discovered(), 1);
        let edited = Arc::new(Actor::new("late", &["d"]));
        gateway.replace_source(edited.clone()).unwrap();
        again.hint();
        edited.hint();
        wait_until_idle().await;
        assert_eq!((again.discovered(), edited.discovered()), (1, 1));
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn library_events_are_forwarded_and_slow_receivers_lag() {
    let source = Arc::new(Actor::new("s", &[]));
    let gateway = gateway(&[&source]);
    let mut events = gateway.library_events();
    while_watching(&gateway, async {
        source.send_event(LibraryEvent::PromptsChanged);
        let (id, event) = events.recv().await.unwrap();
        assert_eq!((id.as_str(), event), ("s", LibraryEvent::PromptsChanged));
        for _ in 0..300 {
            source.send_event(LibraryEvent::ResourcesChanged);
        }
        wait_until_idle().await;
    })
    .await;
    assert_eq!(events.try_recv(), Err(TryRecvError::Lagged(44)));
    assert!(events.try_recv().is_ok());
}
