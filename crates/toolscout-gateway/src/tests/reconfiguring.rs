//! 1. Readers see one configuration or the other: never a mix, never an empty list.
//! 2. The previous configuration serves until all new sources are discovered.
//! 3. A paused source publishes nothing until the next reconfiguration.

use super::actor::Actor;
use super::cli;
use crate::policy::{LevelName, Policies};
use crate::{DuplicateSource, Gateway, Query, Reconfiguration, Scope};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use tokio::sync::Notify;
use tokio::task::JoinSet;
use toolscout_core::authorization::Policy;
use toolscout_core::{PolicyRules, Source, ToolPatterns};

/// The number of reads in the property test, over all readers.
const READS: usize = 100_000;
const READERS: usize = 3;

fn actor(id: &str, tools: &[&str]) -> Arc<dyn Source> {
    Arc::new(Actor::new(id, tools))
}

/// One of two configurations. They differ in sources, in the tools of `same`, in the tool that a
/// policy disables, and in the scope `team`.
fn configuration(is_first: bool) -> Reconfiguration {
    let (source, tool, disabled) =
        if is_first { ("one", "a", "base/x") } else { ("two", "b", "base/y") };
    let rules = PolicyRules::default().rule(disabled, Policy::Disable);
    let patterns = ToolPatterns::parse([source]).unwrap();
    Reconfiguration {
        sources: vec![
            actor("base", &["x", "y"]),
            actor(source, &["p", "q", "r"]),
            actor("same", &[tool]),
        ],
        scopes: BTreeMap::from([(
            "team".to_owned(),
            Scope { include: Some(patterns), ..Scope::default() },
        )]),
        policies: Some(Policies::new().with(LevelName::Project, rules)),
        ..Reconfiguration::default()
    }
}

/// The tools that a reader sees, without scope and in the scope `team`.
fn expected(is_first: bool) -> (Vec<&'static str>, Vec<&'static str>) {
    if is_first {
        (vec!["base/y", "one/p", "one/q", "one/r", "same/a"], vec!["one/p", "one/q", "one/r"])
    } else {
        (vec!["base/x", "same/b", "two/p", "two/q", "two/r"], vec!["two/p", "two/q", "two/r"])
    }
}

fn sorted(ids: impl Iterator<Item = String>) -> Vec<String> {
    let mut ids: Vec<_> = ids.collect();
    ids.sort();
    ids
}

fn listed(gateway: &Gateway) -> Vec<String> {
    sorted(gateway.snapshot().tools().map(|tool| tool.id.to_string()))
}

/// Reads a list, a search, a scope or the policies, and compares it with both configurations.
async fn read(gateway: &Gateway, team: &Gateway, number: usize) {
    let (first, second) = (expected(true), expected(false));
    match number % 4 {
        0 => {
            let seen = listed(gateway);
            assert!(seen == first.0 || seen == second.0, "listed {seen:?}");
        }
        1 => {
            let seen = listed(team);
            assert!(seen == first.1 || seen == second.1, "listed in the scope {seen:?}");
        }
        2 => {
            let view = gateway.view(&cli()).await;
            let seen =
                sorted(view.search(&Query::new("")).iter().map(|hit| hit.tool.id.to_string()));
            assert!(seen == first.0 || seen == second.0, "found {seen:?}");
        }
        _ => {
            let view = gateway.view(&cli()).await;
            let is_first = view.resolve("same/a").is_ok();
            let disabled = if is_first { "base/x" } else { "base/y" };
            let rule = view.policies().level(LevelName::Project).rules.first().cloned();
            assert_eq!(rule, Some((disabled.to_owned(), Policy::Disable)));
        }
    }
}

/// M-04a: 100,000 concurrent reads during replacements see the old or the new set.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn concurrent_readers_see_one_configuration_or_the_other() {
    let gateway = Gateway::builder().build().unwrap();
    gateway.reconfigure(configuration(true), &cli()).await.unwrap();
    let (is_done, next) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
    let mut replacing = JoinSet::new();
    replacing.spawn({
        let (gateway, is_done) = (gateway.clone(), is_done.clone());
        async move {
            let mut count = 0;
            while !is_done.load(Ordering::Relaxed) {
                count += 1;
                gateway.reconfigure(configuration(count % 2 == 0), &cli()).await.unwrap();
            }
            count
        }
    });
    let mut readers = JoinSet::new();
    for _ in 0..READERS {
        let (gateway, next) = (gateway.clone(), next.clone());
        readers.spawn(async move {
            let team = gateway.within("team");
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                if number >= READS {
                    break;
                }
                read(&gateway, &team, number).await;
                // Lets the replacements run on a machine with few cores.
                tokio::task::yield_now().await;
            }
        });
    }
    while let Some(finished) = readers.join_next().await {
        finished.unwrap();
    }
    is_done.store(true, Ordering::Relaxed);
    let replaced = replacing.join_next().await.unwrap().unwrap();
    assert!(replaced > 10, "only {replaced} replacements during the reads");
}

/// M-04b: until the new sources are discovered, the old ones are listed and can be called.
#[tokio::test]
async fn the_previous_sources_serve_until_the_new_ones_are_discovered() {
    let gateway = Gateway::builder().source(actor("old", &["a"])).build().unwrap();
    gateway.refresh(&cli()).await;
    let gate = Arc::new(Notify::new());
    let slow = Arc::new(Actor::new("new", &["b"]).gated_by(&gate));
    let sources: Vec<Arc<dyn Source>> = vec![slow.clone()];
    let changes = gateway.changes();
    let before = *changes.borrow();
    let request = cli();
    let replacing =
        gateway.reconfigure(Reconfiguration { sources, ..Default::default() }, &request);
    let watching = async {
        while slow.discovered() == 0 {
            tokio::task::yield_now().await;
        }
        assert_eq!((listed(&gateway), *changes.borrow()), (vec!["old/a".to_owned()], before));
        gate.notify_one();
    };
    let (replaced, ()) = tokio::join!(replacing, watching);
    replaced.unwrap();
    assert_eq!((listed(&gateway), *changes.borrow()), (vec!["new/b".to_owned()], before + 1));
}

#[tokio::test]
async fn the_rules_of_the_session_outlast_a_new_configuration() {
    let gateway = Gateway::builder().source(actor("base", &["x", "y"])).build().unwrap();
    let session = PolicyRules::default().rule("base/x", Policy::Deny);
    gateway.set_policies(Policies::new().with(LevelName::Session, session.clone()));
    gateway.reconfigure(configuration(true), &cli()).await.unwrap();
    assert_eq!(gateway.policies().level(LevelName::Session), &session);
}

#[tokio::test]
async fn a_paused_source_publishes_nothing_until_it_is_replaced() {
    let gateway = Gateway::builder().source(actor("same", &["a"])).build().unwrap();
    let id = gateway.sources()[0].id().clone();
    gateway.pause_sources([id.clone()]);
    gateway.refresh(&cli()).await;
    assert!(listed(&gateway).is_empty());
    gateway.reconfigure(configuration(true), &cli()).await.unwrap();
    assert_eq!(listed(&gateway), expected(true).0);
}

#[tokio::test]
async fn two_sources_with_one_id_leave_everything_unchanged() {
    let gateway = Gateway::builder().source(actor("old", &["a"])).build().unwrap();
    gateway.refresh(&cli()).await;
    let sources = vec![actor("new", &["b"]), actor("new", &["c"])];
    let refused =
        gateway.reconfigure(Reconfiguration { sources, ..Default::default() }, &cli()).await;
    assert!(matches!(refused, Err(DuplicateSource { id }) if id.as_str() == "new"));
    assert_eq!(listed(&gateway), ["old/a"]);
}
