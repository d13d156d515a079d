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

/// Search finds tools while thousands of others are indexed, and the index becomes complete.
#[test]
fn five_thousand_tools_are_found_while_they_are_indexed() {
    let tool = |index: usize| {
        let description = format!("Books entry {index} in the ledger of branch {}", index % 97);
        json!({"name": format!("book_{index}"), "description": description, "inputSchema": {"type": "object"}})
    };
    let world = (0..10).fold(World::trusted(), |world, server| {
        let tools: Vec<_> = (0..500).map(|index| tool(server * 500 + index)).collect();
        world.listing(&format!("branch{server}"), &json!(tools))
    });
    world.run(&["server", "refresh"]).exits(0);
    assert_eq!(
        world.run(&["tools", "--json"]).exits(0).json().as_array().map(Vec::len),
        Some(5_000)
    );
    // How often it is seen incomplete depends on the machine.
    let mut earlier = 0;
    while earlier < 5_000 {
        let found = world.run(&["search", "--json", "book_4321"]).exits(0).json();
        assert_eq!(found[0]["name"], "book_4321", "{found}");
        let now = state(&world, &[]);
        let indexed = now["indexed"].as_u64().expect("a number");
        let expected = if indexed < 5_000 { "indexing" } else { "complete" };
        assert!(now["total"] == 5_000 && now["state"] == expected, "{now}");
        assert!(indexed >= earlier, "{now} after {earlier}");
        earlier = indexed;
    }
    let complete = json!({"state": "complete", "indexed": 5_000, "total": 5_000});
    assert_eq!(state(&world, &["--wait"]), complete);
    assert_eq!(world.stdout(&["index"]), "Semantic index: 5,000 of 5,000 tools.\n");
}
