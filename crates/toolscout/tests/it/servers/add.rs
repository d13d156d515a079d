//! 1. Adding a server is done at once, whatever the server does; the discovery goes on without us.
//! 2. What came of it is there afterwards, and the process is not.
//! 3. A discovery that fails leaves the entry, and says why.

use super::scene::{is_alive, until};
use crate::world::World;
use serde_json::json;
use std::time::{Duration, Instant};

/// The words of `server add ID -- COMMAND…`.
fn add<'a>(id: &'a str, more: &[&'a str], command: &'a [String]) -> Vec<&'a str> {
    let words = ["server", "add", id].into_iter().chain(more.iter().copied()).chain(["--"]);
    words.chain(command.iter().map(String::as_str)).collect()
}

/// `2026-01-31T12:00:00.123Z`, more or less.
fn is_rfc3339(text: &str) -> bool {
    let shape: String = text.chars().map(|it| if it.is_ascii_digit() { '0' } else { it }).collect();
    shape.starts_with("0000-00-00T00:00:00") && shape.ends_with('Z')
}

/// D-01: added at once, although the server does not answer before somebody lets it; `discovering` until then. D-02: what
/// is known afterwards.
#[test]
fn adding_a_server_does_not_wait_for_it() {
    let world = World::project().holds("fs");
    let command = world.breakable_words("fs", "honest", &[]);
    world.run(&add("fs", &[], &command)).exits(0).says(&[
        "Added fs to ",
        "in the background",
        "toolscout server list",
    ]);
    world.until_held("fs");
    let begun = Instant::now();
    let status = world.status("fs");
    assert_eq!(
        (&status["discoveryStatus"], &status["toolCount"]),
        (&json!("discovering"), &json!(0)),
        "{status}"
    );
    assert_eq!(world.names(&["--quiet"]), [""; 0]);
    world.run(&["server", "list"]).exits(0).prints(&["stdio, loading tools"]);
    world.run(&["tools"]).exits(0).says(&["loading the tools of `fs`"]);
    assert!(begun.elapsed() < Duration::from_secs(5), "reading what is known waited for a server");

    world.lets_go("fs");
    until("the server is known", || world.status("fs")["discoveryStatus"] == "success");
    let status = world.status("fs");
    assert_eq!(
        (&status["toolCount"], &status["discoveryError"], &status["stale"]),
        (&json!(6), &json!(null), &json!(false))
    );
    assert!(status["lastDiscovery"].as_str().is_some_and(is_rfc3339), "{status}");
    assert_eq!(world.starts("fs"), 1);
}

/// D-02: `success`, when, its tools by their full names, and no process left.
#[test]
fn a_discovery_gives_tools_and_leaves_no_process() {
    let world = World::project();
    let command = world.hostile("fs", "honest", &[]);
    world.run(&add("fs", &["--wait"], &command)).exits(0).says(&["Added fs to ", "fs: 6 tools"]);
    let [process] = world.processes("fs")[..] else { panic!("not one process") };
    assert!(!is_alive(process));
    let shown = world.run(&["server", "show", "fs", "--json"]).exits(0).json();
    let server = &shown["server"];
    assert_eq!(
        (&server["discoveryStatus"], &server["state"], &server["discoveryError"]),
        (&json!("success"), &json!("known"), &json!(null))
    );
    assert!(server["lastDiscovery"].as_str().is_some_and(is_rfc3339), "{shown}");
    let first = &shown["tools"][0];
    assert_eq!(
        (&first["name"], &first["description"], &first["discoveryStatus"]),
        (&json!("fs/echo"), &json!("Gives back the text it was given"), &json!("success"))
    );
    assert_eq!(first["lastDiscovered"], server["lastDiscovery"]);
    let names: Vec<_> =
        world.tools(&[]).iter().map(|it| it["id"].as_str().unwrap_or("?").to_owned()).collect();
    assert_eq!(names, ["fs/echo", "fs/add", "fs/sleep", "fs/whoami", "fs/fail", "fs/blob"]);
    assert_eq!(world.starts("fs"), 1, "reading must not start it");
}

/// D-03: a tool that says nothing about itself.
#[test]
fn a_tool_without_a_description_is_described_by_where_it_is_from() {
    let world =
        World::trusted().listing("fs", &json!([{"name": "t", "inputSchema": {"type": "object"}}]));
    world.run(&["server", "refresh"]).exits(0).prints(&["fs: 1 tool ("]);
    let shown = world.run(&["server", "show", "fs", "--json"]).exits(0).json();
    assert_eq!(shown["tools"][0]["description"], "fs tool: t");
    assert_eq!(world.run(&["run", "fs/t"]).exits(0).out, "called\n");
}

/// D-04: the entry stays, and it is known that and why it failed.
#[test]
fn a_program_that_is_not_there_fails_the_discovery_and_keeps_the_entry() {
    let world = World::project();
    let args = ["server", "add", "fs", "--wait", "--", "/nowhere/at/all", "--flag"];
    world.run(&args).exits(3).says(&[
        "error: Tool discovery failed: ",
        "/nowhere/at/all",
        "toolscout server refresh fs",
    ]);
    let status = world.status("fs");
    assert_eq!(
        (&status["discoveryStatus"], &status["state"]),
        (&json!("failed"), &json!("failed"))
    );
    assert!(
        status["discoveryError"].as_str().is_some_and(|it| it.contains("no such program")),
        "{status}"
    );
    assert!(status["lastDiscovery"].as_str().is_some_and(is_rfc3339), "{status}");
    let file = std::fs::read_to_string(world.path("toolscout.toml")).expect("the entry");
    assert!(file.contains("[servers.fs]") && file.contains("/nowhere/at/all"), "{file}");
    world.run(&args).exits(2).says(&["Server 'fs' already exists", "--replace"]);
}

/// D-05: a server that never answers is given up in time, and is gone then.
#[test]
fn a_server_that_never_answers_is_given_up_in_time() {
    let world = World::trusted().server("fs", "hang_start", &[]).more("discovery_timeout_ms = 500");
    let outcome = world.run(&["--verbose", "--log-format", "json", "server", "refresh"]).exits(3);
    assert!(outcome.out.starts_with("fs: failed: timeout: "), "{outcome:?}");
    let [failed] = &outcome.events("tools.discovery.failed")[..] else {
        panic!("not one failure: {outcome:?}")
    };
    let took: u64 = failed["duration_ms"].to_string().trim_matches('"').parse().expect("a number");
    assert!((450..2_500).contains(&took), "{failed}");
    let status = world.status("fs");
    assert_eq!(status["discoveryStatus"], "failed");
    assert!(
        status["discoveryError"].as_str().is_some_and(|it| it.starts_with("timeout: ")),
        "{status}"
    );
    assert_eq!(world.processes("fs").iter().filter(|it| is_alive(**it)).count(), 0);
    assert_eq!(world.starts("fs"), 1);
}
