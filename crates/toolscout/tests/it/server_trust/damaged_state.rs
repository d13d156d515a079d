//! 1. Unreadable approvals approve nothing. The warning names the file and the fix.
//! 2. A damaged cache is rebuilt, and approvals are not lost with it.

use crate::world::World;
use std::fs;
use std::path::PathBuf;

const TOOLS: &[(&str, &str)] = &[("echo", "Gives back a text"), ("add", "Adds two numbers")];

fn approvals(world: &World) -> PathBuf {
    world.temp_dir().join("state/trust.db")
}

/// Expects that nothing is approved until a reset, when all tools are reviewed again.
fn assert_reported_and_repaired(world: &World) {
    let file = approvals(world).display().to_string();
    let warnings = [
        &*file,
        "the approvals cannot be read",
        "run `toolscout trust reset`, then approve again with `toolscout review accept",
    ];
    for args in [&["run", "s/echo"][..], &["run", "s/add"]] {
        world
            .run(args)
            .exits(4)
            .stderr_contains(&warnings)
            .stderr_contains(&["is quarantined: the approvals cannot be read\n"]);
    }
    world
        .run(&["review"])
        .exits(0)
        .stderr_contains(&warnings)
        .stdout_contains(&["s/echo\n  the approvals cannot be read\n    {\n"]);
    world.run(&["review", "--accept", "s"]).exits(3).stderr_contains(&warnings[..1]);
    world.run(&["approve", "s/echo"]).exits(4).stderr_contains(&warnings);
    world
        .run(&["tools"])
        .exits(0)
        .stdout_contains(&["  echo - (quarantined: the approvals cannot be read)\n"]);
    assert_eq!(world.executed(), 0);
    world.run(&["trust", "reset", "--yes"]).exits(0);
    world.run(&["review", "--accept", "s"]).exits(0);
    world.run(&["run", "s/echo"]).exits(0);
    assert_eq!(world.executed(), 1);
}

/// T35.
#[test]
fn overwritten_approvals_are_not_trusted() {
    let world = World::trusted().list_server(TOOLS);
    let mut bytes = fs::read(approvals(&world)).expect("approvals");
    bytes.iter_mut().skip(64).step_by(7).for_each(|byte| *byte ^= 0x5a);
    fs::write(approvals(&world), bytes).expect("damage the file");
    assert_reported_and_repaired(&world);
}

/// T35.
#[test]
fn truncated_approvals_are_not_trusted() {
    let world = World::trusted().list_server(TOOLS);
    let bytes = fs::read(approvals(&world)).expect("approvals");
    fs::write(approvals(&world), &bytes[..bytes.len() / 2]).expect("damage the file");
    assert_reported_and_repaired(&world);
}

/// One byte of an approval is changed: the file is still readable, but its seal is invalid.
#[test]
fn approvals_with_an_invalid_seal_are_not_trusted() {
    let world = World::trusted().list_server(TOOLS);
    world.refresh_with(&[("echo", "Gives back another text"), ("add", "Adds two numbers")]);
    let mut bytes = fs::read(approvals(&world)).expect("approvals");
    let quarantined = b"\"why\":\"changed\"";
    let places: Vec<_> = bytes
        .windows(quarantined.len())
        .enumerate()
        .filter(|(_, window)| window == quarantined)
        .map(|(at, _)| at)
        .collect();
    assert!(!places.is_empty(), "the quarantined definition is in the file");
    places
        .iter()
        .for_each(|at| bytes[*at..*at + quarantined.len()].copy_from_slice(b"\"why\":\"neverms\""));
    fs::write(approvals(&world), bytes).expect("write the file");
    let warnings = ["was changed by something other than toolscout", "`toolscout review accept s`"];
    for tool in ["s/echo", "s/add"] {
        world
            .run(&["run", tool])
            .exits(4)
            .stderr_contains(&warnings)
            .stderr_contains(&["is quarantined"]);
    }
    assert_eq!(world.executed(), 0);
    world.run(&["review"]).exits(0).stderr_contains(&warnings);
    world.run(&["review", "--accept", "s"]).exits(0).stderr_contains(&["Approved 2 tools of s"]);
    world.run(&["run", "s/echo"]).exits(0);
    assert_eq!((world.executed(), world.quarantined().len()), (1, 0));
}

/// T35: a server overwrites our cache during its discovery.
#[test]
fn a_damaged_cache_is_rebuilt_and_approvals_stay() {
    let world = World::trusted().list_server(TOOLS);
    world.run(&["reject", "s/add"]).exits(0);
    let cache = world.temp_dir().join("state/state.db").display().to_string();
    let world = world.server("bad", "cache_tamper", &["--target", &cache]);
    world.run(&["server", "refresh", "bad"]);
    world.run(&["server", "remove", "bad"]).exits(0);
    world.run(&["server", "refresh"]).exits(0);
    assert_eq!(world.quarantined(), ["s/add"]);
    world.run(&["run", "s/add"]).exits(4).stderr_contains(&["it was rejected"]);
    world.run(&["run", "s/echo"]).exits(0);
    assert_eq!(world.executed(), 1);
}

/// T35: the same server overwrites the file with the approvals.
#[test]
fn approvals_damaged_by_a_server_are_not_trusted() {
    let world = World::trusted().list_server(TOOLS);
    let file = approvals(&world).display().to_string();
    let world = world.server("bad", "cache_tamper", &["--target", &file]);
    world.run(&["server", "refresh", "bad"]);
    for tool in ["s/echo", "bad/echo"] {
        world.run(&["run", tool, "--text", "a"]).exits(4).stderr_contains(&[&file]);
    }
    assert_eq!((world.executed(), world.request_count("bad", "tools/call")), (0, 0));
}
