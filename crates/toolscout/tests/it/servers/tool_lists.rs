//! 1. What a server lists is all there, however many pages it takes and whichever protocol it speaks.
//! 2. What cannot be used is left out and named; the rest is there.
//! 3. What a person filtered out is neither shown nor called.

use crate::world::World;
use serde_json::{Value, json};

/// D-27: five hundred tools, a schema of a megabyte, scripts in descriptions, names that cannot be.
#[test]
fn a_hostile_list_is_cut_to_what_can_be_used() {
    let object = json!({"type": "object"});
    let tool = |name: &str, description: &str| json!({"name": name, "description": description, "inputSchema": object});
    let mut tools: Vec<Value> =
        (0..500).map(|it| tool(&format!("tool_{it}"), "One of many")).collect();
    tools.push(json!({"name": "huge", "inputSchema": {"type": "object", "description": "x".repeat(1 << 20)}}));
    tools.push(tool("page", "<script>alert(1)</script>\u{1b}[2J"));
    tools.push(tool("name with spaces", "An odd name"));
    tools.push(tool("two\nlines", "Not a name"));
    tools.push(tool("\u{202e}hidden", "Not a name"));
    let world = World::trusted().listing("fs", &json!(tools));
    world.run(&["server", "refresh"]).exits(0).prints(&["fs: 502 tools, 3 definitions left out ("]);

    let outcome = world.run(&["tools"]).exits(0).says(&[
        "tool `huge` is left out: its definition has ",
        "bytes, and 256 KiB are allowed",
        "tool `two\\u{a}lines` is left out: its name holds control characters",
    ]);
    assert!(!outcome.out.contains('\u{1b}') && !outcome.err.contains('\u{202e}'), "{outcome:?}");
    assert_eq!(
        outcome.err.lines().filter(|it| it.starts_with("warning: ")).count(),
        outcome.err.lines().count()
    );
    let names = world.names(&["--quiet"]);
    assert_eq!(
        (names.len(), names.iter().filter(|it| it.starts_with("tool_")).count()),
        (502, 500)
    );
    for name in ["huge", "two\nlines", "\u{202e}hidden", "../../etc/passwd"] {
        world.run(&["--quiet", "run", &format!("fs/{name}")]).exits(5).says(&["Unknown tool"]);
    }
    assert_eq!(world.run(&["--quiet", "run", "fs/tool_499"]).exits(0).out, "called\n");
}

/// F-11: every page, also where the cursor between them is an empty text.
#[test]
fn all_pages_of_a_list_are_there() {
    let world = World::trusted().server("fs", "cursor_empty_ok", &[]);
    world.run(&["server", "refresh"]).exits(0).prints(&["fs: 2 tools"]);
    assert_eq!(world.names(&[]), ["page1", "page2"]);
    assert_eq!(world.asked("fs", "tools/list"), 2);
}

/// F-11: some pages are not the list.
#[test]
fn a_list_that_breaks_off_is_none() {
    let world = World::trusted().server("fs", "page_error", &[]);
    world.run(&["server", "refresh"]).exits(3).prints(&["fs: failed: ", "the database is locked"]);
    assert_eq!(world.names(&["--quiet"]), [""; 0]);
}

/// F-14: each is spoken to in the only way it knows, and that is remembered.
#[test]
fn servers_of_either_era_work_side_by_side() {
    let world = World::trusted().server("old", "honest", &["--era", "legacy"]);
    let world = world.server("new", "honest", &["--era", "modern"]);
    world.run(&["server", "refresh"]).exits(0);
    for (id, protocol) in [("old", "2025-11-25"), ("new", "2026-07-28")] {
        let shown = world.run(&["server", "show", id, "--json"]).exits(0).json();
        assert_eq!(shown["protocol"], protocol);
        assert_eq!(world.out(&["run", &format!("{id}/echo"), "--text", id]), format!("{id}\n"));
    }
    let handshakes = |id: &str| (world.asked(id, "server/discover"), world.asked(id, "initialize"));
    // Who once said that it is old is not asked again whether it is new.
    assert_eq!((handshakes("old"), handshakes("new").1), ((1, 2), 0));
}

/// F-04: filtered out is not there for anybody, and who asks for it by name is told why.
#[test]
fn a_tool_that_is_filtered_out_is_absent_and_says_so_when_called() {
    let filter = "filter = { include = [\"e*\", \"add\"], exclude = [\"add\"] }";
    let world = World::trusted().server("fs", "honest", &[]).more(filter);
    world.run(&["server", "refresh"]).exits(0);
    assert_eq!(
        (world.names(&[]), world.status("fs")["toolCount"].clone()),
        (vec!["echo".to_owned()], json!(1))
    );
    assert!(!world.run(&["search", "adds two numbers"]).out.contains("add"));
    let starts = world.starts("fs");
    for name in ["fs/add", "fs__sleep", "fs:whoami"] {
        world.run(&["run", name]).exits(4).says(&["is disabled on `fs`"]);
    }
    world.run(&["run", "fs/nothing"]).exits(5).says(&["Unknown tool: fs/nothing"]);
    assert_eq!(world.starts("fs"), starts, "nothing of this needs the server");
    assert_eq!(world.out(&["run", "fs/echo", "--text", "shown"]), "shown\n");
}

/// A person reads a line a tool; programs, and who asks for one tool, get all of it.
#[test]
fn long_descriptions_are_cut_to_a_line_for_people_only() {
    let long = format!("Reads a file. It {}reads.", "reads and ".repeat(30));
    let words = "word ".repeat(60);
    let tool = |name: &str, text: &str| json!({"name": name, "description": text, "inputSchema": {"type": "object"}});
    let world =
        World::trusted().listing("fs", &json!([tool("long", &long), tool("words", &words)]));
    world.run(&["server", "refresh"]).exits(0);
    let cut = format!("  long - Reads a file. …\n  words - {}word…\n", "word ".repeat(18));
    assert_eq!(world.out(&["tools"]), cut);
    world.run(&["search", "reads a file"]).exits(0).prints(&["fs/long - Reads a file. …\n"]);
    let narrow = world.var("COLUMNS", "60");
    assert!(narrow.out(&["tools"]).lines().all(|it| it.chars().count() <= 60));
    assert_eq!(narrow.tools(&[])[0]["description"], long);
    assert_eq!(narrow.run(&["search", "--json", "reads a file"]).json()[0]["description"], long);
    assert!(
        narrow.out(&["describe", "fs/long"]).contains(&long),
        "{}",
        narrow.out(&["describe", "fs/long"])
    );
}

/// A server that wants to be asked before each use: its tools are stale at once, as programs are told, and people are not
/// alarmed by it.
#[test]
fn a_list_that_is_good_for_one_use_is_no_alarm() {
    let world = World::trusted().server("fs", "honest", &["--ttl-ms", "0"]);
    world.run(&["server", "refresh"]).exits(0);
    assert_eq!(world.status("fs")["stale"], true);
    let listed = world.run(&["server", "list"]).exits(0).prints(&["6 tools", "refreshed "]);
    assert!(!listed.out.contains("stale"), "{listed:?}");
    world
        .run(&["server", "show", "fs"])
        .exits(0)
        .prints(&["the server wants its tools listed before each use"]);
    assert_eq!(world.out(&["run", "fs/echo", "--text", "a"]), "a\n");
}
