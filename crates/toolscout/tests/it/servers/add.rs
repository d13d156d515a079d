//! 1. `server add` returns at once, whatever the server does; the discovery continues in the
//!    background.
//! 2. The result of the discovery is stored, and its process ends.
//! 3. A failed discovery keeps the entry and reports the reason.

use super::fixture::{is_alive, wait_until};
use crate::world::World;
use serde_json::json;
use std::time::{Duration, Instant};

/// The arguments of `server add ID -- COMMAND…`.
fn add<'a>(id: &'a str, more: &[&'a str], command: &'a [String]) -> Vec<&'a str> {
    let words = ["server", "add", id].into_iter().chain(more.iter().copied()).chain(["--"]);
    words.chain(command.iter().map(String::as_str)).collect()
}

/// Whether a text looks like `2026-01-31T12:00:00.123Z`.
fn is_rfc3339(text: &str) -> bool {
    let shape: String = text.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect();
    shape.starts_with("0000-00-00T00:00:00") && shape.ends_with('Z')
}

/// D-01: the command returns although the server does not respond yet; the status is `discovering`
/// until then. D-02: the stored result.
#[test]
fn adding_a_server_does_not_wait_for_it() {
    let world = World::project().delay_server("fs");
    let command = world.breakable_command("fs", "honest", &[]);
    world.run(&add("fs", &[], &command)).exits(0).stderr_contains(&[
        "Added fs to ",
        "in the background",
        "toolscout server list",
    ]);
    world.wait_until_delayed("fs");
    let started = Instant::now();
    let status = world.status("fs");
    assert_eq!(
        (&status["discoveryStatus"], &status["toolCount"]),
        (&json!("discovering"), &json!(0)),
        "{status}"
    );
    assert_eq!(world.names(&["--quiet"]), [""; 0]);
    world.run(&["server", "list"]).exits(0).stdout_contains(&["stdio, loading tools"]);
    world.run(&["tools"]).exits(0).stderr_contains(&[
        "note: 1 server is unavailable or still loading (`toolscout server list`)",
    ]);
    assert!(started.elapsed() < Duration::from_secs(5), "showing cached data waited for a server");

    world.release_server("fs");
    wait_until("the server is discovered", || world.status("fs")["discoveryStatus"] == "success");
    let status = world.status("fs");
    assert_eq!(
        (&status["toolCount"], &status["discoveryError"], &status["stale"]),
        (&json!(6), &json!(null), &json!(false))
    );
    assert!(status["lastDiscovery"].as_str().is_some_and(is_rfc3339), "{status}");
    assert_eq!(world.starts("fs"), 1);
}

/// D-02: the status, the time and the qualified names of the tools.
#[test]
fn a_discovery_lists_tools_and_leaves_no_process() {
    let world = World::project();
    let command = world.hostile("fs", "honest", &[]);
    world
        .run(&add("fs", &["--wait"], &command))
        .exits(0)
        .stderr_contains(&["Added fs to ", "fs: 6 tools"]);
    let [process] = world.processes("fs")[..] else { panic!("not one process") };
    assert!(!is_alive(process));
    let shown = world.run(&["server", "show", "fs", "--json"]).exits(0).json();
    let server = &shown["server"];
    assert_eq!(
        (&server["discoveryStatus"], &server["state"], &server["discoveryError"]),
        (&json!("success"), &json!("ready"), &json!(null))
    );
    assert!(server["lastDiscovery"].as_str().is_some_and(is_rfc3339), "{shown}");
    let first = &shown["tools"][0];
    assert_eq!(
        (&first["name"], &first["description"], &first["discoveryStatus"]),
        (&json!("fs/echo"), &json!("Gives back the text it was given"), &json!("success"))
    );
    assert_eq!(first["lastDiscovered"], server["lastDiscovery"]);
    let names: Vec<_> =
        world.tools(&[]).iter().map(|tool| tool["id"].as_str().unwrap_or("?").to_owned()).collect();
    assert_eq!(names, ["fs/echo", "fs/add", "fs/sleep", "fs/whoami", "fs/fail", "fs/blob"]);
    assert_eq!(world.starts("fs"), 1, "reading must not start it");
}

/// D-03
#[test]
fn a_tool_without_a_description_is_described_by_its_source() {
    let world =
        World::trusted().listing("fs", &json!([{"name": "t", "inputSchema": {"type": "object"}}]));
    world.run(&["server", "refresh"]).exits(0).stdout_contains(&["fs: 1 tool ("]);
    let shown = world.run(&["server", "show", "fs", "--json"]).exits(0).json();
    assert_eq!(shown["tools"][0]["description"], "fs tool: t");
    assert_eq!(world.run(&["run", "fs/t"]).exits(0).out, "called\n");
}

/// D-04: the status contains the reason.
#[test]
fn a_missing_program_fails_discovery_and_the_entry_stays() {
    let world = World::project();
    let args = ["server", "add", "fs", "--wait", "--", "/nowhere/at/all", "--flag"];
    world.run(&args).exits(3).stderr_contains(&[
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
        status["discoveryError"]
            .as_str()
            .is_some_and(|discovery_error| discovery_error.contains("program not found")),
        "{status}"
    );
    assert!(status["lastDiscovery"].as_str().is_some_and(is_rfc3339), "{status}");
    let file = std::fs::read_to_string(world.path("toolscout.toml")).expect("the entry");
    assert!(file.contains("[servers.fs]") && file.contains("/nowhere/at/all"), "{file}");
    world.run(&args).exits(2).stderr_contains(&["Server 'fs' already exists", "--replace"]);
}

/// D-05: the process is killed after the timeout.
#[test]
fn discovery_of_an_unresponsive_server_times_out() {
    let world = World::trusted()
        .server("fs", "hang_start", &[])
        .append_config("discovery_timeout_ms = 500");
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
        status["discoveryError"]
            .as_str()
            .is_some_and(|discovery_error| discovery_error.starts_with("timeout: ")),
        "{status}"
    );
    assert_eq!(world.processes("fs").iter().filter(|process| is_alive(**process)).count(), 0);
    assert_eq!(world.starts("fs"), 1);
}
