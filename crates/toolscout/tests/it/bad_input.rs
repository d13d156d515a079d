//! 1. Nothing in a folder can make the program run what lies outside it, or what somebody else may have written.
//! 2. A broken, huge or strange file costs a warning, and no other tool.
//! 3. What is typed reaches a tool byte for byte, and never a shell.
//! 4. A tool that misbehaves is ended, with all it started.
//! 5. Without its state, or with a broken configuration, the program says so and does what it can.

mod arguments;
mod configuration;
mod documents;
mod escapes;
mod programs;
mod state;

use crate::world::{Outcome, World};

/// A project with a tool that nothing may hide.
fn project() -> World {
    World::project().echo("tools/good.tool.toml", "good", "description = \"Always there\"")
}

/// Lists the tools; the good one must be there, and nothing else but these.
fn lists_only_good_and(world: &World, others: &[&str]) -> Outcome {
    let listed = world.run(&["tools", "--json"]).exits(0);
    let tools = listed.json();
    let mut names: Vec<&str> =
        tools.as_array().expect("a list").iter().filter_map(|it| it["name"].as_str()).collect();
    names.retain(|it| *it != "good");
    assert_eq!(names, others, "{}", listed.err);
    assert_eq!(world.run(&["good"]).exits(0).out, "{}\n");
    listed
}

/// Whether something left the mark that only a run could leave.
fn has_mark(world: &World) -> bool {
    world.outside().join("mark").exists()
}

/// A script that leaves the mark.
fn marking(world: &World) -> String {
    format!("#!/bin/sh\ntouch '{}'\n", world.outside().join("mark").display())
}
