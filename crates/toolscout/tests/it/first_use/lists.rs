//! Lists of tools and servers: which source a tool is from, and the columns at a terminal.

use super::terminal::{COLUMNS, at_terminal, screen};
use crate::world::{World, is_installed};
use serde_json::json;

/// Two servers with a tool of the same name, and a long description.
fn two_servers() -> World {
    let long = "Reads a file from the disk, and returns its content as text ".repeat(4);
    let read = json!({"name": "read_file", "description": long, "inputSchema": {"type": "object"}});
    let world = World::trusted()
        .listing("near", &json!([read, {"name": "only", "inputSchema": {"type": "object"}}]))
        .listing("far", &json!([read]));
    world.run(&["server", "refresh"]).exits(0);
    world
}

/// U-15: tools with the same name are shown with their source, also in a pipe.
#[test]
fn tools_with_the_same_name_do_not_look_alike() {
    let world = two_servers();
    let list = world.stdout(&["tools"]);
    let names: Vec<_> = list.lines().filter_map(|line| line.trim().split(' ').next()).collect();
    assert_eq!(names, ["far/read_file", "near/read_file", "only"]);
}

/// In a pipe, an empty list is empty.
#[test]
fn an_empty_list_of_tools_says_why_at_a_terminal() {
    if !is_installed("script") {
        return;
    }
    for (world, reason) in [
        (World::project(), "this project has no tools yet"),
        (World::bare().echo("tools/a.tool.toml", "a", ""), "this folder is not a project"),
    ] {
        let shown = screen(&at_terminal(&world, "toolscout tools").exits(0).out);
        assert!(shown.contains(reason) && shown.contains("  hint: "), "{shown}");
    }
}

/// U-16: at a terminal lists have aligned columns, and no line is wider than it.
#[test]
fn lists_have_aligned_columns_at_a_terminal() {
    if !is_installed("script") {
        return;
    }
    let world = two_servers();
    let plain = |line: &str| screen(&at_terminal(&world, line).exits(0).out);
    let list = plain("toolscout tools --color never");
    assert!(list.contains("  near/read_file  Reads a file") && list.contains('…'), "{list}");
    assert!(list.contains("  far/read_file   Reads a file"), "{list}");
    assert!(list.contains("  near/only       (no description)"), "{list}");
    assert!(list.lines().all(|line| line.chars().count() <= COLUMNS), "{list}");
    let servers = plain("toolscout server list --color never");
    assert!(servers.contains("  near  ready  2 tools  stdio, refreshed "), "{servers}");
    assert!(servers.contains("  far   ready  1 tool   stdio, refreshed "), "{servers}");
    let found = plain("toolscout search --lexical read file --color never");
    assert!(found.contains("near/read_file  Reads") && found.contains("because: "), "{found}");
    let colored = at_terminal(&world, "toolscout server list").exits(0).out;
    assert!(colored.contains("\u{1b}[1mnear\u{1b}[0m  \u{1b}[32mready"), "{colored}");
}

/// The arguments have a line of their own, and are never cut.
#[test]
fn pending_approvals_are_a_table_at_a_terminal() {
    if !is_installed("script") {
        return;
    }
    let world = World::trusted().server("s", "honest", &[]);
    world.run(&["server", "refresh"]).exits(0);
    world.run(&["policy", "set", "s/*", "ask"]).exits(0);
    let long = "word ".repeat(40);
    let first = world.pending_approval(&["run", "s/echo", "--text", &long]);
    let second = world.pending_approval(&["run", "s/add", "--a", "1", "--b", "2"]);
    let list = screen(&at_terminal(&world, "toolscout approval list --color never").exits(0).out);
    let row = |id: &str, tool: &str| format!("  {id}  {tool}  pending  cli  ");
    assert!(list.contains(&row(&first, "s/echo")), "{list}");
    assert!(list.contains(&row(&second, "s/add ")), "{list}");
    assert!(list.contains("s ago, expires in "), "{list}");
    let unwrapped = list.replace('\n', "");
    assert_eq!(unwrapped.matches("word").count(), 40, "{list}");
}
