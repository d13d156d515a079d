//! Which tools are found, in which order, and name conflicts.

use super::{Listing, World, listing, tool_file, user};
use crate::roots::{Root, RootsFrom};
use crate::{ExplicitRoots, FolderSource, GlobTools};
use futures_util::{StreamExt, stream};
use std::time::Duration;
use toolscout_core::{DiscoveryItem, Source, ToolName};
use toolscout_source::Conflict;

/// A-01: files below `tools/` and `src/tools/` are tools, others are not; each has its absolute
/// path.
#[tokio::test]
async fn a_project_has_two_tool_folders() {
    let world = World::with(&[
        ("tools/a.tool.toml", &tool_file("a", "")),
        ("tools/x/y/b.tool.toml", &tool_file("b", "")),
        ("src/tools/c.tool.json", r#"{"name": "c", "run": {"command": ["true"]}}"#),
        ("lib/d.tool.toml", &tool_file("d", "")),
    ]);
    let found = listing(&world.source()).await;
    assert_eq!(found.names(), ["c", "a", "b"]);
    assert_eq!(found.tool("b").provenance.path, Some(world.path("tools/x/y/b.tool.toml")));
    assert!(found.diagnostics().is_empty());
}

/// A-03: tests, private files and folders of other programs are never opened.
#[tokio::test]
async fn ignored_files_are_not_opened() {
    let broken = "this is = not [ toml";
    let world = World::with(&[
        ("tools/good.tool.toml", &tool_file("good", "")),
        ("tools/a.test.tool.toml", broken),
        ("tools/a.spec.tool.toml", broken),
        ("tools/_helper.tool.toml", broken),
        ("tools/_lib/h.tool.toml", broken),
        ("tools/node_modules/p/t.tool.toml", broken),
        ("tools/target/t.tool.toml", broken),
        ("tools/.cache/t.tool.toml", broken),
    ]);
    assert_eq!(world.page().await, "good [ready] \n");
}

/// A-04: configured patterns replace the default ones, and so do configured ignores.
#[tokio::test]
async fn configured_patterns_replace_the_default() {
    let world = World::with(&[
        ("tools/a.tool.toml", &tool_file("a", "")),
        ("commands/x/b.tool.toml", &tool_file("b", "")),
        ("commands/_c.tool.toml", &tool_file("c", "")),
    ]);
    let patterns = Some(vec!["commands/**/*.tool.toml".to_owned()]);
    let source =
        world.builder().tools(GlobTools { patterns: patterns.clone(), ignore: None }).build();
    assert_eq!(listing(&source).await.names(), ["b"]);
    let source = world.builder().tools(GlobTools { patterns, ignore: Some(vec![]) }).build();
    assert_eq!(listing(&source).await.names(), ["c", "b"]);
}

#[tokio::test]
async fn a_pattern_that_leaves_the_root_is_an_error() {
    let world = World::new();
    let patterns = Some(vec!["../**".to_owned()]);
    let source = world.builder().tools(GlobTools { patterns, ignore: None }).build();
    assert_eq!(
        world.show(&listing(&source).await),
        "stopped: the pattern `../**` must stay inside its root\n"
    );
}

/// A-06 and A-07: roots keep their order.
#[tokio::test]
async fn roots_keep_their_order() {
    let world = World::with(&[
        ("r1/tools/t1.tool.toml", &tool_file("t1", "")),
        ("r2/tools/t2.tool.toml", &tool_file("t2", "")),
    ]);
    let source = FolderSource::builder()
        .roots(ExplicitRoots(vec![world.path("r2"), world.path("r1")]))
        .build();
    assert_eq!(listing(&source).await.names(), ["t2", "t1"]);
}

/// The order is that of the whole path, not folder by folder.
#[tokio::test]
async fn paths_sort_by_their_bytes() {
    let world = World::with(&[
        ("tools/a/x.tool.toml", &tool_file("third", "")),
        ("tools/a-b/x.tool.toml", &tool_file("second", "")),
        ("tools/Z.tool.toml", &tool_file("first", "")),
    ]);
    assert_eq!(listing(&world.source()).await.names(), ["first", "second", "third"]);
}

async fn two_dups(rule: Conflict) -> (World, Listing) {
    let world = World::with(&[
        ("r1/tools/dup.tool.toml", &tool_file("dup", "one")),
        ("r2/tools/dup.tool.toml", &tool_file("dup", "two")),
    ]);
    let roots = ExplicitRoots(vec![world.path("r1"), world.path("r2")]);
    let found = listing(&FolderSource::builder().roots(roots).on_conflict(rule).build()).await;
    (world, found)
}

/// A-08: the later tool wins, and one warning names both.
#[tokio::test]
async fn the_later_of_two_tools_with_one_name_wins() {
    let (world, found) = two_dups(Conflict::Replace).await;
    assert_eq!(
        world.show(&found),
        "dup [ready] one\n\
         ! Collision r2/tools/dup.tool.toml: two tools are named `dup`; `r2/tools/dup.tool.toml` replaces `r1/tools/dup.tool.toml`\n\
         dup [ready] two\n"
    );
}

/// A-09: `skip` keeps the first; `error` stops with the documented message and both paths.
#[tokio::test]
async fn conflicts_can_be_skipped_or_fatal() {
    let (world, found) = two_dups(Conflict::Skip).await;
    assert_eq!(
        world.show(&found),
        "dup [ready] one\n\
         ! Collision r2/tools/dup.tool.toml: two tools are named `dup`; `r1/tools/dup.tool.toml` is used, `r2/tools/dup.tool.toml` is skipped\n"
    );
    let (world, found) = two_dups(Conflict::Error).await;
    assert_eq!(
        world.show(&found),
        "dup [ready] one\n\
         stopped: Tool 'dup' is already registered, by `r1/tools/dup.tool.toml`; `r2/tools/dup.tool.toml` has the same name\n"
    );
}

/// A-10: one broken file is a warning with path and reason, and hides no other tool.
#[tokio::test]
async fn a_broken_file_does_not_hide_good_ones() {
    let world = three_good_one_bad();
    assert_eq!(
        world.page().await,
        "a [ready] \nb [ready] \n! Broken tools/c.tool.toml: unclosed array, expected `]` at line 2 column 13\nd [ready] \n"
    );
}

/// A-11: strict mode stops at the first warning, which names the file.
#[tokio::test]
async fn strict_stops_at_the_first_warning() {
    let world = three_good_one_bad();
    let found = listing(&world.builder().strict(true).build()).await;
    let Some(toolscout_core::SourceError::Stopped(diagnostic)) = &found.error else {
        panic!("expected `Stopped`")
    };
    assert_eq!(diagnostic.path, Some(world.path("tools/c.tool.toml")));
    assert_eq!(found.names(), ["a", "b"]);
}

fn three_good_one_bad() -> World {
    World::with(&[
        ("tools/a.tool.toml", &tool_file("a", "")),
        ("tools/b.tool.toml", &tool_file("b", "")),
        ("tools/c.tool.toml", "name = \"c\"\nkeywords = [\n"),
        ("tools/d.tool.toml", &tool_file("d", "")),
    ])
}

/// A-15 and A-16: explicit files come first, with or without roots, and are not listed twice.
#[tokio::test]
async fn explicit_files_come_first() {
    let world = World::with(&[
        ("e/e.tool.toml", &tool_file("e", "")),
        ("tools/d.tool.toml", &tool_file("d", "")),
        ("e/notes.md", "x"),
    ]);
    let explicit = vec![world.path("e/e.tool.toml")];
    let alone = FolderSource::builder().explicit(explicit.clone()).build();
    assert_eq!(listing(&alone).await.names(), ["e"]);
    let both = world.builder().explicit(explicit).build();
    assert_eq!(listing(&both).await.names(), ["e", "d"]);
    let twice = world.builder().explicit(vec![world.path("tools/d.tool.toml")]).build();
    assert_eq!(world.show(&listing(&twice).await), "d [ready] \n");
    let nothing = FolderSource::builder()
        .explicit(vec![world.path("e/notes.md"), world.path("e/gone.tool.toml")])
        .build();
    assert_eq!(
        world.show(&listing(&nothing).await),
        "! Broken e/notes.md: it has no tool\n! Unavailable e/gone.tool.toml: the file does not exist\n"
    );
}

/// A-22: many files are listed, in the same order every time.
#[tokio::test]
async fn five_thousand_files_are_listed_in_order() {
    let world = World::new();
    for at in 0..5_000 {
        let name = format!("t{at:04}");
        world.file(&format!("tools/{}/{name}.tool.toml", at % 50), tool_file(&name, "One of many"));
    }
    let first = listing(&world.source()).await;
    assert_eq!(first.tools().len(), 5_000);
    assert!(first.diagnostics().is_empty());
    assert!(first.tools().is_sorted_by_key(|tools| tools.provenance.path.clone()));
    assert_eq!(listing(&world.source()).await.names(), first.names());
}

/// The tools of the first root are available before a slow later root ends.
#[tokio::test]
async fn a_slow_root_does_not_hide_a_fast_one() {
    let world = World::with(&[("tools/a.tool.toml", &tool_file("a", ""))]);
    let root = world.root.clone();
    let roots =
        RootsFrom(move || stream::iter([Ok(Root::project(&root))]).chain(stream::pending()));
    let source = FolderSource::builder().roots(roots).build();
    let mut found = source.discover(user());
    let first = tokio::time::timeout(Duration::from_secs(20), found.next())
        .await
        .expect("a result arrives in time");
    assert!(matches!(first, Some(Ok(DiscoveryItem::Tool(tool))) if tool.id.name.as_str() == "a"));
}

#[tokio::test]
async fn a_dropped_discovery_changes_nothing() {
    let world = World::with(&[
        ("tools/a.tool.toml", &tool_file("a", "")),
        ("tools/b.tool.toml", &tool_file("b", "")),
    ]);
    let source = world.source();
    assert_eq!(listing(&source).await.names(), ["a", "b"]);
    std::fs::remove_file(world.path("tools/b.tool.toml")).expect("removed");
    let mut found = source.discover(user());
    assert!(found.next().await.is_some());
    drop(found);
    let b = ToolName::new("b").expect("a name");
    assert_eq!(source.trusts(&b), Some(false), "the old list still applies");
    listing(&source).await;
    assert_eq!(source.trusts(&b), None);
}

/// S15: names that differ only in case are both listed, with a warning.
#[tokio::test]
async fn names_that_differ_only_in_case_are_reported() {
    let world = World::with(&[
        ("tools/1.tool.toml", &tool_file("Fetch", "")),
        ("tools/2.tool.toml", &tool_file("fetch", "")),
    ]);
    assert_eq!(
        world.page().await,
        "Fetch [ready] \n\
         ! Collision tools/2.tool.toml: `fetch` and `Fetch` differ only in case; `Fetch` is in `tools/1.tool.toml`\n\
         fetch [ready] \n"
    );
}

#[tokio::test]
async fn loading_runs_a_discovery_if_there_was_none() {
    let world = World::with(&[("tools/a.tool.toml", &tool_file("a", "first"))]);
    let source = world.source();
    let name = ToolName::new("a").expect("a name");
    let tool = source.load(&name, user()).await.expect("loaded").expect("the source has the tool");
    assert_eq!(tool.description.as_deref(), Some("first"));
    world.file("tools/a.tool.toml", tool_file("a", "second"));
    let tool = source.load(&name, user()).await.expect("loaded").expect("the source has the tool");
    assert_eq!(tool.description.as_deref(), Some("second"), "an edit needs no new discovery");
    let other = ToolName::new("other").expect("a name");
    assert!(source.load(&other, user()).await.expect("loaded").is_none());
}
