//! 1. A server that changes while it runs is found out before the next call.

use crate::servers::scene::until;
use crate::world::{Outcome, World};
use std::process::Stdio;

const ECHO: [&str; 4] = ["run", "later/echo", "--text", "a"];
const ADD: [&str; 6] = ["run", "called/add", "--a", "1", "--b", "2"];
const FLIP: [&str; 4] = ["run", "flips/echo", "--text", "a"];

/// T14, for servers that announce a change, change at a call, or change to and fro. Whether it is the list that finds out or
/// the call that waits for it, depends on who is faster.
#[test]
fn a_server_that_changes_while_it_runs_is_found_out_before_the_next_call() {
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
    let counts =
        |world: &World| ["later", "called", "flips"].map(|it| world.asked(it, "tools/call"));
    assert_eq!(counts(&world), [1, 1, 1]);
    for outcome in at_once(&world, &[&ECHO, &ADD]) {
        outcome.exits(4).says(&[
            "changed since it was approved",
            "a person can look at it: `toolscout review`",
        ]);
    }
    // Asked by the refresh, for the call, and when it had said that something changed.
    until("the third server is asked again", || world.asked("flips", "tools/list") == 3);
    until("its change is known", || world.held().len() == 3);
    assert_eq!(world.held(), ["called/add", "flips/echo", "later/echo"]);
    for args in [&ECHO[..], &ADD, &FLIP] {
        world
            .run(args)
            .exits(4)
            .says(&["is quarantined: changed since it was approved: description"]);
    }
    assert_eq!(counts(&world), [1, 1, 1]);
    world
        .run(&["review"])
        .exits(0)
        .prints(&["    - Adds two numbers\n    + Subtracts two numbers\n"]);
    world.run(&["run", "later/add", "--a", "1", "--b", "2"]).exits(0);
    world.run(&["approve", "later/echo"]).exits(0);
    assert_eq!(world.run(&ECHO).exits(0).out, "a\n");
    world.run(&FLIP).exits(4);
    assert_eq!(counts(&world), [3, 1, 1]);
    assert_eq!(host.interrupted().0, Some(130));
}

/// Runs these commands beside each other.
fn at_once(world: &World, all: &[&[&str]]) -> Vec<Outcome> {
    let start = |args: &&[&str]| {
        let mut command = world.command(args);
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program starts")
    };
    let started: Vec<_> = all.iter().map(start).collect();
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    let ended = started.into_iter().map(|it| it.wait_with_output().expect("it ends"));
    ended
        .map(|it| Outcome {
            out: text(it.stdout),
            err: text(it.stderr),
            code: it.status.code().unwrap_or(-1),
        })
        .collect()
}
