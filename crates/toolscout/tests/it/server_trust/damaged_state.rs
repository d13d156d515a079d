//! 1. Approvals that cannot be read approve nothing, and who reads that is told which file it is and what to do.
//! 2. What can be found again is found again, and approvals are not lost with it.

use crate::world::World;
use std::fs;
use std::path::PathBuf;

const TOOLS: &[(&str, &str)] = &[("echo", "Gives back a text"), ("add", "Adds two numbers")];

fn approvals(world: &World) -> PathBuf {
    world.outside().join("state/trust.db")
}

/// Nothing counts as approved, until the file is moved away and everything was looked at again.
fn is_told_and_repaired(world: &World) {
    let file = approvals(world).display().to_string();
    let told = [
        &*file,
        "the approvals cannot be read",
        "away, then approve again with `toolscout review --accept",
    ];
    for args in [&["run", "s/echo"][..], &["run", "s/add"]] {
        world
            .run(args)
            .exits(4)
            .says(&told)
            .says(&["is quarantined: the approvals cannot be read\n"]);
    }
    world
        .run(&["review"])
        .exits(0)
        .says(&told)
        .prints(&["s/echo\n  the approvals cannot be read\n    {\n"]);
    world.run(&["review", "--accept", "s"]).exits(3).says(&told[..1]);
    world.run(&["approve", "s/echo"]).exits(4).says(&told);
    world.run(&["tools"]).exits(0).prints(&["  echo - (held: the approvals cannot be read)\n"]);
    assert_eq!(world.executed(), 0);
    fs::rename(approvals(world), world.outside().join("moved away")).expect("move it away");
    world.run(&["review", "--accept", "s"]).exits(0);
    world.run(&["run", "s/echo"]).exits(0);
    assert_eq!(world.executed(), 1);
}

/// T35.
#[test]
fn approvals_that_were_overwritten_approve_nothing() {
    let world = World::trusted().stall(TOOLS);
    let mut bytes = fs::read(approvals(&world)).expect("approvals");
    bytes.iter_mut().skip(64).step_by(7).for_each(|it| *it ^= 0x5a);
    fs::write(approvals(&world), bytes).expect("damage them");
    is_told_and_repaired(&world);
}

/// T35.
#[test]
fn approvals_that_were_cut_off_approve_nothing() {
    let world = World::trusted().stall(TOOLS);
    let bytes = fs::read(approvals(&world)).expect("approvals");
    fs::write(approvals(&world), &bytes[..bytes.len() / 2]).expect("damage them");
    is_told_and_repaired(&world);
}

/// A single byte of what was approved, changed with care: the file is fine, its seal is not.
#[test]
fn approvals_that_somebody_else_has_written_approve_nothing() {
    let world = World::trusted().stall(TOOLS);
    world.has(&[("echo", "Gives back another text"), ("add", "Adds two numbers")]);
    let mut bytes = fs::read(approvals(&world)).expect("approvals");
    let held = b"\"why\":\"changed\"";
    let places: Vec<_> = bytes
        .windows(held.len())
        .enumerate()
        .filter(|(_, it)| it == held)
        .map(|(at, _)| at)
        .collect();
    assert!(!places.is_empty(), "what is held must be written there in some form");
    places
        .iter()
        .for_each(|at| bytes[*at..*at + held.len()].copy_from_slice(b"\"why\":\"neverms\""));
    fs::write(approvals(&world), bytes).expect("tamper");
    let told = ["was changed by something other than toolscout", "`toolscout review --accept s`"];
    for tool in ["s/echo", "s/add"] {
        world.run(&["run", tool]).exits(4).says(&told).says(&["is quarantined"]);
    }
    assert_eq!(world.executed(), 0);
    world.run(&["review"]).exits(0).says(&told);
    world.run(&["review", "--accept", "s"]).exits(0).says(&["Approved 2 tools of s"]);
    world.run(&["run", "s/echo"]).exits(0);
    assert_eq!((world.executed(), world.held().len()), (1, 0));
}

/// T35: a server that writes into our files while it is asked for its tools.
#[test]
fn a_cache_that_a_server_has_damaged_is_made_anew_and_approvals_stay() {
    let world = World::trusted().stall(TOOLS);
    world.run(&["reject", "s/add"]).exits(0);
    let cache = world.outside().join("state/state.db").display().to_string();
    let world = world.server("bad", "cache_tamper", &["--target", &cache]);
    world.run(&["server", "refresh", "bad"]);
    world.run(&["server", "remove", "bad"]).exits(0);
    world.run(&["server", "refresh"]).exits(0);
    assert_eq!(world.held(), ["s/add"]);
    world.run(&["run", "s/add"]).exits(4).says(&["a person has rejected it"]);
    world.run(&["run", "s/echo"]).exits(0);
    assert_eq!(world.executed(), 1);
}

/// T35: the same server, and the file with the approvals.
#[test]
fn approvals_that_a_server_has_damaged_approve_nothing() {
    let world = World::trusted().stall(TOOLS);
    let file = approvals(&world).display().to_string();
    let world = world.server("bad", "cache_tamper", &["--target", &file]);
    world.run(&["server", "refresh", "bad"]);
    for tool in ["s/echo", "bad/echo"] {
        world.run(&["run", tool, "--text", "a"]).exits(4).says(&[&file]);
    }
    assert_eq!((world.executed(), world.asked("bad", "tools/call")), (0, 0));
}
