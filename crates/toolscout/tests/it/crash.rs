//! A process that ends, or a disk that fills, at any change of a file: no acknowledged decision is
//! lost, and nothing denied becomes allowed.
//!
//! The program runs with a library that counts its changes of files, and acts at the n-th one; see
//! `crash/fault.c`. Each test runs one command once per change and [`FaultMode`], each time from
//! the same state.

mod fault;

use crate::world::{World, can_run, is_installed};
use fault::{FaultLibrary, FaultMode, WorldCopy};

const TOOLS: &[(&str, &str)] =
    &[("echo", "Gives back a text"), ("add", "Adds two numbers"), ("sub", "Subtracts")];

/// A command that decides something.
struct Decision<'a> {
    args: &'a [&'a str],
    /// Its message once the decision is stored.
    acknowledgement: &'a str,
    /// Shows the decision.
    shows: fn(&World) -> String,
}

/// A trusted project with a server: `s/echo` is approved, `s/add` is denied by a policy, `s/sub` is
/// rejected. There is one token.
fn decided() -> World {
    let world = World::trusted().list_server_named("s", "", TOOLS);
    world.run(&["policy", "set", "s/add", "deny"]).exits(0);
    world.run(&["reject", "s/sub"]).exits(0);
    world.run(&["token", "create", "--name", "old", "--role", "agent"]).exits(0);
    world
}

impl Decision<'_> {
    /// Runs the command with a fault at each change, and checks the state after each.
    fn survives_every_fault(&self, world: &World) {
        if !can_run(is_installed("cc"), "cc") {
            return;
        }
        let library = FaultLibrary::build();
        let start = WorldCopy::of(world);
        let before = (self.shows)(world);
        let changes = library.changes(world, self.args);
        let done = (self.shows)(world);
        assert_ne!(before, done, "{:?} decides something", self.args);
        assert!(changes.len() > 3, "the library counts the changes");
        for mode in FaultMode::ALL {
            for at in 1..=changes.len() {
                // Only a write has halves.
                if mode == FaultMode::Torn && changes[at - 1] != b'w' {
                    continue;
                }
                start.restore(world);
                let outcome = library.run(world, self.args, mode, at);
                let after = (self.shows)(world);
                let case = format!("{:?}, {mode:?} at change {at}: {outcome:?}", self.args);
                assert!(after == before || after == done, "{case}\n{after}");
                let is_acknowledged =
                    outcome.code == 0 || outcome.err.contains(self.acknowledgement);
                assert!(!is_acknowledged || after == done, "acknowledged, then lost: {case}");
                assert!(mode != FaultMode::Full || outcome.code != -1, "no crash: {case}");
                holds(world, &case);
                // The command works once the fault is gone.
                if after == before && at % 4 == 0 {
                    world.run(self.args).exits(0);
                    assert_eq!((self.shows)(world), done, "{case}");
                }
            }
        }
    }
}

/// What was denied stays denied, and the audit log is intact.
fn holds(world: &World, case: &str) {
    for tool in ["s/add", "s/sub"] {
        let outcome = world.run(&["run", tool]);
        assert_ne!(outcome.code, 0, "{tool} ran: {case}\n{outcome:?}");
    }
    assert_eq!(world.executed(), 0, "{case}");
    let verified = world.run(&["audit", "verify"]);
    assert_eq!(verified.code, 0, "{case}\n{verified:?}");
}

fn review(world: &World) -> String {
    world.quarantined().join(" ")
}

fn config(world: &World) -> String {
    std::fs::read_to_string(world.path("toolscout.toml")).expect("the configuration")
}

fn tokens(world: &World) -> String {
    let listed = world.run(&["token", "list", "--json"]).exits(0).json();
    let names = listed["tokens"].as_array().expect("a list").iter();
    names.map(|token| format!("{}={} ", token["name"], token["role"])).collect()
}

fn trusted(world: &World) -> String {
    world.run(&["trust", "list", "--json"]).exits(0).out
}

#[test]
fn a_rejection_survives_a_fault_at_every_change() {
    let decision =
        Decision { args: &["reject", "s/echo"], acknowledgement: "Rejected ", shows: review };
    decision.survives_every_fault(&decided());
}

#[test]
fn an_approval_survives_a_fault_at_every_change() {
    let world = decided();
    world.run(&["reject", "s/echo"]).exits(0);
    let decision =
        Decision { args: &["approve", "s/echo"], acknowledgement: "Approved ", shows: review };
    decision.survives_every_fault(&world);
}

#[test]
fn a_policy_survives_a_fault_at_every_change() {
    let decision = Decision {
        args: &["policy", "set", "s/echo", "deny"],
        acknowledgement: "Set the policy ",
        shows: config,
    };
    decision.survives_every_fault(&decided());
}

#[test]
fn a_new_token_survives_a_fault_at_every_change() {
    let decision = Decision {
        args: &["token", "create", "--name", "new", "--role", "agent"],
        acknowledgement: "Created the token",
        shows: tokens,
    };
    decision.survives_every_fault(&decided());
}

#[test]
fn a_revoked_token_survives_a_fault_at_every_change() {
    let decision =
        Decision { args: &["token", "revoke", "old"], acknowledgement: "Revoked ", shows: tokens };
    decision.survives_every_fault(&decided());
}

#[test]
fn trust_survives_a_fault_at_every_change() {
    let world = decided();
    let folder = world.temp_dir().join("other");
    std::fs::create_dir_all(&folder).expect("make a folder");
    let folder = folder.canonicalize().expect("its real path").display().to_string();
    let decision =
        Decision { args: &["trust", &folder], acknowledgement: "Trusted: ", shows: trusted };
    decision.survives_every_fault(&world);
}

#[test]
fn withdrawn_trust_survives_a_fault_at_every_change() {
    let world = decided();
    let folder = world.temp_dir().join("other");
    std::fs::create_dir_all(&folder).expect("make a folder");
    let folder = folder.canonicalize().expect("its real path").display().to_string();
    world.run(&["trust", &folder]).exits(0);
    let decision = Decision {
        args: &["trust", "remove", &folder],
        acknowledgement: "No longer trusted",
        shows: trusted,
    };
    decision.survives_every_fault(&world);
}
