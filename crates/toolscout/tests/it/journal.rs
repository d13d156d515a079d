//! 1. What is searched, called and decided is on record, by whom and with what, and `audit verify` says whether it still is:
//!    [`audit`].
//! 2. No secret is ever there, by the name of its key or by its shape: [`secrets`].
//! 3. Processes share it, and one that is killed or cannot write takes nothing with it: [`trouble`].
//! 4. Numbers of the cost meter, and what to pin, come out of what agents really did: [`costs`].

mod audit;
mod costs;
mod failures;
mod secrets;

use crate::world::World;
use serde_json::Value;
use std::fs;
use std::path::PathBuf;

/// Where the journal of a world is.
fn folder(world: &World) -> PathBuf {
    world.outside().join("state/journal")
}

/// All that lies there.
fn whole(world: &World) -> String {
    let mut files: Vec<_> =
        fs::read_dir(folder(world)).expect("a journal").flatten().map(|it| it.path()).collect();
    files.sort();
    files
        .iter()
        .map(|it| String::from_utf8_lossy(&fs::read(it).expect("a file")).into_owned())
        .collect()
}

/// The records of this kind, the oldest first.
fn records(world: &World, kind: &str) -> Vec<Value> {
    let shown =
        world.run(&["audit", "show", "--kind", kind, "--limit", "1000", "--json"]).exits(0).json();
    let mut entries = shown["entries"].as_array().expect("entries").clone();
    entries.reverse();
    entries
}

/// What was decided: about what, which, what, by whom.
fn decisions(world: &World) -> Vec<String> {
    let text = |it: &Value, key: &str| it[key].as_str().unwrap_or("?").to_owned();
    let line = |it: &Value| ["about", "which", "decision", "by"].map(|key| text(it, key)).join(" ");
    records(world, "decision").iter().map(line).collect()
}

fn is_sound(world: &World) {
    let verified = world.run(&["audit", "verify"]);
    assert!(verified.code == 0 && verified.out.starts_with("Sound: "), "{verified:?}");
}
