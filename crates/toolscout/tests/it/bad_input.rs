//! 1. Files in a project cannot make the program run files outside of the project or files that
//!    other users can write.
//! 2. A broken, huge or unusual file causes a warning and does not affect other tools.
//! 3. Arguments reach a tool byte for byte, and never a shell.
//! 4. A misbehaving tool is killed with all its child processes.
//! 5. With a broken state folder or configuration, the program reports the problem and continues as
//!    far as possible.

mod arguments;
mod configuration;
mod documents;
mod escapes;
mod programs;
mod state;

use crate::world::{Outcome, World};

/// A project with a valid tool that every listing must contain.
fn project() -> World {
    World::project().echo("tools/good.tool.toml", "good", "description = \"Always there\"")
}

/// Lists the tools; expects the valid tool, these others and nothing else.
fn lists_only_good_and(world: &World, others: &[&str]) -> Outcome {
    let listed = world.run(&["tools", "--json"]).exits(0);
    let tools = listed.json();
    let mut names: Vec<&str> =
        tools.as_array().expect("a list").iter().filter_map(|tool| tool["name"].as_str()).collect();
    names.retain(|name| *name != "good");
    assert_eq!(names, others, "{}", listed.err);
    assert_eq!(world.run(&["good"]).exits(0).out, "{}\n");
    listed
}

/// Whether the marker file exists, which only a run creates.
fn has_mark(world: &World) -> bool {
    world.temp_dir().join("mark").exists()
}

/// A script that creates the marker file.
fn marking(world: &World) -> String {
    format!("#!/bin/sh\ntouch '{}'\n", world.temp_dir().join("mark").display())
}
