//! 1. A quarantined definition stays so if its entry is edited, the cache is deleted, or the server
//!    is removed and added again.
//! 2. New tools of a known server follow `new_tools`.
//! 3. If the approvals are lost, nothing is approved until the operator starts over.

use crate::world::World;
use std::fs;

const TOOLS: &[(&str, &str)] = &[("echo", "Gives back a text"), ("add", "Adds two numbers")];
const CHANGED: &[(&str, &str)] =
    &[("echo", "Gives back another text"), ("add", "Adds two numbers")];

fn edit(world: &World, from: &str, to: &str) {
    let text = fs::read_to_string(world.path("toolscout.toml")).expect("the configuration");
    assert!(text.contains(from), "{text}");
    world.replace("toolscout.toml", &text.replace(from, to));
}

fn remove_state(world: &World, names: &[&str]) {
    for name in names {
        let _ = fs::remove_file(world.temp_dir().join("state").join(name));
    }
}

/// V-61: the edit adds an argument that the server ignores.
#[test]
fn an_edit_of_the_entry_releases_nothing() {
    let world = World::trusted().list_server(TOOLS);
    world.refresh_with(CHANGED);
    world.run(&["reject", "s/add"]).exits(0);
    let quarantined = ["s/echo", "s/add"];
    assert_eq!(world.quarantined(), quarantined);
    edit(&world, "\"s.list.json\"", "\"s.list.json\",\"--verbose\"");
    world.run(&["server", "refresh", "s"]).exits(0);
    assert_eq!(world.quarantined(), quarantined);
    remove_state(&world, &["state.db", "state.db-wal", "state.db-shm"]);
    world.run(&["server", "refresh", "s"]).exits(0);
    assert_eq!(world.quarantined(), quarantined);
    for tool in quarantined {
        world.run(&["run", tool]).exits(4).stderr_contains(&["is quarantined"]);
    }
    assert_eq!(world.executed(), 0);
}

/// V-62.
#[test]
fn new_tools_of_a_known_server_wait_if_they_are_to_be_reviewed() {
    for (rule, expected) in [("", &[][..]), ("new_tools = \"review\"", &["s/new"])] {
        let world = World::trusted().list_server_named("s", rule, TOOLS);
        assert_eq!(world.quarantined(), [""; 0]);
        world.refresh_with(&[TOOLS[0], TOOLS[1], ("new", "Does more")]);
        assert_eq!(world.quarantined(), expected, "{rule}");
    }
    let words = ["sh", "stall.sh", "s.list.json"].map(str::to_owned);
    let world = World::trusted().entry("s", &words, "new_tools = \"perhaps\"");
    world.run(&["tools"]).stderr_contains(&["`new_tools` is `perhaps`; use review or allow"]);
}

/// V-63.
#[test]
fn a_rejection_survives_the_removal_of_its_server() {
    let world = World::trusted().list_server(TOOLS);
    world.run(&["reject", "s/add"]).exits(0);
    let entry = ["sh", "stall.sh", "s.list.json"];
    world.run(&["server", "remove", "s"]).exits(0);
    world.run(&[&["server", "add", "s", "--wait", "--"][..], &entry].concat()).exits(0);
    assert_eq!(world.quarantined(), ["s/add"]);
}

/// V-65.
#[test]
fn lost_approvals_release_nothing_until_a_reset() {
    let world = World::trusted().list_server(TOOLS);
    world.run(&["reject", "s/add"]).exits(0);
    remove_state(&world, &["trust.db", "trust.db-wal", "trust.db-shm"]);
    for tool in ["s/add", "s/echo"] {
        world.run(&["run", tool]).exits(4).stderr_contains(&[
            "is missing or was replaced",
            "`toolscout trust reset`",
            "is quarantined",
        ]);
    }
    world.run(&["server", "refresh", "s"]);
    assert_eq!(world.quarantined(), ["s/echo", "s/add"]);
    assert_eq!(world.executed(), 0);
    world.run(&["trust", "reset"]).stderr_contains(&["use --yes to do it"]);
    world.run(&["run", "s/echo"]).exits(4);
    world.run(&["trust", "reset", "--yes"]).exits(0).stderr_contains(&["nothing is trusted"]);
    world.run(&["run", "s/echo"]).exits(0);
}
