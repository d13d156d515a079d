//! 1. Cached tools stay when a server fails, and are marked as stale.
//! 2. The failure of one server does not affect others.
//! 3. Reading starts nothing, and irrelevant changes cause no discovery.
//! 4. Only one process queries a server at a time.

use super::fixture::{start_until_logged, wait_until};
use crate::serve::Agent;
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
fn a_failed_refresh_drops_cached_tools_if_the_entry_says_so() {
    let world =
        World::trusted().breakable("fs", "honest", &[]).append_config("drop_on_failure = true");
    world.run(&["server", "refresh", "fs"]).exits(0);
    assert_eq!(world.names(&[]).len(), 6);
    world.break_server("fs");
    world.run(&["server", "refresh", "fs"]).exits(3);
    let status = world.status("fs");
    assert_eq!((&status["discoveryStatus"], &status["toolCount"]), (&json!("failed"), &json!(0)));
    assert!(world.names(&["--quiet"]).is_empty());
    world.repair_server("fs");
    world.run(&["server", "refresh", "fs"]).exits(0);
    assert_eq!(world.names(&[]).len(), 6);
}

/// M-13d: the host lists the server that it runs, and no second instance starts.
#[test]
fn a_refresh_uses_the_servers_of_a_running_process() {
    let world = World::trusted().breakable("fs", "honest", &[]);
    world.run(&["server", "refresh"]).exits(0);
    let host = world.host();
    world.run(&["run", "fs/echo", "--text", "a"]).exits(0);
    let (starts, lists) = (world.starts("fs"), world.request_count("fs", "tools/list"));
    world.run(&["server", "refresh"]).exits(0).stdout_contains(&["fs: 6 tools"]);
    let refreshed = world.run(&["server", "refresh", "fs", "--json"]).exits(0).json();
    assert_eq!(refreshed["servers"][0]["status"], "refreshed");
    assert_eq!(world.starts("fs"), starts);
    assert!(world.request_count("fs", "tools/list") >= lists + 2);
    // An entry that the host would start differently is refreshed here.
    let world = world.append_config("env = { MORE = \"1\" }");
    world.run(&["server", "refresh"]).exits(0).stdout_contains(&["fs: 6 tools"]);
    assert_eq!(world.starts("fs"), starts + 1);
    // So is every server once the host is gone.
    host.kill();
    world.run(&["server", "refresh"]).exits(0);
    assert_eq!(world.starts("fs"), starts + 2);
}

/// E-17: search and `describe` still work.
#[test]
fn tools_of_an_unavailable_server_stay_listed_and_calls_explain_the_error() {
    let world = World::trusted().breakable("fs", "honest", &[]);
    world.run(&["server", "refresh"]).exits(0);
    world.break_server("fs");
    world.run(&["run", "fs/echo", "--text", "a"]).exits(3).stderr_contains(&["fs", "out of order"]);
    world.run(&["server", "refresh"]).exits(3);
    assert_eq!(world.names(&["--quiet"]).len(), 6);
    world.run(&["--quiet", "search", "give back the text"]).exits(0).stdout_contains(&["fs/echo"]);
    world.run(&["--quiet", "describe", "fs/echo"]).exits(0).stdout_contains(&["echo"]);
    world.run(&["tools"]).exits(0).stderr_contains(&["1 server is unavailable"]);
    let doctor = world.run(&["doctor"]).exits(1);
    for part in ["could not load the tools of `fs`", "toolscout server refresh fs"] {
        assert!(doctor.out.contains(part), "{doctor:?}");
    }
    world.repair_server("fs");
    assert_eq!(world.run(&["run", "fs/echo", "--text", "a"]).exits(0).out, "a\n");
}

/// M-05d: the hash is in `server list` and `server show`, changes with the command, and does not
/// reveal the value of a variable.
#[test]
fn the_config_hash_changes_with_the_entry_of_a_server() {
    let hash = |world: &World| {
        let listed = world.status("fs")["configHash"].clone();
        let shown = world.run(&["server", "show", "fs", "--json"]).exits(0).json();
        assert_eq!(shown["server"]["configHash"], listed, "{shown}");
        listed.as_str().expect("a hash").to_owned()
    };
    let world = World::trusted().server("fs", "honest", &[]);
    let never = hash(&world);
    world.run(&["server", "refresh"]).exits(0);
    assert_eq!(hash(&world), never);
    let world = world.append_config("env = { TOKEN = \"env:FS_TOKEN\" }").var("FS_TOKEN", "one");
    let (with_variable, other_value) = (hash(&world), hash(&world.var("FS_TOKEN", "two")));
    assert!(never != with_variable && with_variable != other_value, "{with_variable}");
}

/// D-08: a policy does not require a new discovery.
#[test]
fn changing_a_policy_does_not_start_the_server() {
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
    wait_until("the enabled server is discovered", || {
        world.status("fs")["discoveryStatus"] == "success"
    });
    assert_eq!(world.run(&["run", "fs/echo", "--text", "a"]).exits(0).out, "a\n");
}

/// D-11: fifty servers, half of them discovered.
#[test]
fn reading_cached_tools_starts_no_server() {
    // A search would load the tools of the others.
    let world = World::trusted().file("toolscout.toml", "serve = { wait_for_discovery = 0 }\n");
    let world =
        (0..50).fold(world, |world, index| world.server(&format!("s{index}"), "honest", &[]));
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
    assert_eq!(starts, 3, "only the requested servers are started");
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
    assert!(first.wait().expect("the process exits").success());
    assert!(second.wait().expect("the process exits").success());
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
        .stderr_contains(&["1 server is unavailable", "toolscout server list"]);
    world.run(&["server", "list"]).exits(0).stdout_contains(&["late", "out of order"]);
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
    world.run(&["tools"]).exits(0).stderr_contains(&["1 server is unavailable or still loading"]);
    world.run(&["doctor"]).exits(1).stdout_contains(&[
        "the tools of `new` are not loaded yet",
        "toolscout server refresh new",
    ]);
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
    assert_eq!(world.starts("fs"), starts, "a current list is not requested again");
    let world = world.server("bad", "exit_now", &[]);
    world
        .run(&["run", "bad/echo"])
        .exits(3)
        .stderr_contains(&["bad"])
        .stderr_lacks(&["Unknown tool"]);
}

/// M-02a, M-02b: a policy map names tools of a server that was never discovered.
#[test]
fn tools_named_by_a_policy_are_placeholders_until_the_first_discovery() {
    let tools = json!([
        {"name": "a", "description": "The first", "inputSchema": {"type": "object"}},
        {"name": "c", "inputSchema": {"type": "object"}},
    ]);
    let world = World::trusted().file("toolscout.toml", "serve = { wait_for_discovery = 0 }\n");
    let world = world.listing("nv", &tools);
    let world = world.append_config("tools = { a = \"ask\", b = \"deny\", \"*\" = \"allow\" }");
    let listed = world.tools(&[]);
    let seen: Vec<_> =
        listed.iter().map(|tool| [&tool["id"], &tool["status"], &tool["policy"]]).collect();
    let expected = [["nv/a", "unavailable", "ask"], ["nv/b", "unavailable", "deny"]];
    assert_eq!(json!(seen), json!(expected));
    let reason = listed[0]["reason"].as_str().unwrap_or_default();
    assert!(reason.contains("toolscout server refresh nv"), "{reason}");
    world.run(&["policy", "nv/a"]).exits(0).stdout_contains(&["nv/a", "ask"]);
    assert_eq!(
        world.run(&["search", "--json", "a"]).json(),
        json!([]),
        "an unavailable tool is not found"
    );
    assert_eq!(world.run(&["lock", "--print"]).out.matches("nv/").count(), 0);
    world.run(&["server", "refresh", "nv"]).exits(0);
    let ids: Vec<_> = world.tools(&[]).iter().map(|tool| tool["id"].clone()).collect();
    assert_eq!(json!(ids), json!(["nv/a", "nv/c"]));
    assert_eq!(world.tools(&[])[0]["status"], "ready", "a placeholder approves nothing");
}

/// M-02c: a call of a placeholder discovers the server first.
#[test]
fn calling_a_placeholder_discovers_its_server() {
    let tools = json!([{"name": "a", "inputSchema": {"type": "object"}}]);
    let world = World::trusted().listing("nv", &tools);
    let world = world.append_config("tools = { a = \"allow\", b = \"allow\" }");
    let mut agent = Agent::legacy(&world, &["--meta-tools", "always"]);
    assert_eq!(agent.text("execute_tool", json!({"name": "nv/a", "arguments": {}})), "called");
    drop(agent);
    assert_eq!(world.run(&["run", "nv/a"]).exits(0).out, "called\n");
    world.run(&["run", "nv/b"]).exits(5).stderr_contains(&["Unknown tool: nv/b"]);
}
