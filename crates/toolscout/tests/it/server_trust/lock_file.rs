//! 1. A lock says which definitions a project was made with; what differs is named, a line each.
//! 2. The same definitions give the same file, here and elsewhere.

use crate::world::World;
use serde_json::json;
use std::fs;

const TOOLS: &[(&str, &str)] = &[("echo", "Gives back a text"), ("add", "Adds two numbers")];

fn locked() -> World {
    let world = World::trusted().stall(TOOLS);
    world.run(&["lock"]).exits(0).says(&["Wrote 2 tools to ", "toolscout.lock"]);
    world
}

fn text(world: &World) -> String {
    fs::read_to_string(world.path("toolscout.lock")).expect("the lock")
}

#[test]
fn what_is_as_locked_is_verified() {
    let world = locked();
    let verified = world.run(&["verify"]).exits(0).says(&["2 tools as locked"]);
    assert_eq!(verified.out, "");
    assert_eq!(world.run(&["verify", "--json"]).exits(0).json(), json!([]));
}

#[test]
fn what_differs_from_the_lock_is_named() {
    let world = locked();
    world.has(&[("echo", "Gives back another text"), ("new", "Was not there")]);
    let differs = world.run(&["verify"]).exits(1).says(&["hint: review them", "toolscout lock"]);
    assert_eq!(differs.out, "removed: s/add\nchanged: s/echo\nadded: s/new\n");
    let config = fs::read_to_string(world.path("toolscout.toml")).expect("the configuration");
    fs::write(world.path("toolscout.toml"), config.replace("\"stall.sh\"", "\"./stall.sh\""))
        .expect("change it");
    world.offers(TOOLS);
    world.run(&["server", "refresh"]).exits(0);
    assert_eq!(world.run(&["verify"]).exits(1).out, "reconfigured: s\n");
    let listed = world.run(&["verify", "--json"]).exits(1).json();
    assert_eq!(listed, json!([{"change": "reconfigured", "name": "s"}]));
    world.run(&["lock"]).exits(0);
    world.run(&["verify"]).exits(0);
}

/// In any order, at any time, in any folder, on any machine.
#[test]
fn the_same_definitions_give_the_same_lock() {
    let world = locked();
    let first = text(&world);
    let reversed: Vec<_> = TOOLS.iter().rev().copied().collect();
    world.has(&reversed);
    world.run(&["lock"]).exits(0);
    assert_eq!(text(&world), first);
    let elsewhere = locked();
    assert_eq!(text(&elsewhere), first);
    assert_eq!(elsewhere.run(&["lock", "--print"]).exits(0).out, first);
    let names: Vec<_> = first.lines().filter(|it| it.starts_with("\"s/")).collect();
    assert!(names.len() == 2 && names.is_sorted(), "{first}");
}

/// A folder that a server starts in is meant relative to the project.
#[test]
fn a_lock_is_good_where_the_project_lies_somewhere_else() {
    let made = || {
        let world =
            World::trusted().file("data/stall.sh", "").stall_named("s", "cwd = \".\"", TOOLS);
        world.run(&["lock"]).exits(0);
        text(&world)
    };
    assert_eq!(made(), made());
}

/// On a fresh machine nobody has asked the servers yet.
#[test]
fn a_server_that_was_never_asked_is_named() {
    let world = locked();
    fs::remove_file(world.outside().join("state/state.db")).expect("forget everything");
    let differs = world
        .run(&["verify"])
        .exits(1)
        .says(&["nothing is known of `s`", "toolscout server refresh"]);
    assert_eq!(differs.out, "removed: s/add\nremoved: s/echo\n");
    world.run(&["server", "refresh"]).exits(0);
    world.run(&["verify"]).exits(0);
}

#[test]
fn a_lock_that_cannot_be_read_is_an_error_that_says_what_to_do() {
    let world = locked();
    fs::remove_file(world.path("toolscout.lock")).expect("remove it");
    world.run(&["verify"]).exits(5).says(&[
        "could not read",
        "toolscout.lock",
        "`toolscout lock` writes it",
    ]);
    let broken = [
        ("<<<<<<< HEAD\n", "this is not a lock file"),
        ("version = 9\n", "has version 9"),
        (
            "version = 1\n[tools]\n\"s/echo\" = \"short\"\n",
            "`s/echo` in the lock file names no tool",
        ),
        ("version = 1\n[tools]\n\"\\u001b[8m\" = \"short\"\n", "`\\u{1b}[8m` in the lock file"),
    ];
    for (text, reason) in broken {
        fs::write(world.path("toolscout.lock"), text).expect("break it");
        world
            .run(&["verify"])
            .exits(2)
            .says(&[reason, "hint: revert the change, or update the lock file: toolscout lock"]);
    }
}
