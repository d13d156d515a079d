//! 1. Sources are added and removed while the gateway is in use; removed tools disappear
//!    immediately and everywhere.
//! 2. A late discovery restores neither removed nor outdated tools.
//! 3. The change counter follows changes of the shown tools, not reads.

use super::actor::{Actor, Answer, agent, waits};
use super::{cli, text};
use crate::policy::{LevelName, Policies};
use crate::{Error, Gateway, Query};
use std::sync::Arc;
use tokio::sync::Notify;
use toolscout_core::authorization::Policy;
use toolscout_core::{Arguments, PolicyRules, Source, SourceId};

async fn gateway(sources: &[&Arc<Actor>]) -> Gateway {
    let all = sources.iter().map(|source| Arc::clone(source) as Arc<dyn Source>);
    let gateway =
        all.fold(Gateway::builder(), |builder, value| builder.source(value)).build().unwrap();
    gateway.refresh(&cli()).await;
    gateway
}

fn listed(gateway: &Gateway) -> Vec<String> {
    gateway.snapshot().tools().map(|tool| tool.id.to_string()).collect()
}

fn found(gateway: &Gateway) -> Vec<String> {
    gateway.search(&Query::new("")).iter().map(|item| item.tool.id.to_string()).collect()
}

async fn call(gateway: &Gateway, name: &str) -> Result<String, Error> {
    gateway.call(name, Arguments::new(), agent()).await.map(|value| text(&value))
}

/// F-08: after it is unmounted, its tools are gone from the list and from search.
#[tokio::test]
async fn removing_a_source_removes_its_tools_immediately() {
    let (one, other) = (Arc::new(Actor::new("one", &["a"])), Arc::new(Actor::new("other", &["b"])));
    let gateway = gateway(&[&one, &other]).await;
    assert_eq!(found(&gateway), ["one/a", "other/b"]);
    assert!(gateway.remove_source(one.id()));
    assert_eq!(
        (listed(&gateway), found(&gateway)),
        (vec!["other/b".to_owned()], vec!["other/b".to_owned()])
    );
    assert!(matches!(call(&gateway, "one/a").await, Err(Error::UnknownTool { .. })));
    assert!(!gateway.remove_source(one.id()));
    assert_eq!(gateway.sources().len(), 1);
    gateway.refresh(&cli()).await;
    assert_eq!((listed(&gateway), one.called()), (vec!["other/b".to_owned()], 0));
}

#[tokio::test]
async fn an_added_source_has_tools_after_a_refresh() {
    let gateway = gateway(&[]).await;
    let late = Arc::new(Actor::new("late", &["a"]));
    gateway.add_source(late.clone()).unwrap();
    assert_eq!((listed(&gateway).len(), late.discovered()), (0, 0));
    gateway.refresh_source(late.id(), &cli()).await.unwrap();
    assert_eq!(call(&gateway, "a").await.unwrap(), "late");
    let error = gateway.add_source(Arc::new(Actor::new("late", &[]))).unwrap_err();
    assert_eq!(error.to_string(), "two sources have the id `late`; change one of them");
}

#[tokio::test]
async fn a_running_call_continues_when_its_source_is_removed() {
    let gate = Arc::new(Notify::new());
    let slow = Arc::new(Actor::new("slow", &["a"]).gated_by(&gate));
    let gateway = Gateway::builder().source(slow.clone()).build().unwrap();
    gate.notify_one();
    gateway.refresh(&cli()).await;
    let remove = async {
        while slow.called() == 0 {
            tokio::task::yield_now().await;
        }
        assert!(gateway.remove_source(slow.id()));
        gate.notify_one();
    };
    let (answer, ()) = tokio::join!(call(&gateway, "a"), remove);
    assert_eq!(answer.unwrap(), "slow");
}

#[tokio::test]
async fn a_discovery_that_ends_after_its_source_was_removed_is_ignored() {
    let gate = Arc::new(Notify::new());
    let slow = Arc::new(Actor::new("slow", &["a"]).gated_by(&gate));
    let gateway = Gateway::builder().source(slow.clone()).build().unwrap();
    let remove = async {
        gateway.remove_source(slow.id());
        gate.notify_one();
    };
    let cx = cli();
    tokio::join!(gateway.refresh(&cx), remove);
    assert_eq!(listed(&gateway).len(), 0);
}

/// The discovery that started later has newer data, whichever finishes first.
#[tokio::test]
async fn a_slow_discovery_does_not_undo_a_later_one() {
    let gate = Arc::new(Notify::new());
    let slow = Arc::new(Actor::new("slow", &["old"]).gated_by(&gate));
    let gateway = Gateway::builder().source(slow.clone()).build().unwrap();
    let cx = cli();
    let mut first = Box::pin(gateway.refresh(&cx));
    assert!(waits(&mut first).await);
    slow.set_tools(&["new"]);
    let mut second = Box::pin(gateway.refresh(&cx));
    assert!(waits(&mut second).await);
    // The gate lets them through in the order in which they arrived.
    gate.notify_one();
    gate.notify_one();
    second.await;
    assert_eq!(listed(&gateway), ["slow/new"]);
    first.await;
    assert_eq!(listed(&gateway), ["slow/new"]);
}

#[tokio::test]
async fn a_replaced_source_keeps_its_tools_until_refreshed_and_takes_calls_immediately() {
    let (old, new) =
        (Arc::new(Actor::new("s", &["a", "b"])), Arc::new(Actor::new("s", &["a", "c"])));
    let gateway = gateway(&[&old]).await;
    let replaced = gateway.replace_source(new.clone()).unwrap();
    assert!(Arc::ptr_eq(&replaced, &(old.clone() as Arc<dyn Source>)));
    assert_eq!(listed(&gateway), ["s/a", "s/b"]);
    call(&gateway, "a").await.unwrap();
    assert_eq!((old.called(), new.called()), (0, 1));
    gateway.refresh(&cli()).await;
    assert_eq!(listed(&gateway), ["s/a", "s/c"]);
    assert!(gateway.replace_source(Arc::new(Actor::new("nobody", &[]))).is_none());
}

/// X-11, at the gateway: the last tool disappears, and subscribers of the list are notified.
#[tokio::test]
async fn the_change_counter_follows_changes_of_shown_tools_only() {
    let source = Arc::new(Actor::new("s", &["a"]));
    let gateway = Gateway::builder().source(source.clone()).build().unwrap();
    let changes = gateway.changes();
    let mut seen = 0;
    let mut changed = |what: &str, by: u64| {
        seen += by;
        assert_eq!(*changes.borrow(), seen, "{what}");
    };
    changed("nothing is known yet", 0);
    gateway.refresh(&cli()).await;
    changed("a tool came", 1);
    gateway.refresh(&cli()).await;
    gateway.refresh_source(source.id(), &cli()).await;
    changed("the same was found again", 0);
    source.set_tools(&["a: Does something else"]);
    gateway.refresh(&cli()).await;
    changed("it says something else", 1);
    source.set_answer(Answer::Down);
    gateway.refresh(&cli()).await;
    changed("nobody could be asked", 0);
    let level = |policy| {
        Policies::new().with(LevelName::Session, PolicyRules::default().rule("s/a", policy))
    };
    gateway.set_policies(level(Policy::Deny));
    changed("it is still listed", 0);
    gateway.set_policies(level(Policy::Disable));
    changed("it is not there any more", 1);
    gateway.set_policies(Policies::new());
    changed("it is there again", 1);
    gateway.add_source(Arc::new(Actor::new("empty", &[]))).unwrap();
    changed("nothing is known of it", 0);
    source.set_answer(Answer::Id);
    source.set_tools(&[]);
    gateway.refresh(&cli()).await;
    changed("the last tool is gone", 1);
    gateway.remove_source(&SourceId::new("s").unwrap());
    changed("it had none", 0);
}
