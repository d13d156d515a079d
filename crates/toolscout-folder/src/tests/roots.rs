//! The folders that are searched.

use super::{World, listing, tool_file};
use crate::roots::{Root, RootsFrom};
use crate::{ChainRoots, DefaultRoot, ExplicitRoots, FolderSource, ToolDirectories};
use futures_util::stream;
use std::sync::Arc;

/// A-01: the nearest ancestor with a project marker is the root.
#[tokio::test]
async fn the_default_root_is_found_upward() {
    for marker in DefaultRoot::MARKERS {
        let world = World::with(&[(marker, ""), ("tools/x/y/b.tool.toml", &tool_file("b", ""))]);
        let source =
            FolderSource::builder().roots(DefaultRoot { from: world.path("tools/x/y") }).build();
        assert_eq!(listing(&source).await.names(), ["b"], "{marker}");
    }
}

/// A-02: without a marker there is no root, and no error.
#[tokio::test]
async fn no_project_is_not_an_error() {
    let world = World::with(&[("x/tools/b.tool.toml", &tool_file("b", ""))]);
    if DefaultRoot::find(&world.root).is_some() {
        // The temporary folder itself lies in a project, so the test proves nothing here.
        return;
    }
    let source = FolderSource::builder().roots(DefaultRoot { from: world.path("x") }).build();
    assert_eq!(world.show(&listing(&source).await), "");
}

/// A-07: the tools of the default root first, then those of the others in order.
#[tokio::test]
async fn chained_roots_keep_their_order() {
    let world = World::with(&[
        ("app/package.json", "{}"),
        ("app/tools/own.tool.toml", &tool_file("own", "")),
        ("shared/tools/s.tool.toml", &tool_file("s", "")),
        ("plugins/p.tool.toml", &tool_file("p", "")),
    ]);
    let roots = ChainRoots(vec![
        Arc::new(DefaultRoot { from: world.path("app") }),
        Arc::new(ExplicitRoots(vec![world.path("shared")])),
        Arc::new(ToolDirectories(vec![world.path("plugins")])),
    ]);
    assert_eq!(
        listing(&FolderSource::builder().roots(roots).build()).await.names(),
        ["own", "s", "p"]
    );
}

#[tokio::test]
async fn a_missing_root_is_reported_and_the_others_are_searched() {
    let world = World::with(&[("r/tools/a.tool.toml", &tool_file("a", "")), ("file", "")]);
    let roots = ExplicitRoots(vec![world.path("gone"), world.path("file"), world.path("r")]);
    let found = listing(&FolderSource::builder().roots(roots).build()).await;
    assert_eq!(
        world.show(&found),
        "! Unavailable gone: the folder does not exist\n! Unavailable file: it is not a folder\na [ready] \n"
    );
}

#[tokio::test]
async fn the_same_folder_is_searched_once() {
    let world = World::with(&[("r/tools/a.tool.toml", &tool_file("a", ""))]);
    std::os::unix::fs::symlink(world.path("r"), world.path("again")).expect("a link");
    let roots = ChainRoots(vec![
        Arc::new(ExplicitRoots(vec![world.path("r"), world.path("again"), world.path("r/../r")])),
        // A different path to the same files.
        Arc::new(ToolDirectories(vec![world.path("r/tools")])),
    ]);
    let found = listing(&FolderSource::builder().roots(roots).build()).await;
    assert_eq!(world.show(&found), "a [ready] \n");
}

#[tokio::test]
async fn roots_may_come_from_a_closure() {
    let world = World::with(&[("mine/a.tool.toml", &tool_file("a", ""))]);
    let folder = world.path("mine");
    let roots = RootsFrom(move || stream::iter([Ok(Root::tools(&folder))]));
    assert_eq!(listing(&FolderSource::builder().roots(roots).build()).await.names(), ["a"]);
}

/// A-21: folders in the order of the setting, tools in the order of their manifests.
#[tokio::test]
async fn tool_directories_keep_their_order_and_their_manifests() {
    let manifest = |a: &str, b: &str| {
        format!(
            r#"{{"tools": [{{"name": "{a}", "path": "x.sh"}}, {{"name": "{b}", "path": "x.sh"}}]}}"#
        )
    };
    let world = World::with(&[
        ("d1/manifest.json", &manifest("z", "y")),
        ("d2/manifest.json", &manifest("b", "a")),
    ]);
    world.script("d1/x.sh", "#!/bin/sh\n").script("d2/x.sh", "#!/bin/sh\n");
    assert_eq!(listing(&world.folders(&["d1", "d2"]).build()).await.names(), ["z", "y", "b", "a"]);
}
