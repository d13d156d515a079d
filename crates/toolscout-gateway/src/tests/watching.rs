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
    let all = sources.iter().map(|it| Arc::clone(it) as Arc<dyn Source>);
    all.fold(Gateway::builder(), |builder, it| builder.source(it)).build().unwrap()
}

/// Time is paused, so this returns when no other work is left.
async fn a_while() {
    tokio::time::sleep(Duration::from_secs(3)).await;
}

async fn watched<T>(gateway: &Gateway, work: impl Future<Output = T>) -> T {
    let cx = cli();
    tokio::select! {
        done = work => done,
        never = gateway.watch(&cx) => match never {},
    }
}

/// F-05, at the gateway: a source reports that its tools have changed.
#[tokio::test(start_paused = true)]
async fn a_hint_leads_to_one_refresh_and_who_listens_is_told() {
    let (one, other) = (Arc::new(Actor::new("one", &["a"])), Arc::new(Actor::new("other", &["b"])));
    let gateway = gateway(&[&one, &other]);
    gateway.refresh(&cli()).await;
    let mut changes = gateway.changes();
    watched(&gateway, async {
        one.has(&["a", "more"]);
        one.hint();
        changes.changed().await.unwrap();
        a_while().await;
    })
    .await;
    assert_eq!((one.discovered(), other.discovered()), (2, 1));
    assert_eq!(gateway.snapshot().len(), 3);
    assert!(!changes.has_changed().unwrap());
}

#[tokio::test(start_paused = true)]
async fn a_storm_of_hints_leads_to_few_refreshes_and_the_last_one_is_heard() {
    let source = Arc::new(Actor::new("s", &["a"]));
    let gateway = gateway(&[&source]);
    watched(&gateway, async {
        for _ in 0..10_000 {
            source.hint();
        }
        a_while().await;
        assert!(source.discovered() <= 10, "{}", source.discovered());
        let before = source.discovered();
        for _ in 0..1_000 {
            source.hint();
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        source.has(&["last"]);
        source.hint();
        a_while().await;
        assert!(source.discovered() - before <= 12, "{}", source.discovered() - before);
    })
    .await;
    assert_eq!(
        gateway.snapshot().tools().map(|it| it.id.to_string()).collect::<Vec<_>>(),
        ["s/last"]
    );
}

#[tokio::test(start_paused = true)]
async fn a_source_that_fails_when_it_is_asked_is_listened_to_all_the_same() {
    let source = Arc::new(Actor::new("s", &["a"]));
    let gateway = gateway(&[&source]);
    watched(&gateway, async {
        source.answers(Answer::Down);
        source.hint();
        a_while().await;
        source.answers(Answer::Id);
        source.hint();
        a_while().await;
    })
    .await;
    assert_eq!((source.discovered(), gateway.snapshot().len()), (2, 1));
}

#[tokio::test(start_paused = true)]
async fn sources_that_come_later_are_followed_and_those_that_are_gone_are_not() {
    let (early, late) =
        (Arc::new(Actor::new("early", &["a"])), Arc::new(Actor::new("late", &["b"])));
    let gateway = gateway(&[&early]);
    watched(&gateway, async {
        a_while().await;
        gateway.add_source(late.clone()).unwrap();
        a_while().await;
        late.hint();
        a_while().await;
        assert_eq!((early.discovered(), late.discovered()), (0, 1));
        gateway.remove_source(late.id());
        late.hint();
        a_while().await;
        assert_eq!(late.discovered(), 1);
        let again = Arc::new(Actor::new("late", &["c"]));
        gateway.add_source(again.clone()).unwrap();
        again.hint();
        a_while().await;
        assert_eq!(again.discovered(), 1);
        let edited = Arc::new(Actor::new("late", &["d"]));
        gateway.replace_source(edited.clone()).unwrap();
        again.hint();
        edited.hint();
        a_while().await;
        assert_eq!((again.discovered(), edited.discovered()), (1, 1));
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn what_happens_in_libraries_is_passed_on_and_who_is_too_slow_is_told() {
    let source = Arc::new(Actor::new("s", &[]));
    let gateway = gateway(&[&source]);
    let mut news = gateway.library_news();
    watched(&gateway, async {
        source.tell(LibraryEvent::PromptsChanged);
        let (id, event) = news.recv().await.unwrap();
        assert_eq!((id.as_str(), event), ("s", LibraryEvent::PromptsChanged));
        for _ in 0..300 {
            source.tell(LibraryEvent::ResourcesChanged);
        }
        a_while().await;
    })
    .await;
    assert_eq!(news.try_recv(), Err(TryRecvError::Lagged(44)));
    assert!(news.try_recv().is_ok());
}
