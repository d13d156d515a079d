//! The page as people use it, in a real headless Chromium:
//! 1. A person watches a discovery, adds a server, finds a tool, tries it, changes its policy and says yes to a call.
//! 2. What servers say is only ever text, whatever they say.
//! 3. All of it works without a mouse, and axe-core finds nothing serious in any view, light or dark, wide or narrow.
//! 4. Who is not signed in sees nothing but how to be.
//!
//! `tests/browser` has the walks, and what drives the browser: node and nothing else. `TOOLSCOUT_TEST_BROWSER` names the folder
//! where axe-core is installed, as npm makes it from `tests/browser/package.json`; `.ci/run` makes it.

mod site;

use crate::world::{World, can_run};
use serde_json::json;
use site::chromium;

pub(crate) use site::Site;
use std::path::PathBuf;

/// A project with a server that behaves, and one that was never asked.
fn project() -> World {
    let world = World::trusted().server("s", "honest", &[]);
    world.run(&["server", "refresh"]).exits(0);
    world
}

#[test]
fn a_person_watches_adds_finds_tries_decides_and_leaves() {
    let Some(chromium) = chromium() else { return };
    let world = project().breakable("slow", "honest", &[]).holds("slow");
    let gate = world.path("wait-slow").display().to_string();
    let command = world.hostile("added", "honest", &[]).join(" ");
    let site = Site::open(&world);
    site.walk(&chromium, "path", json!({ "gate": gate, "command": command }));
}

/// The names, descriptions, schemas and results of `html`, `ansi`, `hidden_unicode` and `path_names`.
#[test]
fn what_servers_say_is_only_ever_text() {
    let Some(chromium) = chromium() else { return };
    let modes =
        [("html", "html"), ("ansi", "ansi"), ("hidden", "hidden_unicode"), ("paths", "path_names")];
    let world =
        modes.iter().fold(World::trusted(), |world, (id, mode)| world.server(id, mode, &[]));
    world.run(&["server", "refresh"]).exits(0);
    let site = Site::open(&world);
    let servers = modes.map(|(id, _)| id);
    let seen = site.walk(&chromium, "texts", json!({ "servers": servers }));
    assert!(seen["tools"].as_u64().is_some_and(|it| it > 30), "{seen}");
}

#[test]
fn nothing_needs_a_mouse() {
    let Some(chromium) = chromium() else { return };
    let world = project();
    Site::open(&world).walk(&chromium, "keyboard", json!({}));
}

#[test]
fn nothing_serious_stands_in_anybodys_way() {
    let Some(chromium) = chromium() else { return };
    let folder = std::env::var_os("TOOLSCOUT_TEST_BROWSER").map(PathBuf::from).unwrap_or_default();
    let axe = folder.join("node_modules/axe-core/axe.min.js");
    if !can_run(axe.exists(), "axe-core in TOOLSCOUT_TEST_BROWSER") {
        return;
    }
    let world = project().server("poisoned", "poison_desc", &[]);
    world.run(&["server", "refresh"]).exits(0);
    Site::open(&world).walk(&chromium, "look", json!({ "axe": axe }));
}

#[test]
fn who_is_not_signed_in_is_told_how() {
    let Some(chromium) = chromium() else { return };
    let world = project();
    Site::open(&world).walk(&chromium, "visitor", json!({}));
}
