//! Readers always see a whole set, and are notified of changes.

use super::{registry, tool};
use crate::{Conflict, Registry};
use futures_util::{FutureExt, StreamExt};
use toolscout_core::Source;

const FAMILY: [&str; 5] = ["a", "b", "c", "d", "e"];

/// a hundred tasks, half of them writing; readers see a bulk registration whole or not at
/// all.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_hundred_tasks_never_see_a_partial_registration() {
    let registry = Registry::new();
    let mut tasks = tokio::task::JoinSet::new();
    for number in 0..50 {
        let (writer, reader) = (registry.clone(), registry.clone());
        tasks.spawn(async move { write(&writer, number).await });
        tasks.spawn(async move { read(&reader).await });
    }
    while let Some(ended) = tasks.join_next().await {
        ended.unwrap();
    }
    assert_eq!(registry.len(), FAMILY.len());
}

async fn write(registry: &Registry, number: usize) {
    for round in 0..40 {
        let version = format!("{number}-{round}");
        registry.register_all(FAMILY.map(|family| tool(family, &version))).unwrap();
        registry.unregister("nobody");
        tokio::task::yield_now().await;
    }
}

async fn read(registry: &Registry) {
    for _ in 0..400 {
        let tools = registry.list();
        assert!(tools.is_empty() || tools.len() == FAMILY.len(), "{} tools", tools.len());
        assert!(tools.windows(2).all(|pair| pair[0].description == pair[1].description));
        tokio::task::yield_now().await;
    }
}

/// The number of pending hints.
fn hints(changes: &mut toolscout_core::BoxStream<'_, ()>) -> usize {
    std::iter::from_fn(|| changes.next().now_or_never().flatten()).count()
}

#[tokio::test]
async fn each_change_emits_a_hint() {
    let registry = registry(&["a"]).on_conflict(Conflict::Skip);
    let mut changes = registry.changes();
    assert_eq!(hints(&mut changes), 0);
    let changing: [(&str, &dyn Fn()); 4] = [
        ("register", &|| assert!(registry.register(tool("b", "first")).is_ok())),
        ("bulk", &|| {
            assert!(registry.register_all([tool("b", "second"), tool("c", "second")]).is_ok())
        }),
        ("unregister", &|| assert!(registry.unregister("b"))),
        ("clear", &|| registry.clear()),
    ];
    for (what, change) in changing {
        change();
        assert_eq!(hints(&mut changes), 1, "{what}");
    }
}

#[tokio::test]
async fn a_registration_without_a_change_emits_no_hint() {
    let registry = registry(&["a"]).on_conflict(Conflict::Skip);
    let mut changes = registry.changes();
    registry.register(tool("a", "second")).unwrap();
    registry.register_all([tool("a", "third")]).unwrap();
    registry.unregister("nobody");
    assert_eq!(hints(&mut changes), 0);

    let empty = Registry::new();
    let mut changes = empty.changes();
    empty.clear();
    assert_eq!(hints(&mut changes), 0);
}

#[tokio::test]
async fn a_slow_listener_blocks_no_writer_and_gets_one_hint() {
    let registry = Registry::new();
    let mut changes = registry.changes();
    for number in 0..10_000 {
        registry.register(tool(&format!("t{number}"), "first")).unwrap();
    }
    assert_eq!(hints(&mut changes), 1);
}
