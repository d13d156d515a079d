//! 1. The tool list of a server is complete, regardless of its number of pages and its protocol.
//! 2. Unusable tools are left out and reported; the others are listed.
//! 3. Tools that the user filtered out are neither listed nor callable.

use crate::serve::Agent;
use crate::world::World;
use serde_json::{Value, json};

/// D-27: five hundred tools, a schema of a megabyte, scripts in descriptions, and invalid names.
#[test]
fn a_hostile_tool_list_is_reduced_to_usable_tools() {
    let object = json!({"type": "object"});
    let tool = |name: &str, description: &str| json!({"name": name, "description": description, "inputSchema": object});
    let mut tools: Vec<Value> =
        (0..500).map(|index| tool(&format!("tool_{index}"), "One of many")).collect();
    tools.push(json!({"name": "huge", "inputSchema": {"type": "object", "description": "x".repeat(1 << 20)}}));
    tools.push(tool("page", "<script>alert(1)</script>\u{1b}[2J"));
    tools.push(tool("name with spaces", "An odd name"));
    tools.push(tool("two\nlines", "Not a name"));
    tools.push(tool("\u{202e}hidden", "Not a name"));
    let world = World::trusted().listing("fs", &json!(tools));
    world
        .run(&["server", "refresh"])
        .exits(0)
        .stdout_contains(&["fs: 502 tools, 3 definitions skipped ("]);

    let outcome = world.run(&["tools"]).exits(0).stderr_contains(&[
        "tool `huge` is skipped: its definition is ",
        "bytes long; the limit is 256 KiB",
        "tool `two\\u{a}lines` is skipped: its name contains control",
    ]);
    assert!(!outcome.out.contains('\u{1b}') && !outcome.err.contains('\u{202e}'), "{outcome:?}");
    assert_eq!(
        outcome.err.lines().filter(|line| line.starts_with("warning: ")).count(),
        outcome.err.lines().count()
    );
    let names = world.names(&["--quiet"]);
    assert_eq!(
        (names.len(), names.iter().filter(|name| name.starts_with("tool_")).count()),
        (502, 500)
    );
    for name in ["huge", "two\nlines", "\u{202e}hidden", "../../etc/passwd"] {
        world
            .run(&["--quiet", "run", &format!("fs/{name}")])
            .exits(5)
            .stderr_contains(&["Unknown tool"]);
    }
    assert_eq!(world.run(&["--quiet", "run", "fs/tool_499"]).exits(0).out, "called\n");
}

/// F-11: the cursor may be an empty string.
#[test]
fn all_pages_of_a_tool_list_are_read() {
    let world = World::trusted().server("fs", "cursor_empty_ok", &[]);
    world.run(&["server", "refresh"]).exits(0).stdout_contains(&["fs: 2 tools"]);
    assert_eq!(world.names(&[]), ["page1", "page2"]);
    assert_eq!(world.request_count("fs", "tools/list"), 2);
}

/// F-11
#[test]
fn an_incomplete_tool_list_is_discarded() {
    let world = World::trusted().server("fs", "page_error", &[]);
    world
        .run(&["server", "refresh"])
        .exits(3)
        .stdout_contains(&["fs: failed: ", "the database is locked"]);
    assert_eq!(world.names(&["--quiet"]), [""; 0]);
}

/// F-14: each server is used in the only era that it supports, and the era is cached.
#[test]
fn servers_of_both_protocol_eras_work_together() {
    let world = World::trusted().server("old", "honest", &["--era", "legacy"]);
    let world = world.server("new", "honest", &["--era", "modern"]);
    world.run(&["server", "refresh"]).exits(0);
    for (id, protocol) in [("old", "2025-11-25"), ("new", "2026-07-28")] {
        let shown = world.run(&["server", "show", id, "--json"]).exits(0).json();
        assert_eq!(shown["protocol"], protocol);
        assert_eq!(world.stdout(&["run", &format!("{id}/echo"), "--text", id]), format!("{id}\n"));
    }
    let handshakes = |id: &str| {
        (world.request_count(id, "server/discover"), world.request_count(id, "initialize"))
    };
    // A server that is known as legacy is not probed for the modern era again.
    assert_eq!((handshakes("old"), handshakes("new").1), ((1, 2), 0));
}

/// F-04, M-12a: the tool is hidden from all commands, and a call explains the filter.
#[test]
fn calling_a_filtered_tool_explains_the_filter() {
    let filter = "filter = { include = [\"e*\", \"add\"], exclude = [\"add\"] }";
    let world = World::trusted().server("fs", "honest", &[]).append_config(filter);
    world.run(&["server", "refresh"]).exits(0);
    assert_eq!(
        (world.names(&[]), world.status("fs")["toolCount"].clone()),
        (vec!["echo".to_owned()], json!(1))
    );
    assert!(!world.run(&["search", "adds two numbers"]).out.contains("add"));
    let starts = world.starts("fs");
    for (name, tool) in [("fs/add", "add"), ("fs__sleep", "sleep"), ("fs:whoami", "whoami")] {
        let message = format!("tool \"fs__{tool}\" is disabled on server \"fs\"");
        world.run(&["run", name]).exits(4).stderr_contains(&[&message]);
    }
    let mut agent = Agent::legacy(&world, &[]);
    let message = "tool \"fs__add\" is disabled on server \"fs\"";
    let direct = agent.request_error("tools/call", json!({"name": "fs__add", "arguments": {}}));
    assert_eq!((&direct["code"], &direct["message"]), (&json!(-32602), &json!(message)));
    let executed = agent.text("execute_tool", json!({"name": "fs/add", "arguments": {}}));
    assert!(executed.contains(message), "{executed}");
    drop(agent);
    world.run(&["run", "fs/nothing"]).exits(5).stderr_contains(&["Unknown tool: fs/nothing"]);
    assert_eq!(world.starts("fs"), starts, "none of this starts the server");
    assert_eq!(world.stdout(&["run", "fs/echo", "--text", "shown"]), "shown\n");
}

/// Text output has one line per tool. JSON output and `describe` contain the full description.
#[test]
fn long_descriptions_are_truncated_in_text_output_only() {
    let long = format!("Reads a file. It {}reads.", "reads and ".repeat(30));
    let words = "word ".repeat(60);
    let tool = |name: &str, text: &str| json!({"name": name, "description": text, "inputSchema": {"type": "object"}});
    let world =
        World::trusted().listing("fs", &json!([tool("long", &long), tool("words", &words)]));
    world.run(&["server", "refresh"]).exits(0);
    let cut = format!("  long - Reads a file. …\n  words - {}word…\n", "word ".repeat(18));
    assert_eq!(world.stdout(&["tools"]), cut);
    world
        .run(&["search", "reads a file"])
        .exits(0)
        .stdout_contains(&["fs/long - Reads a file. …\n"]);
    let narrow = world.var("COLUMNS", "60");
    assert!(narrow.stdout(&["tools"]).lines().all(|line| line.chars().count() <= 60));
    assert_eq!(narrow.tools(&[])[0]["description"], long);
    assert_eq!(narrow.run(&["search", "--json", "reads a file"]).json()[0]["description"], long);
    assert!(
        narrow.stdout(&["describe", "fs/long"]).contains(&long),
        "{}",
        narrow.stdout(&["describe", "fs/long"])
    );
}

/// A server that forbids caching: JSON output marks its tools as stale at once, but text output has
/// no warning.
#[test]
fn an_uncacheable_tool_list_causes_no_warning() {
    let world = World::trusted().server("fs", "honest", &["--ttl-ms", "0"]);
    world.run(&["server", "refresh"]).exits(0);
    assert_eq!(world.status("fs")["stale"], true);
    let listed =
        world.run(&["server", "list"]).exits(0).stdout_contains(&["6 tools", "refreshed "]);
    assert!(!listed.out.contains("stale"), "{listed:?}");
    world
        .run(&["server", "show", "fs"])
        .exits(0)
        .stdout_contains(&["the server does not allow caching of its tools"]);
    assert_eq!(world.stdout(&["run", "fs/echo", "--text", "a"]), "a\n");
}

/// M-13b, M-13c: on request; otherwise a list has the full schemas.
#[test]
fn safe_schemas_are_reduced_copies_for_catalogs() {
    let markup = "<b>Sends</b><script>x()</script>";
    let hostile = json!({"name": "send", "description": markup, "inputSchema": {
        "type": "object", "$defs": {"a": {}}, "allOf": [{"$ref": "#/$defs/a"}],
        "properties": {"to": {"type": "string", "description": markup, "pattern": "(a+)+"}},
    }});
    let properties: serde_json::Map<_, _> =
        (0..2_000).map(|index| (format!("p{index}"), json!({"type": "string"}))).collect();
    let wide = json!({"name": "wide", "inputSchema": {"type": "object", "properties": properties}});
    let more = (0..60)
        .map(|index| json!({"name": format!("t{index:02}"), "inputSchema": {"type": "object"}}));
    let tools: Vec<_> = [hostile, wide].into_iter().chain(more).collect();
    let world = World::trusted().listing("mail", &json!(tools));
    world.run(&["server", "refresh"]).exits(0);
    let outcome = world.run(&["tools", "--json", "--safe-schemas"]).exits(0);
    let safe = outcome.json();
    let safe = safe.as_array().expect("a list");
    assert_eq!(safe.len(), 50);
    outcome.stderr_contains(&["left out 12 more tools of `mail`"]);
    assert_eq!(safe[0]["description"], "Sends");
    let expected =
        json!({"type": "object", "properties": {"to": {"type": "string", "description": "Sends"}}});
    assert_eq!(safe[0]["inputSchema"], expected);
    let text = safe.iter().map(|tool| tool["inputSchema"].to_string());
    assert!(text.map(|schema| schema.len()).all(|bytes| bytes <= 8 << 10));
    let full = world.tools(&[]);
    assert_eq!((full.len(), full[0]["inputSchema"]["allOf"].is_array()), (62, true));
}
