//! 1. Tools of a server that the user added are approved at first sight. Tools of a server that was
//!    added as untrusted are approved one by one.

use crate::world::World;
use serde_json::json;

fn add(world: &World, more: &[&str]) {
    let words = world.hostile("u", "honest", &[]);
    let args =
        ["server", "add", "u", "--wait"].into_iter().chain(more.iter().copied()).chain(["--"]);
    let args: Vec<_> = args.chain(words.iter().map(String::as_str)).collect();
    world.run(&args).exits(0);
}

/// L-01
#[test]
fn tools_of_a_server_added_by_the_operator_can_be_called() {
    let world = World::project();
    add(&world, &[]);
    assert_eq!(world.run(&["run", "u/echo", "--text", "a"]).exits(0).out, "a\n");
    assert_eq!(world.quarantined(), [""; 0]);
    world.run(&["reject", "u/echo"]).exits(0);
    let rejected = ["it was rejected", "`toolscout review`", "`toolscout approve u/echo`"];
    world.run(&["run", "u/echo", "--text", "a"]).exits(4).stderr_contains(&rejected);
}

/// L-01: the approval covers the tools that `server add` showed, even if the server changes them a
/// moment later.
#[test]
fn server_add_approves_the_tools_it_discovers() {
    let tool = |about: &str| json!([{"name": "t", "description": about, "inputSchema": {"type": "object"}}]);
    let world = World::project().listing("other", &tool("Says something"));
    let add = ["server", "add", "u", "--wait", "--", "sh", "other.sh", "other.tools.json"];
    world.run(&add).exits(0).stderr_contains(&["u: 1 tool"]).stderr_lacks(&["quarantined"]);
    let world = world.file("other.tools.json", &tool("Says something else").to_string());
    world
        .run(&["server", "refresh", "u"])
        .exits(0)
        .stderr_contains(&["`u/t` is quarantined: changed since it was approved"]);
    assert_eq!(world.quarantined(), ["u/t"]);
}

/// A definition that looks deceptive is quarantined and reported at once.
#[test]
fn server_add_reports_quarantined_tools() {
    let world = World::project();
    let words = world.hostile("u", "poison_desc", &[]);
    let args =
        ["server", "add", "u", "--wait", "--"].into_iter().chain(words.iter().map(String::as_str));
    world
        .run(&args.collect::<Vec<_>>())
        .exits(0)
        .stderr_contains(&["`u/add_numbers` is quarantined", "toolscout review"]);
}

/// L-01: quarantined until approved; one approval applies to one tool.
#[test]
fn tools_of_an_untrusted_server_are_approved_one_by_one() {
    let world = World::project();
    add(&world, &["--untrusted"]);
    assert_eq!(world.quarantined().len(), 6);
    let (echo, add) = (["run", "u/echo", "--text", "a"], ["run", "u/add", "--a", "1", "--b", "2"]);
    let quarantined = "`u/echo` is quarantined: new, and not approved yet";
    world.run(&echo).exits(4).stderr_contains(&[
        quarantined,
        "`toolscout review`",
        "`toolscout approve u/echo`",
    ]);
    let nothing = world.run(&["search", "gives back a text"]).exits(0);
    assert_eq!(nothing.out, "");
    nothing.stderr_contains(&["6 tools are quarantined: `toolscout review`"]);
    world.run(&["approve", "u/echo"]).exits(0);
    assert_eq!(world.run(&echo).exits(0).out, "a\n");
    world.run(&add).exits(4);
    assert_eq!(world.quarantined().len(), 5);
    assert_eq!(world.request_count("u", "tools/call"), 1);
    world.run(&["review", "--accept", "u"]).exits(0).stderr_contains(&["Approved 5 tools of u"]);
    assert_eq!(world.run(&add).exits(0).out, "3\n");
}

/// In an untrusted project no server starts, even if its tools are approved.
#[test]
fn approvals_do_not_start_servers_of_an_untrusted_project() {
    let world = World::project().server("s", "honest", &[]);
    world
        .run(&["run", "s/echo", "--text", "a"])
        .exits(4)
        .stderr_contains(&["not trusted yet", "toolscout trust"]);
    world.run(&["server", "refresh"]).exits(3);
    assert_eq!(world.starts("s"), 0);
}
