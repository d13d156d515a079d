//! 1. The journal records searches, calls and decisions with their caller and arguments, and `audit
//!    verify` detects changes: [`audit`].
//! 2. It never contains a secret, detected by the name of its key or by its shape: [`secrets`].
//! 3. Processes share it, and a process that is killed or cannot write loses no earlier record:
//!    [`failures`].
//! 4. The cost report and the suggested pins are computed from recorded agent sessions: [`costs`].

mod audit;
mod costs;
mod failures;
mod secrets;

use crate::world::World;
use serde_json::Value;
use std::fs;
use std::path::PathBuf;

/// The folder of the journal.
fn folder(world: &World) -> PathBuf {
    world.temp_dir().join("state/journal")
}

/// The content of all journal files.
fn whole(world: &World) -> String {
    let mut files: Vec<_> = fs::read_dir(folder(world))
        .expect("a journal")
        .flatten()
        .map(|entry| entry.path())
        .collect();
    files.sort();
    files
        .iter()
        .map(|file| String::from_utf8_lossy(&fs::read(file).expect("a file")).into_owned())
        .collect()
}

/// The records of this kind, oldest first.
fn records(world: &World, kind: &str) -> Vec<Value> {
    let shown =
        world.run(&["audit", "show", "--kind", kind, "--limit", "1000", "--json"]).exits(0).json();
    let mut entries = shown["entries"].as_array().expect("entries").clone();
    entries.reverse();
    entries
}

/// The recorded decisions, one text each: kind, subject, decision and actor.
fn decisions(world: &World) -> Vec<String> {
    let text = |value: &Value, key: &str| value[key].as_str().unwrap_or("?").to_owned();
    let line = |value: &Value| {
        ["subjectType", "subject", "decision", "by"].map(|key| text(value, key)).join(" ")
    };
    records(world, "decision").iter().map(line).collect()
}

fn is_sound(world: &World) {
    let verified = world.run(&["audit", "verify"]);
    assert!(
        verified.code == 0 && verified.out.starts_with("The audit log is intact: "),
        "{verified:?}"
    );
}
