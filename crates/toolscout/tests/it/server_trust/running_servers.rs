//! 1. A change of a running server is detected before the next call.

use crate::servers::fixture::wait_until;
use crate::world::{Outcome, World};
use std::process::Stdio;

const ECHO: [&str; 4] = ["run", "later/echo", "--text", "a"];
const ADD: [&str; 6] = ["run", "called/add", "--a", "1", "--b", "2"];
const FLIP: [&str; 4] = ["run", "flips/echo", "--text", "a"];

/// T14, for servers that announce a change, change during a call, or alternate. Either the list or
/// the pending call detects the change first.
#[test]
fn a_change_of_a_running_server_is_detected_before_the_next_call() {
    let world = World::trusted();
    let world = world.server("later", "rug_list", &[]).server("called", "rug_call", &[]).server(
        "flips",
        "rug_flipflop",
        &[],
    );
    world.run(&["server", "refresh"]).exits(0);
    let host = world.host();
    for args in [&ECHO[..], &ADD, &FLIP] {
        world.run(args).exits(0);
    }
    let counts = |world: &World| {
        ["later", "called", "flips"].map(|value| world.request_count(value, "tools/call"))
    };
    assert_eq!(counts(&world), [1, 1, 1]);
    for outcome in at_once(&world, &[&ECHO, &ADD]) {
        outcome.exits(4).stderr_contains(&[
            "changed since it was approved",
            "an operator can review it with `toolscout review`",
        ]);
    }
    // The server is listed by the refresh, for the call, and after its change notification.
    wait_until("the third server is queried again", || {
        world.request_count("flips", "tools/list") == 3
    });
    wait_until("its change is detected", || world.quarantined().len() == 3);
    assert_eq!(world.quarantined(), ["called/add", "flips/echo", "later/echo"]);
    for args in [&ECHO[..], &ADD, &FLIP] {
        world
            .run(args)
            .exits(4)
            .stderr_contains(&["is quarantined: changed since it was approved: description"]);
    }
    assert_eq!(counts(&world), [1, 1, 1]);
    world
        .run(&["review"])
        .exits(0)
        .stdout_contains(&["    - Adds two numbers\n    + Subtracts two numbers\n"]);
    world.run(&["run", "later/add", "--a", "1", "--b", "2"]).exits(0);
    world.run(&["approve", "later/echo"]).exits(0);
    assert_eq!(world.run(&ECHO).exits(0).out, "a\n");
    world.run(&FLIP).exits(4);
    assert_eq!(counts(&world), [3, 1, 1]);
    assert_eq!(host.interrupt().0, Some(130));
}

/// Runs these commands in parallel.
fn at_once(world: &World, all: &[&[&str]]) -> Vec<Outcome> {
    let start = |args: &&[&str]| {
        let mut command = world.command(args);
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program starts")
    };
    let started: Vec<_> = all.iter().map(start).collect();
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    let ended =
        started.into_iter().map(|started| started.wait_with_output().expect("the process exits"));
    ended
        .map(|value| Outcome {
            out: text(value.stdout),
            err: text(value.stderr),
            code: value.status.code().unwrap_or(-1),
        })
        .collect()
}
