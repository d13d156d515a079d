//! 1. The first source that has a tool serves it.
//! 2. A slow source does not hide a fast one.
//! 3. `NotMine` passes a call on, another error does not.
//! 4. A source that cannot be listed is a diagnostic.
//! 5. One link that needs a review is enough, by the strictest terms.

use super::{Failure, Fake, call, list, load};
use crate::layer::{Chain, Concurrency, Filter, Prefix, Retry, Timeout};
use futures_util::{FutureExt, StreamExt};
use insta::assert_snapshot;
use std::sync::Arc;
use std::time::Duration;
use toolscout_core::{Layer, ReviewMode, Source, SourceId, SourceKind};

fn chain<const N: usize>(links: [Fake; N]) -> Chain {
    Chain::new(SourceId::new("all").unwrap(), links.map(|link| Arc::new(link) as Arc<dyn Source>))
}

#[tokio::test]
async fn the_first_link_with_the_tool_is_called() {
    let chain = chain([Fake::new("one", &["a", "b"]), Fake::new("two", &["b", "c"])]);
    assert_snapshot!(load(&chain, "b").await, @"all/b");
    assert_snapshot!(call(&chain, "b").await, @"b of one");
    assert_snapshot!(call(&chain, "c").await, @"c of two");
    assert_snapshot!(load(&chain, "d").await, @"nothing");
    assert_snapshot!(call(&chain, "d").await, @"error: source `all` has no tool `d`");
    assert_eq!(chain.kind(), SourceKind::Mcp);
}

#[tokio::test]
async fn tools_of_all_are_listed_once_under_one_id() {
    let chain = chain([Fake::new("one", &["a"]), Fake::new("two", &["b"])]);
    let mut listed: Vec<_> = list(&chain).await.split(", ").map(str::to_owned).collect();
    listed.sort_unstable();
    assert_eq!(listed, ["all/a", "all/b"]);
}

#[tokio::test(start_paused = true)]
async fn a_slow_source_does_not_hide_a_fast_one() {
    let chain =
        chain([Fake::new("slow", &["a", "b"]).pace(100), Fake::new("fast", &["b", "c"]).pace(1)]);
    // `b` is listed again, by the source of higher precedence, and so replaces the other one.
    assert_snapshot!(list(&chain).await, @"all/b, all/c, all/a, all/b");
}

#[tokio::test(start_paused = true)]
async fn a_weaker_source_never_replaces_a_stronger_one() {
    let chain =
        chain([Fake::new("fast", &["a", "b"]).pace(1), Fake::new("slow", &["b", "c"]).pace(100)]);
    assert_snapshot!(list(&chain).await, @"all/a, all/b, all/c");
}

#[tokio::test(start_paused = true)]
async fn a_source_that_cannot_be_listed_is_a_diagnostic() {
    let broken = Fake::new("broken", &["a", "b"]).failing("list", 1, Failure::Unavailable).pace(1);
    let chain = chain([broken, Fake::new("well", &["c"]).pace(10)]);
    assert_snapshot!(list(&chain).await, @"all/a, problem: source `broken`: out of reach, all/c");
}

#[tokio::test]
async fn a_real_error_stops() {
    let one = Fake::new("one", &["a"]).failing("call", 1, Failure::Garbled).failing(
        "load",
        1,
        Failure::Garbled,
    );
    let chain = chain([one, Fake::new("two", &["a"])]);
    assert_snapshot!(call(&chain, "a").await, @"error: source `one`: makes no sense");
    assert_snapshot!(load(&chain, "a").await, @"error: source `one`: makes no sense");
    assert_snapshot!(call(&chain, "a").await, @"a of one");
}

#[tokio::test]
async fn a_filtered_link_passes_unknown_tools_to_the_next_link() {
    let one = Filter::allow(["a"]).layer(Arc::new(Fake::new("one", &["a", "b"])));
    let two: Arc<dyn Source> = Arc::new(Fake::new("two", &["c"]));
    let chain = Chain::new(SourceId::new("all").unwrap(), [one, two]);
    assert_snapshot!(call(&chain, "c").await, @"c of two");
    assert_snapshot!(call(&chain, "b").await, @r#"error: tool "one__b" is disabled on server "one""#);
}

#[tokio::test]
async fn a_change_of_any_link_is_a_change() {
    let links = [Arc::new(Fake::new("one", &["a"])), Arc::new(Fake::new("two", &["b"]))];
    let chain = Chain::new(
        SourceId::new("all").unwrap(),
        links.clone().map(|link| link as Arc<dyn Source>),
    );
    let mut changes = chain.changes();
    assert_eq!(changes.next().now_or_never(), None);
    for link in &links {
        link.changed.send_replace(());
        assert_eq!(changes.next().now_or_never(), Some(Some(())));
        assert_eq!(changes.next().now_or_never(), None);
    }
}

#[tokio::test]
async fn an_empty_chain_lists_nothing_and_never_changes() {
    let chain = chain([]);
    assert_snapshot!(list(&chain).await, @"");
    assert_snapshot!(call(&chain, "a").await, @"error: source `all` has no tool `a`");
    assert_eq!(chain.changes().next().now_or_never(), None);
}

fn needed(entry: &str, approves_first_sight: bool, accepts_changes: bool) -> ReviewMode {
    ReviewMode::Needed {
        approves_first_sight,
        approves_new_tools: approves_first_sight,
        accepts_changes,
        entry: entry.into(),
    }
}

fn reviewed(review: &ReviewMode) -> Fake {
    Fake { review: review.clone(), ..Fake::new("reviewed", &["a"]) }
}

#[test]
fn one_link_that_needs_a_review_is_enough() {
    let joined =
        |one: &ReviewMode, two: &ReviewMode| chain([reviewed(one), reviewed(two)]).review();
    let (none, one) = (ReviewMode::Unneeded, needed("x", true, true));
    assert_eq!(chain([]).review(), none);
    assert_eq!(joined(&none, &none), none);
    assert_eq!(joined(&none, &one), one);
    assert_eq!(joined(&one, &none), one);
    assert_eq!(joined(&one, &needed("y", true, true)), needed("x+y", true, true));
    assert_eq!(
        joined(&needed("x", true, false), &needed("y", false, true)),
        needed("x+y", false, false)
    );
}

#[test]
fn every_layer_passes_the_review_on() {
    let layers: [&dyn Layer; 5] = [
        &Filter::allow(["a"]),
        &Prefix("p"),
        &Retry::default(),
        &Timeout(Duration::MAX),
        &Concurrency(1),
    ];
    for layer in layers {
        let review = needed("x", true, false);
        assert_eq!(layer.layer(Arc::new(reviewed(&review))).review(), review);
    }
}
