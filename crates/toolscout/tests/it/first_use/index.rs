//! The semantic index: its state, and the process that completes it.

use crate::servers::fixture::wait_until;
use crate::world::World;
use serde_json::{Value, json};

/// More tools than one search indexes.
fn many_tools() -> World {
    (0..60).fold(World::project(), |world, index| {
        let more = format!("description = \"Tool number {index} of many\"");
        world.echo(&format!("tools/t{index}.tool.toml"), &format!("t{index}"), &more)
    })
}

fn state(world: &World, args: &[&str]) -> Value {
    world.run(&[&["index", "--json"], args].concat()).exits(0).json()
}

/// U-12: the command starts a process and shows the state; that process completes the index.
#[test]
fn indexing_goes_on_in_the_background() {
    let world = many_tools();
    let doctor = world.stdout(&["doctor", "--quiet"]);
    let line = "index     0 of 60 tools; keyword search for the rest (toolscout index)";
    assert!(doctor.contains(line), "{doctor}");
    assert_eq!(
        world.stdout(&["index"]),
        "Semantic index: 0 of 60 tools; keyword search for the rest. Indexing in the background.\n"
    );
    wait_until("the index is complete", || state(&world, &[])["state"] == "complete");
    assert_eq!(world.stdout(&["index"]), "Semantic index: 60 of 60 tools.\n");
    assert!(!world.stdout(&["doctor", "--quiet"]).contains("index  "));
}

/// U-13: with `--wait` the index is complete at the end; without embeddings it is off.
#[test]
fn an_index_is_complete_after_a_wait() {
    let world = many_tools();
    let complete = json!({"state": "complete", "indexed": 60, "total": 60});
    assert_eq!(state(&world, &["--wait"]), complete);
    let off = world.file("toolscout.toml", "search = { semantic = false }\n");
    assert_eq!(off.stdout(&["index"]), "Semantic index: off; keyword search only.\n");
}

/// U-14: a search in a project without embeddings starts the process; `doctor` only looks.
#[test]
fn a_search_completes_the_index_for_the_next_one() {
    let world = many_tools();
    world.run(&["search", "--lexical", "number"]).exits(0);
    wait_until("the index is complete", || {
        !world.stdout(&["doctor", "--quiet"]).contains("index  ")
    });
    assert!(!world.run(&["search", "number"]).exits(0).err.contains("Semantic index"));
}
