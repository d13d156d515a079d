//! 1. A server's tool with the name of a local tool keeps its qualified name, and the conflict is
//!    reported.
//! 2. With `exclude` the tool is neither listed nor found nor callable, and a call explains why.

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
    world.tools(&[]).iter().map(|tool| tool["id"].as_str().expect("an id").to_owned()).collect()
}

/// E-23
#[test]
fn a_shadowed_tool_is_reported_and_callable_by_its_qualified_name() {
    let world = two_of_a_name("");
    assert_eq!(ids(&world), ["local/search", "mail/search", "mail/other"]);
    world
        .run(&["--verbose", "tools"])
        .exits(0)
        .stderr_contains(&["`mail/search` is shadowed by `local/search`"]);
    assert_eq!(world.run(&["run", "mail/search"]).exits(0).out, "called\n");
}

/// E-23
#[test]
fn with_exclude_a_shadowed_tool_is_neither_listed_found_nor_callable() {
    let world = two_of_a_name("shadow = \"exclude\"");
    assert_eq!(ids(&world), ["local/search", "mail/other"]);
    world
        .run(&["--verbose", "tools"])
        .exits(0)
        .stderr_contains(&["excluded by `shadow = \"exclude\"`"]);
    let found = world.run(&["search", "search", "--json"]).exits(0);
    assert!(!found.out.contains("mail/search"), "{found:?}");
    let called = world.run(&["run", "mail/search"]).exits(4);
    assert!(called.err.contains("`local/search` has the same name"), "{called:?}");
}

#[test]
fn an_unknown_shadow_policy_is_an_error_that_lists_the_values() {
    World::project()
        .file("toolscout.toml", "shadow = \"hide\"")
        .run(&["tools"])
        .exits(2)
        .stderr_contains(&["use report or exclude"]);
}
