//! 1. Discovered tools of a request are cached under its keys, for a limited time and number.
//! 2. Concurrent requests share one discovery; a source that fails or hangs affects only itself.

use super::super::actor::{Actor, Answer, waits};
use super::super::cli;
use super::{ByUser, built, by, call, listed, of_request};
use crate::Gateway;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Notify;
use toolscout_core::SourceId;

#[tokio::test(start_paused = true)]
async fn a_failing_or_hanging_source_costs_only_its_own_tools() {
    let (down, hanging, good) =
        (of_request("down", &["a"]), Actor::new("hangs", &["b"]), of_request("good", &["c"]));
    down.set_answer(Answer::Down);
    let gate = Arc::new(Notify::new());
    let hanging = Arc::new(hanging.gated_by(&gate));
    let given = ByUser::new(&[("a", &down), ("a", &hanging), ("a", &good)]);
    let gateway = built(Gateway::builder().request_sources(given)).await;
    let hurried = gateway.view(&by("a").within(Duration::from_secs(1))).await;
    assert_eq!(
        (listed(&hurried).len(), hurried.diagnostics().len(), hurried.is_private()),
        (0, 1, true)
    );
    let view = gateway.view(&by("a")).await;
    assert_eq!(listed(&view), ["good/c"]);
    assert_eq!(view.diagnostics().len(), 2, "{:?}", view.diagnostics());
    assert_eq!(call(&gateway, "c", by("a")).await.unwrap(), "good");
    // A partial result is refreshed soon.
    down.set_answer(Answer::Id);
    gate.notify_one();
    tokio::time::sleep(Duration::from_secs(5)).await;
    assert_eq!(listed(&gateway.view(&by("a")).await), ["down/a", "hangs/b", "good/c"]);
}

#[tokio::test(start_paused = true)]
async fn cached_views_expire_and_follow_the_shared_catalog() {
    let (global, own) = (Arc::new(Actor::new("all", &["x"])), of_request("mine", &["y"]));
    let given = ByUser::new(&[("a", &own)]);
    let gateway =
        built(Gateway::builder().source(global.clone()).request_sources(given.clone())).await;
    let (one, other) = (gateway.view(&by("a")).await, gateway.view(&by("a")).await);
    assert!(Arc::ptr_eq(&one.snapshot(), &other.snapshot()));
    global.set_tools(&["x", "z"]);
    own.set_tools(&["y", "w"]);
    gateway.refresh(&cli()).await;
    assert_eq!(listed(&gateway.view(&by("a")).await), ["all/x", "all/z", "mine/y"]);
    assert_eq!(listed(&one), ["all/x", "mine/y"], "an open view does not change");
    assert!(gateway.remove_source(&SourceId::new("all").unwrap()));
    assert_eq!(listed(&gateway.view(&by("a")).await), ["mine/y"]);
    assert_eq!((given.source_requests(), own.discovered()), (1, 1));
    tokio::time::sleep(Duration::from_secs(61)).await;
    assert_eq!(listed(&gateway.view(&by("a")).await), ["mine/y", "mine/w"]);
    assert_eq!((given.source_requests(), own.discovered()), (2, 2));
}

/// A tool that is new in a request's source is found by its full name.
#[tokio::test]
async fn a_new_tool_of_a_request_source_is_found_by_its_full_name() {
    let own = of_request("mine", &["y"]);
    let gateway = built(Gateway::builder().request_sources(ByUser::new(&[("a", &own)]))).await;
    assert!(call(&gateway, "mine/w", by("a")).await.is_err());
    own.set_tools(&["y", "w"]);
    assert_eq!(call(&gateway, "mine/w", by("a")).await.unwrap(), "mine");
}

#[tokio::test]
async fn concurrent_requests_share_one_discovery_and_survive_its_cancellation() {
    let gate = Arc::new(Notify::new());
    let slow = Arc::new(Actor::new("slow", &["a"]).gated_by(&gate));
    let gateway = Gateway::builder().request_sources(ByUser::new(&[("a", &slow)])).build().unwrap();
    let cx = by("a");
    let mut first = Box::pin(gateway.view(&cx));
    assert!(waits(&mut first).await);
    let mut others: Vec<_> = (0..20).map(|_| Box::pin(gateway.view(&cx))).collect();
    for other in &mut others {
        assert!(waits(other).await);
    }
    assert_eq!(slow.discovered(), 1);
    drop(first);
    gate.notify_one();
    for other in others {
        assert_eq!(listed(&other.await), ["slow/a"]);
    }
    assert_eq!(slow.discovered(), 2);
}

#[tokio::test]
async fn the_cache_is_bounded_and_evicts_the_least_recently_used() {
    let given = ByUser::for_any_user();
    let gateway = built(
        Gateway::builder().cache_views(5, Duration::from_secs(60)).request_sources(given.clone()),
    )
    .await;
    for user in 0..200 {
        gateway.view(&by(&user.to_string())).await;
        gateway.view(&by("0")).await;
    }
    assert_eq!(given.source_requests(), 200, "a frequently used view stays cached");
    gateway.view(&by("199")).await;
    assert_eq!(given.source_requests(), 200);
    gateway.view(&by("100")).await;
    assert_eq!(given.source_requests(), 201);
    let snapshot = Arc::downgrade(&gateway.view(&by("gone")).await.snapshot());
    for user in 0..10 {
        gateway.view(&by(&user.to_string())).await;
    }
    assert!(snapshot.upgrade().is_none(), "an evicted view is dropped");
}
