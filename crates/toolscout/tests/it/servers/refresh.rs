//! 1. Cached tools stay when a server fails, and are marked as stale.
//! 2. The failure of one server does not affect others.
//! 3. Reading starts nothing, and irrelevant changes cause no discovery.
//! 4. Only one process queries a server at a time.

use super::scene::{until, until_logs};
use crate::world::World;
use serde_json::json;

/// D-06: the status contains the reason, and the tools are marked as stale. D-07: a successful
/// refresh clears the error.
#[test]
fn a_failed_refresh_keeps_cached_tools_and_a_successful_one_clears_the_error() {
    let world = World::trusted().breakable("fs", "honest", &[]);
    world.run(&["server", "refresh", "fs"]).exits(0);
    let known = world.names(&[]);
    world.break_server("fs");
    world
        .run(&["server", "refresh", "fs"])
        .exits(3)
        .stdout_contains(&["fs: failed: ", "out of order"]);
    let status = world.status("fs");
    assert_eq!(
        (&status["discoveryStatus"], &status["stale"], &status["toolCount"]),
        (&json!("failed"), &json!(true), &json!(6))
    );
    assert!(
        status["discoveryError"]
            .as_str()
            .is_some_and(|discovery_error| discovery_error.contains("out of order")),
        "{status}"
    );
    assert_eq!(world.names(&["--quiet"]), known);
    let shown = world.run(&["server", "show", "fs", "--json"]).exits(0).json();
    assert_eq!(shown["staleReason"], "the last discovery failed");

    world.repair_server("fs");
    world.run(&["server", "refresh", "fs"]).exits(0);
    let status = world.status("fs");
    assert_eq!(
        (&status["discoveryStatus"], &status["stale"], &status["discoveryError"]),
        (&json!("success"), &json!(false), &json!(null))
    );
    assert_eq!(world.stdout(&["tools"]).lines().count(), 6);
}

/// M-13a: the entry of a server may ask for the other behavior.
#[test]
fn tools_of_a_server_that_is_down_stay_and_a_call_says_why_it_cannot_run() {
    let world = World::trusted().breakable("fs", "honest", &[]);
    world.run(&["server", "refresh"]).exits(0);
    world.breaks("fs");
    world.run(&["run", "fs/echo", "--text", "a"]).exits(3).says(&["fs", "out of order"]);
    world.run(&["server", "refresh"]).exits(3);
    assert_eq!(world.names(&["--quiet"]).len(), 6);
    world.run(&["--quiet", "search", "give back the text"]).exits(0).prints(&["fs/echo"]);
    world.run(&["--quiet", "describe", "fs/echo"]).exits(0).prints(&["echo"]);
    world
        .run(&["tools"])
        .exits(0)
        .says(&["could not load the tools of `fs`", "toolscout server refresh fs"]);
    world.mends("fs");
    assert_eq!(world.run(&["run", "fs/echo", "--text", "a"]).exits(0).out, "a\n");
}

/// D-08: a policy is nothing the server need be asked about.
#[test]
fn a_changed_policy_asks_nobody() {
    let world = World::trusted().server("fs", "honest", &[]);
    world.run(&["server", "refresh"]).exits(0);
    let before = world.discovery("fs");
    let world = world.append_config("tools = { echo = \"ask\", add = \"deny\" }");
    assert_eq!(world.discovery("fs"), before);
    let shown = world.run(&["server", "show", "fs", "--json"]).exits(0).json();
    assert_eq!(shown["staleReason"], json!(null));
    let policy = |at: usize| shown["tools"][at]["configuredPolicy"].clone();
    assert_eq!((policy(0), policy(1), policy(2)), (json!("ask"), json!("deny"), json!(null)));
    world.run(&["tools"]).exits(0);
    world.run(&["run", "fs/add", "--a", "1", "--b", "2"]).exits(4);
    assert_eq!(world.starts("fs"), 1, "only the first refresh started it");
    // Different arguments may result in different tools.
    let text = std::fs::read_to_string(world.path("toolscout.toml")).expect("the file");
    let world =
        world.file("toolscout.toml", &text.replace("\"--ttl\"", "\"--tools\",\"1\",\"--ttl\""));
    assert_eq!(world.status("fs")["stale"], true);
    assert_eq!(world.starts("fs"), 1);
}

/// D-10
#[test]
fn a_disabled_server_is_neither_started_nor_listed() {
    let world = World::trusted()
        .server("fs", "honest", &[])
        .append_config("enabled = false")
        .server("other", "honest", &[]);
    world.run(&["server", "refresh"]).exits(0).stdout_contains(&["other: 6 tools"]);
    world
        .run(&["server", "refresh", "fs"])
        .exits(3)
        .stderr_contains(&["server `fs` is disabled", "toolscout server enable fs"]);
    world.run(&["run", "fs/echo", "--text", "a"]).exits(5);
    assert!(
        world
            .tools(&[])
            .iter()
            .all(|tool| tool["id"].as_str().is_some_and(|id| id.starts_with("other/")))
    );
    assert_eq!(world.status("fs")["state"], "disabled");
    assert_eq!(world.starts("fs"), 0);
    world.run(&["server", "enable", "fs"]).exits(0).stderr_contains(&["fs is now enabled"]);
    wait_until("the enabled server is known", || {
        world.status("fs")["discoveryStatus"] == "success"
    });
    assert_eq!(world.run(&["run", "fs/echo", "--text", "a"]).exits(0).out, "a\n");
}

/// D-11: fifty servers, half of them discovered.
#[test]
fn reading_what_is_known_starts_no_server() {
    let world =
        (0..50).fold(World::trusted(), |world, it| world.server(&format!("s{it}"), "honest", &[]));
    world.run(&["server", "refresh", "s0", "s1", "s2"]).exits(0);
    let commands: [&[&str]; 11] = [
        &["tools"],
        &["tools", "--json"],
        &["search", "text"],
        &["describe", "s1/echo"],
        &["server"],
        &["server", "list", "--json"],
        &["server", "show", "s1"],
        &["server", "show", "s9"],
        &["--help"],
        &["s1/echo", "--help"],
        &["__complete", "--", "s1/echo", "--"],
    ];
    commands.iter().for_each(|command| drop(world.run(command).exits(0)));
    let starts: usize = (0..50).map(|index| world.starts(&format!("s{index}"))).sum();
    assert_eq!(starts, 3, "only those that were asked for");
}

/// D-25: the second refresh waits for the result of the first.
#[test]
fn concurrent_refreshes_of_a_server_start_one_process() {
    let world = World::trusted().breakable("fs", "honest", &[]).delay_server("fs");
    let refresh = ["server", "refresh", "fs"];
    let (mut first, _talk) = start_until_logged(&world, &refresh, "tools.discovery.started");
    world.wait_until_delayed("fs");
    let (mut second, _also) = start_until_logged(&world, &refresh, "tools.discovery.awaited");
    world.release_server("fs");
    assert!(first.wait().expect("it ends").success());
    assert!(second.wait().expect("it ends").success());
    assert_eq!((world.starts("fs"), world.request_count("fs", "tools/list")), (1, 1));
}

/// E-16 and F-02: the tools of the available server are listed, and the error of the other is
/// reported.
#[test]
fn an_unavailable_server_does_not_affect_others_and_can_be_refreshed_later() {
    let world = World::trusted().server("good", "honest", &[]).breakable(
        "late",
        "honest",
        &["--tools", "1"],
    );
    world.break_server("late");
    let refresh = world.run(&["server", "refresh"]).exits(3);
    assert!(
        refresh.out.contains("good: 6 tools (") && refresh.out.contains("late: failed: "),
        "{refresh:?}"
    );
    let tools = world
        .run(&["tools"])
        .exits(0)
        .says(&["could not load the tools of `late`", "out of order"]);
    assert_eq!(tools.out.lines().count(), 6);
    assert_eq!(world.stdout(&["run", "good/echo", "--text", "fine"]), "fine\n");
    world.repair_server("late");
    world.run(&["server", "refresh"]).exits(0);
    assert_eq!(world.names(&[]).len(), 13);
    assert_eq!(world.stdout(&["run", "late/echo", "--text", "here"]), "here\n");
}

/// E-18
#[test]
fn disabling_a_server_removes_its_tools_and_logs_the_count() {
    let world =
        World::trusted().server("fs", "honest", &[]).server("other", "honest", &["--tools", "3"]);
    world.run(&["server", "refresh"]).exits(0);
    world.run(&["server", "disable", "other"]).exits(0).stderr_contains(&["other is now disabled"]);
    let outcome = world.run(&["--verbose", "--log-format", "json", "server", "refresh"]).exits(0);
    let [removed] = &outcome.events("tools_removed")[..] else {
        panic!("not one event: {outcome:?}")
    };
    assert_eq!((&removed["server"], &removed["removed"]), (&json!("other"), &json!(9)));
    assert_eq!(world.names(&[]).len(), 6);
    world
        .run(&["server", "remove", "fs"])
        .exits(0)
        .stderr_contains(&["Removed fs from ", "6 tools deleted from the cache"]);
    assert_eq!(world.names(&[]), [""; 0]);
}

/// E-19: before the refresh, the output says that the server is not discovered.
#[test]
fn a_manually_added_server_appears_after_a_refresh() {
    let world = World::trusted().server("fs", "honest", &[]);
    world.run(&["server", "refresh"]).exits(0);
    let world = world.server("new", "honest", &["--tools", "2"]);
    world
        .run(&["tools"])
        .exits(0)
        .says(&["the tools of `new` are not loaded yet", "toolscout server refresh new"]);
    assert_eq!(
        (world.status("new")["discoveryStatus"].clone(), world.starts("new")),
        (json!("never"), 0)
    );
    world.run(&["server", "refresh"]).exits(0).stdout_contains(&["new: 8 tools"]);
    assert_eq!(world.names(&[]).len(), 14);
}

/// E-19: no explicit refresh is needed.
#[test]
fn calling_a_tool_of_an_undiscovered_server_discovers_it_first() {
    let world = World::trusted().server("fs", "honest", &[]);
    assert_eq!(world.run(&["run", "fs/echo", "--text", "at once"]).exits(0).out, "at once\n");
    assert_eq!(world.status("fs")["discoveryStatus"], "success");
    assert_eq!(world.names(&[]).len(), 6);
    let starts = world.starts("fs");
    world.run(&["run", "fs/nothing"]).exits(5).stderr_contains(&["Unknown tool: fs/nothing"]);
    assert_eq!(world.starts("fs"), starts, "what was just listed need not be listed again");
    let world = world.server("bad", "exit_now", &[]);
    world.run(&["run", "bad/echo"]).exits(3).says(&["bad"]).keeps_quiet_about(&["Unknown tool"]);
}
