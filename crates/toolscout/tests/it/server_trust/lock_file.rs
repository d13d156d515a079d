//! 1. A lock file records the definitions that a project uses. `verify` prints each difference on
//!    one line.
//! 2. The same definitions give the same file on every machine.

use crate::world::World;
use serde_json::json;
use std::fs;

const TOOLS: &[(&str, &str)] = &[("echo", "Gives back a text"), ("add", "Adds two numbers")];

fn locked() -> World {
    let world = World::trusted().list_server(TOOLS);
    world.run(&["lock"]).exits(0).stderr_contains(&["Wrote 2 tools to ", "toolscout.lock"]);
    world
}

fn text(world: &World) -> String {
    fs::read_to_string(world.path("toolscout.lock")).expect("the lock")
}

#[test]
fn verify_succeeds_if_nothing_has_changed() {
    let world = locked();
    let verified = world
        .run(&["verify"])
        .exits(0)
        .stderr_contains(&["2 tools, no difference from the lock file"]);
    assert_eq!(verified.out, "");
    assert_eq!(world.run(&["verify", "--json"]).exits(0).json(), json!([]));
}

#[test]
fn verify_reports_every_difference() {
    let world = locked();
    world.refresh_with(&[("echo", "Gives back another text"), ("new", "Was not there")]);
    let differs =
        world.run(&["verify"]).exits(1).stderr_contains(&["hint: review them", "toolscout lock"]);
    assert_eq!(differs.out, "removed: s/add\nchanged: s/echo\nadded: s/new\n");
    let config = fs::read_to_string(world.path("toolscout.toml")).expect("the configuration");
    fs::write(world.path("toolscout.toml"), config.replace("\"stall.sh\"", "\"./stall.sh\""))
        .expect("change it");
    world.set_tools(TOOLS);
    world.run(&["server", "refresh"]).exits(0);
    assert_eq!(world.run(&["verify"]).exits(1).out, "reconfigured: s\n");
    let listed = world.run(&["verify", "--json"]).exits(1).json();
    assert_eq!(listed, json!([{"change": "reconfigured", "name": "s"}]));
    world.run(&["lock"]).exits(0);
    world.run(&["verify"]).exits(0);
}

/// The file does not depend on the order, time, folder or machine.
#[test]
fn lock_files_are_deterministic() {
    let world = locked();
    let first = text(&world);
    let reversed: Vec<_> = TOOLS.iter().rev().copied().collect();
    world.refresh_with(&reversed);
    world.run(&["lock"]).exits(0);
    assert_eq!(text(&world), first);
    let elsewhere = locked();
    assert_eq!(text(&elsewhere), first);
    assert_eq!(elsewhere.run(&["lock", "--print"]).exits(0).out, first);
    let names: Vec<_> = first.lines().filter(|line| line.starts_with("\"s/")).collect();
    assert!(names.len() == 2 && names.is_sorted(), "{first}");
}

/// The working folder of a server is stored relative to the project.
#[test]
fn a_lock_file_stays_valid_if_the_project_moves() {
    let made = || {
        let world =
            World::trusted().file("data/stall.sh", "").list_server_named("s", "cwd = \".\"", TOOLS);
        world.run(&["lock"]).exits(0);
        text(&world)
    };
    assert_eq!(made(), made());
}

/// On a new machine the servers are not discovered yet.
#[test]
fn verify_names_an_undiscovered_server() {
    let world = locked();
    fs::remove_file(world.temp_dir().join("state/state.db")).expect("forget everything");
    let differs = world
        .run(&["verify"])
        .exits(1)
        .stderr_contains(&["the tools of `s` are not loaded", "toolscout server refresh"]);
    assert_eq!(differs.out, "removed: s/add\nremoved: s/echo\n");
    world.run(&["server", "refresh"]).exits(0);
    world.run(&["verify"]).exits(0);
}

#[test]
fn an_unreadable_lock_file_is_an_error_with_a_hint() {
    let world = locked();
    fs::remove_file(world.path("toolscout.lock")).expect("remove it");
    world.run(&["verify"]).exits(5).stderr_contains(&[
        "could not read",
        "toolscout.lock",
        "run `toolscout lock` to create it",
    ]);
    let broken = [
        ("<<<<<<< HEAD\n", "this is not a lock file"),
        ("version = 9\n", "has version 9"),
        (
            "version = 1\n[tools]\n\"s/echo\" = \"short\"\n",
            "`s/echo` in the lock file is not a valid tool, source or digest",
        ),
        ("version = 1\n[tools]\n\"\\u001b[8m\" = \"short\"\n", "`\\u{1b}[8m` in the lock file"),
    ];
    for (text, reason) in broken {
        fs::write(world.path("toolscout.lock"), text).expect("write an invalid file");
        world.run(&["verify"]).exits(2).stderr_contains(&[
            reason,
            "hint: revert the change, or run `toolscout lock` to update the lock file",
        ]);
    }
}
