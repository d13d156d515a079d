//! 1. Servers of several files stand side by side; the nearest file that has an id decides.
//! 2. One bad entry costs no other; a file that cannot be read is named, and left alone.
//! 3. Nothing of a project that nobody trusts is started, but for what a person adds there.

use crate::world::World;
use serde_json::{Value, json};
use std::fs;

fn ids(world: &World) -> Vec<String> {
    let all = world.run(&["--quiet", "server", "list", "--json"]).exits(0).json();
    all["servers"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|it| it["id"].as_str().unwrap_or("?").to_owned())
        .collect()
}

/// An entry as other programs write it.
fn foreign(world: &World, id: &str) -> Value {
    let words = world.hostile(id, "honest", &[]);
    json!({"command": words[0], "args": words[1..]})
}

/// Section 5 of the product: read in place, and used.
#[test]
fn servers_that_other_programs_have_configured_in_the_project_are_there() {
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

/// Section 5 of the product: the project's entry replaces the person's as a whole.
#[test]
fn the_projects_entry_replaces_the_persons_own() {
    let world = World::trusted();
    let (mine, both) =
        (world.hostile("mine", "honest", &[]), world.hostile("both", "honest", &["--tools", "5"]));
    let entry = |id: &str, it: &[String]| {
        format!("[servers.{id}]\ncommand = {}\nargs = {}\n", json!(it[0]), json!(it[1..]))
    };
    let own = entry("mine", &mine) + &entry("both", &both) + "enabled = false\n";
    let world =
        world.server("both", "honest", &["--tools", "1"]).file("../config/config.toml", &own);
    world.run(&["server", "refresh"]).exits(0).prints(&["both: 7 tools", "mine: 6 tools"]);
    let shown = world.run(&["server", "show", "both", "--json"]).exits(0).json();
    assert!(
        shown["server"]["file"].as_str().is_some_and(|it| it.ends_with("project/toolscout.toml")),
        "{shown}"
    );
}

/// D-22: the good one works, the bad one is named, and nobody touches the file.
#[test]
fn one_invalid_entry_costs_the_valid_one_nothing() {
    let world =
        World::trusted().server("good", "honest", &[]).more("[servers.bad]\nargs = [\"x\"]\n");
    let before = fs::read_to_string(world.path("toolscout.toml")).expect("the file");
    world.run(&["server", "refresh"]).exits(0).prints(&["good: 6 tools"]).says(&[
        "warning: ",
        "toolscout.toml: ",
        "server `bad`: it has neither `command` nor `url`; it is left out",
    ]);
    assert_eq!(ids(&world), ["good"]);
    assert_eq!(world.run(&["run", "good/echo", "--text", "a"]).exits(0).out, "a\n");
    assert_eq!(fs::read_to_string(world.path("toolscout.toml")).expect("the file"), before);
}

/// D-23: broken, so nothing is guessed: it is named with the place, and not written to.
#[test]
fn a_file_that_cannot_be_read_is_named_and_left_alone() {
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
            world.run(args).exits(2).says(&["error: ", file, "line "]);
        }
        assert_eq!(fs::read_to_string(world.path(file)).expect("the file"), text);
        assert_eq!(world.path("toolscout.toml").exists(), file == "toolscout.toml", "{file}");
    }
}

/// Section 9 of the product: an entry that came with a project is read, and not started before somebody trusts it.
#[test]
fn servers_of_a_project_nobody_trusts_are_not_started() {
    let world = World::project().server("fs", "honest", &[]);
    for args in [&["server", "refresh"][..], &["server", "refresh", "fs"]] {
        let outcome = world.run(args);
        assert!([3, 4].contains(&outcome.code), "{outcome:?}");
        assert!(
            outcome.out.contains("not trusted yet") && outcome.out.contains("toolscout trust"),
            "{outcome:?}"
        );
    }
    world.run(&["server", "test", "fs"]).exits(4).says(&["toolscout trust"]);
    world
        .run(&["run", "fs/echo", "--text", "a"])
        .exits(4)
        .says(&["not trusted yet", "toolscout trust"]);
    assert_eq!(ids(&world), ["fs"]);
    assert_eq!(world.starts("fs"), 0);

    world.run(&["trust"]).exits(0);
    world.run(&["server", "refresh"]).exits(0).prints(&["fs: 6 tools"]);
    world.run(&["trust", "--remove"]).exits(0);
    world.run(&["run", "fs/echo", "--text", "a"]).exits(4);
    assert_eq!(world.starts("fs"), 1, "what is known may be read, and not be started");
}

/// Section 9 of the product: what a person adds with their own hands they have looked at; the rest stays as it was.
#[test]
fn a_person_may_add_a_server_to_a_project_nobody_trusts() {
    let world = World::project().server("came-along", "honest", &[]);
    let command = world.hostile("mine", "honest", &[]);
    let words = ["server", "add", "mine", "--wait", "--"]
        .into_iter()
        .chain(command.iter().map(String::as_str));
    world.run(&words.collect::<Vec<_>>()).exits(0).says(&["mine: 6 tools"]);
    assert_eq!(world.run(&["run", "mine/echo", "--text", "a"]).exits(0).out, "a\n");
    world.run(&["run", "came-along/echo", "--text", "a"]).exits(4);
    assert_eq!(world.starts("came-along"), 0);
    // Changed by somebody else since: no longer what the person has added.
    let text = fs::read_to_string(world.path("toolscout.toml")).expect("the file");
    let world = world
        .file("toolscout.toml", &text.replace("\"--name\", \"mine\"", "\"--name\", \"theirs\""));
    world.run(&["run", "mine/echo", "--text", "a"]).exits(4);
    assert_eq!(world.starts("theirs"), 0);
}
