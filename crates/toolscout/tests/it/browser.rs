//! The page as people use it, in a real headless Chromium:
//! 1. A person watches a discovery, adds a server, finds a tool, tries it, changes its policy and says yes to a call.
//! 2. What servers say is only ever text, whatever they say.
//! 3. All of it works without a mouse, and axe-core finds nothing serious in any view, light or dark, wide or narrow.
//! 4. Who is not signed in sees nothing but how to be.
//!
//! `tests/browser` has the walks, and the driver of the browser, which needs only node.
//! `TOOLSCOUT_TEST_BROWSER` names the folder where npm installed axe-core from
//! `tests/browser/package.json`; `.ci/run` creates it.

mod site;

use crate::world::{World, can_run};
use serde_json::json;
use site::chromium;

pub(crate) use site::Site;
use std::path::PathBuf;

/// A project with a well-behaved server and one that was never discovered.
fn project() -> World {
    let world = World::trusted().server("s", "honest", &[]);
    world.run(&["server", "refresh"]).exits(0);
    world
}

#[test]
fn an_operator_completes_the_main_tasks_in_the_ui() {
    let Some(chromium) = chromium() else { return };
    let world = project().breakable("slow", "honest", &[]).delay_server("slow");
    let gate = world.path("wait-slow").display().to_string();
    let command = world.hostile("added", "honest", &[]).join(" ");
    let site = Site::open(&world);
    site.walk(&chromium, "path", json!({ "gate": gate, "command": command }));
}

/// The names, descriptions, schemas and results of the modes `html`, `ansi`, `hidden_unicode` and
/// `path_names`.
#[test]
fn server_content_is_rendered_as_text_only() {
    let Some(chromium) = chromium() else { return };
    let modes =
        [("html", "html"), ("ansi", "ansi"), ("hidden", "hidden_unicode"), ("paths", "path_names")];
    let world =
        modes.iter().fold(World::trusted(), |world, (id, mode)| world.server(id, mode, &[]));
    world.run(&["server", "refresh"]).exits(0);
    let site = Site::open(&world);
    let servers = modes.map(|(id, _)| id);
    let report = site.walk(&chromium, "texts", json!({ "servers": servers }));
    assert!(report["tools"].as_u64().is_some_and(|tools| tools > 30), "{report}");
}

#[test]
fn the_ui_works_with_the_keyboard() {
    let Some(chromium) = chromium() else { return };
    let world = project();
    Site::open(&world).walk(&chromium, "keyboard", json!({}));
}

#[test]
fn the_ui_has_no_serious_accessibility_violations() {
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
fn visitors_without_a_session_are_told_how_to_sign_in() {
    let Some(chromium) = chromium() else { return };
    let world = project();
    Site::open(&world).walk(&chromium, "visitor", json!({}));
}
