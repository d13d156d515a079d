//! 1. Servers of several files are merged; for each id the nearest file takes precedence.
//! 2. An invalid entry does not affect others. An unreadable file is reported and left unchanged.
//! 3. No server of an untrusted project starts, except one that the user adds there.

use crate::world::World;
use serde_json::{Value, json};
use std::fs;

fn ids(world: &World) -> Vec<String> {
    let all = world.run(&["--quiet", "server", "list", "--json"]).exits(0).json();
    all["servers"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|server| server["id"].as_str().unwrap_or("?").to_owned())
        .collect()
}

/// An entry in the format of other programs.
fn foreign(world: &World, id: &str) -> Value {
    let words = world.hostile(id, "honest", &[]);
    json!({"command": words[0], "args": words[1..]})
}

/// Section 5 of the product: the files are read in place.
#[test]
fn servers_from_files_of_other_programs_are_used() {
    let world = World::trusted().server("own", "honest", &[]);
    let (claude, lace, orion) =
        (foreign(&world, "claude"), foreign(&world, "lace"), foreign(&world, "orion"));
    let world = world
        .file(".mcp.json", &json!({"mcpServers": {"claude": claude}}).to_string())
        .file(".lace/mcp-config.json", &json!({"servers": {"lace": lace}}).to_string())
        .file(".orion/config.yaml", &json!({"mcpServers": {"orion": orion}}).to_string());
    assert_eq!(ids(&world), ["claude", "lace", "orion", "own"]);
    world.run(&["server", "refresh"]).exits(0);
    for id in ["claude", "lace", "orion", "own"] {
        let whoami = world.run(&["run", &format!("{id}/whoami")]).exits(0).json();
        assert_eq!(whoami["name"], id);
    }
}

/// Section 5 of the product: the entry is replaced as a whole.
#[test]
fn a_project_entry_replaces_the_user_entry() {
    let world = World::trusted();
    let (mine, both) =
        (world.hostile("mine", "honest", &[]), world.hostile("both", "honest", &["--tools", "5"]));
    let entry = |id: &str, value: &[String]| {
        format!("[servers.{id}]\ncommand = {}\nargs = {}\n", json!(value[0]), json!(value[1..]))
    };
    let own = entry("mine", &mine) + &entry("both", &both) + "enabled = false\n";
    let world =
        world.server("both", "honest", &["--tools", "1"]).file("../config/config.toml", &own);
    world.run(&["server", "refresh"]).exits(0).stdout_contains(&["both: 7 tools", "mine: 6 tools"]);
    let shown = world.run(&["server", "show", "both", "--json"]).exits(0).json();
    assert!(
        shown["server"]["file"]
            .as_str()
            .is_some_and(|file| file.ends_with("project/toolscout.toml")),
        "{shown}"
    );
}

/// D-22: the invalid entry is reported, and the file is left unchanged.
#[test]
fn an_invalid_entry_does_not_affect_valid_ones() {
    let world = World::trusted()
        .server("good", "honest", &[])
        .append_config("[servers.bad]\nargs = [\"x\"]\n");
    let before = fs::read_to_string(world.path("toolscout.toml")).expect("the file");
    world.run(&["server", "refresh"]).exits(0).stdout_contains(&["good: 6 tools"]).stderr_contains(
        &[
            "warning: ",
            "toolscout.toml: ",
            "server `bad`: it has neither `command` nor `url`; it is skipped",
        ],
    );
    assert_eq!(ids(&world), ["good"]);
    assert_eq!(world.run(&["run", "good/echo", "--text", "a"]).exits(0).out, "a\n");
    assert_eq!(fs::read_to_string(world.path("toolscout.toml")).expect("the file"), before);
}

/// D-23: the error contains the position, and the file is left unchanged.
#[test]
fn an_unreadable_configuration_is_reported_and_left_unchanged() {
    for (file, text) in [
        ("toolscout.json", "{\"servers\": {\"fs\": {\"command\": \"x\"}\n"),
        (".mcp.json", "{\"mcpServers\": {,}}"),
        (".lace/mcp-config.json", "[1, 2"),
        (".orion/config.yaml", "mcpServers:\n  a: [1\n"),
        ("toolscout.toml", "[servers.fs\ncommand = 1"),
    ] {
        let world = World::trusted().file(file, text);
        for args in
            [&["server", "list"][..], &["server", "refresh"], &["server", "add", "new", "--", "sh"]]
        {
            world.run(args).exits(2).stderr_contains(&["error: ", file, "line "]);
        }
        assert_eq!(fs::read_to_string(world.path(file)).expect("the file"), text);
        assert_eq!(world.path("toolscout.toml").exists(), file == "toolscout.toml", "{file}");
    }
}

/// Section 9 of the product: the entries of a project are read, but no server starts before the
/// user trusts the project.
#[test]
fn servers_of_an_untrusted_project_are_not_started() {
    let world = World::project().server("fs", "honest", &[]);
    for args in [&["server", "refresh"][..], &["server", "refresh", "fs"]] {
        let outcome = world.run(args);
        assert!([3, 4].contains(&outcome.code), "{outcome:?}");
        assert!(
            outcome.out.contains("not trusted yet") && outcome.out.contains("toolscout trust"),
            "{outcome:?}"
        );
    }
    world.run(&["server", "test", "fs"]).exits(4).stderr_contains(&["toolscout trust"]);
    world
        .run(&["run", "fs/echo", "--text", "a"])
        .exits(4)
        .stderr_contains(&["not trusted yet", "toolscout trust"]);
    assert_eq!(ids(&world), ["fs"]);
    assert_eq!(world.starts("fs"), 0);

    world.run(&["trust"]).exits(0);
    world.run(&["server", "refresh"]).exits(0).stdout_contains(&["fs: 6 tools"]);
    world.run(&["trust", "--remove"]).exits(0);
    world.run(&["run", "fs/echo", "--text", "a"]).exits(4);
    assert_eq!(world.starts("fs"), 1, "a server that is not trusted is not started");
}

/// Section 9 of the product: adding a server counts as a review of its entry; other entries stay
/// untrusted.
#[test]
fn a_server_added_by_the_user_starts_in_an_untrusted_project() {
    let world = World::project().server("came-along", "honest", &[]);
    let command = world.hostile("mine", "honest", &[]);
    let words = ["server", "add", "mine", "--wait", "--"]
        .into_iter()
        .chain(command.iter().map(String::as_str));
    world.run(&words.collect::<Vec<_>>()).exits(0).stderr_contains(&["mine: 6 tools"]);
    assert_eq!(world.run(&["run", "mine/echo", "--text", "a"]).exits(0).out, "a\n");
    world.run(&["run", "came-along/echo", "--text", "a"]).exits(4);
    assert_eq!(world.starts("came-along"), 0);
    // The entry was changed later, so it is no longer the one that the user added.
    let text = fs::read_to_string(world.path("toolscout.toml")).expect("the file");
    let world = world
        .file("toolscout.toml", &text.replace("\"--name\", \"mine\"", "\"--name\", \"theirs\""));
    world.run(&["run", "mine/echo", "--text", "a"]).exits(4);
    assert_eq!(world.starts("theirs"), 0);
}

/// One changed field approves no other field of the entry, and testing it starts nothing.
#[test]
fn a_change_of_an_untrusted_entry_does_not_let_its_command_start() {
    let world = World::project().server("fs", "honest", &[]);
    for flags in [["--sandbox", "strict"], ["--cwd", "."], ["--env", "A=b"]] {
        let with = |verb| ["server", verb, "fs"].into_iter().chain(flags).collect::<Vec<_>>();
        world.run(&with("test")).exits(4).stderr_contains(&["toolscout trust"]);
        world.run(&with("update")).exits(0);
        world.run(&["run", "fs/echo", "--text", "a"]).exits(4);
    }
    assert_eq!(world.starts("fs"), 0);
}

#[test]
fn an_update_changes_the_transport() {
    let world = World::trusted().file("toolscout.toml", "[servers.w]\nurl = \"http://[::1]:9/\"\n");
    world.run(&["server", "update", "w", "--sse"]).exits(0);
    let text = fs::read_to_string(world.path("toolscout.toml")).expect("the file");
    assert!(text.contains("type = \"sse\""), "{text}");
}
