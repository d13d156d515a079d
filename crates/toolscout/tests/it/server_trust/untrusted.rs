//! 1. What a person added is used as first seen. What they added and do not trust waits, tool by tool.

use crate::world::World;
use serde_json::json;

fn add(world: &World, more: &[&str]) {
    let words = world.hostile("u", "honest", &[]);
    let args =
        ["server", "add", "u", "--wait"].into_iter().chain(more.iter().copied()).chain(["--"]);
    let args: Vec<_> = args.chain(words.iter().map(String::as_str)).collect();
    world.run(&args).exits(0);
}

/// L-01: allowed.
#[test]
fn tools_of_a_server_that_a_person_added_run() {
    let world = World::project();
    add(&world, &[]);
    assert_eq!(world.run(&["run", "u/echo", "--text", "a"]).exits(0).out, "a\n");
    assert_eq!(world.held(), [""; 0]);
    world.run(&["reject", "u/echo"]).exits(0);
    let rejected = ["a person has rejected it", "`toolscout review`", "`toolscout approve u/echo`"];
    world.run(&["run", "u/echo", "--text", "a"]).exits(4).says(&rejected);
}

/// L-01: what they have added and what they get is the same, also if the server has something else a moment later.
#[test]
fn what_a_person_adds_is_approved_before_anybody_else_looks() {
    let tool = |about: &str| json!([{"name": "t", "description": about, "inputSchema": {"type": "object"}}]);
    let world = World::project().listing("other", &tool("Says something"));
    let add = ["server", "add", "u", "--wait", "--", "sh", "other.sh", "other.tools.json"];
    world.run(&add).exits(0).says(&["u: 1 tool"]).keeps_quiet_about(&["quarantined"]);
    let world = world.file("other.tools.json", &tool("Says something else").to_string());
    world
        .run(&["server", "refresh", "u"])
        .exits(0)
        .says(&["`u/t` is quarantined: changed since it was approved"]);
    assert_eq!(world.held(), ["u/t"]);
}

/// What looks as if it were meant to deceive is held, and that is said at once.
#[test]
fn who_adds_a_server_is_told_what_of_it_is_held() {
    let world = World::project();
    let words = world.hostile("u", "poison_desc", &[]);
    let args =
        ["server", "add", "u", "--wait", "--"].into_iter().chain(words.iter().map(String::as_str));
    world
        .run(&args.collect::<Vec<_>>())
        .exits(0)
        .says(&["`u/add_numbers` is quarantined", "toolscout review"]);
}

/// L-01: quarantined until approved, and one approval is for one tool.
#[test]
fn tools_of_an_untrusted_server_wait_each_for_its_own_approval() {
    let world = World::project();
    add(&world, &["--untrusted"]);
    assert_eq!(world.held().len(), 6);
    let (echo, add) = (["run", "u/echo", "--text", "a"], ["run", "u/add", "--a", "1", "--b", "2"]);
    let held = "`u/echo` is quarantined: new, and not approved yet";
    world.run(&echo).exits(4).says(&[held, "`toolscout review`", "`toolscout approve u/echo`"]);
    let nothing = world.run(&["search", "gives back a text"]).exits(0);
    assert_eq!(nothing.out, "");
    nothing.says(&["6 tools are quarantined: `toolscout review`"]);
    world.run(&["approve", "u/echo"]).exits(0);
    assert_eq!(world.run(&echo).exits(0).out, "a\n");
    world.run(&add).exits(4);
    assert_eq!(world.held().len(), 5);
    assert_eq!(world.asked("u", "tools/call"), 1);
    world.run(&["review", "--accept", "u"]).exits(0).says(&["Approved 5 tools of u"]);
    assert_eq!(world.run(&add).exits(0).out, "3\n");
}

/// Before anybody has said that the project may run anything, nothing of it is started, whatever is approved.
#[test]
fn a_server_of_a_project_that_nobody_trusts_is_not_started() {
    let world = World::project().server("s", "honest", &[]);
    world
        .run(&["run", "s/echo", "--text", "a"])
        .exits(4)
        .says(&["not trusted yet", "toolscout trust"]);
    world.run(&["server", "refresh"]).exits(3);
    assert_eq!(world.starts("s"), 0);
}
