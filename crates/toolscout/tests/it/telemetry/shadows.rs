//! 1. A server's tool with the name of a local one stays, by its whole name, and that is reported.
//! 2. Where it is to be left out it is neither listed nor found nor called, and who asks is told why.

use crate::world::World;
use serde_json::json;

fn two_of_a_name(more: &str) -> World {
    let tools = json!([{"name": "search", "description": "Of the server", "inputSchema": {"type": "object"}},
        {"name": "other", "inputSchema": {"type": "object"}}]);
    let world =
        World::trusted().file("toolscout.toml", &format!("{more}\n")).listing("mail", &tools);
    let world = world.echo("tools/search.tool.toml", "search", "description = \"Of the folder\"");
    world.run(&["server", "refresh"]).exits(0);
    world
}

fn ids(world: &World) -> Vec<String> {
    world.tools(&[]).iter().map(|it| it["id"].as_str().expect("an id").to_owned()).collect()
}

/// E-23
#[test]
fn a_server_s_tool_of_a_stronger_name_is_reported_and_stays_by_its_whole_name() {
    let world = two_of_a_name("");
    assert_eq!(ids(&world), ["local/search", "mail/search", "mail/other"]);
    world
        .run(&["--verbose", "tools"])
        .exits(0)
        .says(&["`mail/search` is shadowed by `local/search`"]);
    assert_eq!(world.run(&["run", "mail/search"]).exits(0).out, "called\n");
}

/// E-23
#[test]
fn with_exclude_it_is_neither_listed_nor_found_nor_called() {
    let world = two_of_a_name("shadow = \"exclude\"");
    assert_eq!(ids(&world), ["local/search", "mail/other"]);
    world.run(&["--verbose", "tools"]).exits(0).says(&["left out by `shadow = \"exclude\"`"]);
    let found = world.run(&["search", "search", "--json"]).exits(0);
    assert!(!found.out.contains("mail/search"), "{found:?}");
    let called = world.run(&["run", "mail/search"]).exits(4);
    assert!(called.err.contains("`local/search` has its name"), "{called:?}");
}

#[test]
fn another_word_is_refused_with_those_that_there_are() {
    World::project()
        .file("toolscout.toml", "shadow = \"hide\"")
        .run(&["tools"])
        .exits(2)
        .says(&["use report or exclude"]);
}
