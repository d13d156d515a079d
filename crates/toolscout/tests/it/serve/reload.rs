//! Changes apply to running agents at once, and unchanged parts are not disturbed.

use super::web::Web;
use super::{Agent, Client, library};
use crate::servers::fixture::{is_alive, process_id, wait_until};
use crate::world::World;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

const CHANGED: &str = "notifications/tools/list_changed";

fn known(world: World) -> World {
    world.run(&["server", "refresh"]).exits(0);
    world
}

/// The process id of this server.
fn process(agent: &mut Agent, id: &str) -> u32 {
    let output: Value =
        serde_json::from_str(&agent.text(&format!("{id}__whoami"), json!({}))).expect("JSON");
    process_id(&output["pid"])
}

fn searched(agent: &mut Agent, query: &str) -> String {
    agent.text("tool_search", json!({"query": query, "detail": "names", "limit": 100}))
}

fn edit(world: &World, change: impl Fn(String) -> String) {
    let text = fs::read_to_string(world.path("toolscout.toml")).expect("the configuration exists");
    world.replace("toolscout.toml", &change(text));
}

/// F-08: an added server appears within two seconds, and a removed one disappears from list and
/// search.
#[test]
fn servers_are_added_and_removed_while_an_agent_is_connected() {
    let world =
        known(library().server("a", "honest", &[]).append_config("visibility = \"listed\""));
    let mut agent = Agent::legacy(&world, &[]);
    let remaining = process(&mut agent, "a");
    let words = world.hostile("b", "honest", &[]);
    let words: Vec<&str> =
        ["server", "add", "b", "--"].into_iter().chain(words.iter().map(String::as_str)).collect();
    let started = Instant::now();
    world.run(&words).exits(0);
    wait_until("the added server is discovered", || {
        world.status("b")["discoveryStatus"] == "success"
    });
    agent.next_matching(|agent| agent["method"] == CHANGED);
    let mut found = searched(&mut agent, "add two numbers");
    while !found.contains("b/add") {
        assert!(started.elapsed() < Duration::from_secs(10), "{found}");
        found = searched(&mut agent, "add two numbers");
    }
    assert_eq!(agent.text("b__add", json!({"a": 1, "b": 2})), "3");
    let added = process(&mut agent, "b");
    // Commands in other terminals control the new server, too.
    assert_eq!(world.status("b")["state"], "idle");
    world.run(&["server", "stop", "b"]).exits(0);
    wait_until("the added server has ended", || !is_alive(added));
    assert_eq!(
        agent.text("b__add", json!({"a": 2, "b": 2})),
        "4",
        "the next call restarts the server"
    );
    world.run(&["server", "remove", "b"]).exits(0);
    wait_until("the removed server has ended", || {
        world.processes("b").iter().all(|process| !is_alive(*process))
    });
    assert!(!searched(&mut agent, "add two numbers").contains("b/add"));
    let fault =
        agent.request_error("tools/call", json!({"name": "b__add", "arguments": {"a": 1, "b": 2}}));
    assert_eq!(fault["code"], -32602);
    assert_eq!(process(&mut agent, "a"), remaining, "the other server was not restarted");
}

/// A world with two listed tools of server `old`, and the configuration that replaces it: the
/// servers `b` and `c`, which were never discovered.
fn replaced_world(more: &str) -> (World, String) {
    let world = World::trusted().listing("old", &tools(&["p", "q"]));
    let world = known(world.append_config(LISTED));
    let new = World::trusted()
        .entry("b", &world.breakable_command("b", "honest", &[]), LISTED)
        .entry("c", &world.hostile("c", "honest", &[]), LISTED);
    let new = fs::read_to_string(new.path("toolscout.toml")).expect("the configuration exists");
    (world.delay_server("b"), format!("{more}{new}"))
}

const LISTED: &str = "visibility = \"listed\"";

fn tools(names: &[&str]) -> Value {
    let tool = |name: &&str| json!({"name": name, "inputSchema": {"type": "object"}});
    names.iter().map(tool).collect()
}

/// The servers of all tools that a client lists, and of those that the HTTP API lists.
fn listed_servers(web: &Client) -> [Vec<String>; 2] {
    let sources = |names: Vec<String>, separator: &str| {
        let source = |name: String| name.split(separator).next().unwrap_or_default().to_owned();
        let mut sources: Vec<_> = names.into_iter().map(source).collect();
        sources.dedup();
        sources
    };
    let listed = web.session("/mcp", &[]).listed();
    let listed = listed.into_iter().filter(|name| name.contains("__")).collect();
    let answer = web.send("GET", "/api/tools?limit=1000", &[], "").message();
    let ids = answer["tools"].as_array().expect("tools").iter();
    let ids = ids.map(|tool| tool["id"].as_str().expect("an id").to_owned()).collect();
    [sources(listed, "__"), sources(ids, "/")]
}

/// M-04c: until the new servers are discovered, agents and the API see the old ones; then all of
/// the new ones at once.
#[test]
fn a_replaced_configuration_is_published_in_one_step() {
    let (world, new) = replaced_world("");
    let web = Web::open(&world, &[]);
    let (old, replaced) = (vec!["old".to_owned()], vec!["b".to_owned(), "c".to_owned()]);
    assert_eq!(listed_servers(&web), [old.clone(), old.clone()]);
    let (is_done, client): (_, &Client) = (AtomicBool::new(false), &web);
    let seen = std::thread::scope(|scope| {
        let reader = scope.spawn(|| {
            let mut seen = BTreeSet::new();
            while !is_done.load(Ordering::Relaxed) {
                seen.extend(listed_servers(client));
            }
            seen
        });
        // An editor that writes in place: first the file is empty.
        fs::write(world.path("toolscout.toml"), "").expect("empty it");
        fs::write(world.path("toolscout.toml"), &new).expect("replace it");
        world.wait_until_delayed("b");
        assert_eq!(listed_servers(&web), [old.clone(), old.clone()]);
        assert_eq!(web.session("/mcp", &[]).text("old__p", json!({})), "called");
        world.release_server("b");
        wait_until("the server is replaced", || listed_servers(&web)[0] == replaced);
        is_done.store(true, Ordering::Relaxed);
        reader.join().expect("the reader does not panic")
    });
    assert_eq!(seen.into_iter().collect::<Vec<_>>(), [replaced, old]);
}

/// M-04d: a new server that does not answer in time is loading; the others are published.
#[test]
fn a_slow_server_delays_a_replaced_configuration_for_a_limited_time() {
    let (world, new) = replaced_world("serve = { wait_for_discovery = 0.5 }\n");
    let web = Web::open(&world, &[]);
    fs::write(world.path("toolscout.toml"), &new).expect("replace it");
    world.wait_until_delayed("b");
    wait_until("the other servers are listed", || listed_servers(&web)[1] == ["c"]);
    let servers = web.send("GET", "/api/servers", &[], "").message();
    assert_eq!(servers["servers"][0]["discoveryStatus"], "discovering", "{servers}");
    world.release_server("b");
    wait_until("all servers are listed", || listed_servers(&web)[1] == ["b", "c"]);
}

/// A changed entry counts as a new server; other servers keep running.
#[test]
fn only_servers_with_changed_entries_are_restarted() {
    let world = known(World::trusted().server("a", "honest", &[]).server("b", "honest", &[]));
    let mut agent = Agent::legacy(&world, &[]);
    let before = (process(&mut agent, "a"), process(&mut agent, "b"));
    edit(&world, |text| {
        text.replacen("[servers.b]\n", "[servers.b]\ncall_timeout_ms = 5000\n", 1) + "# a remark\n"
    });
    wait_until("the old server has ended", || !is_alive(before.1));
    assert_eq!(process(&mut agent, "a"), before.0);
    assert_ne!(process(&mut agent, "b"), before.1);
    edit(&world, |text| text.replacen("[servers.b]\n", "[servers.b]\nenabled = false\n", 1));
    let started = Instant::now();
    while searched(&mut agent, "add").contains("b/add") {
        assert!(started.elapsed() < Duration::from_secs(10));
    }
    assert_eq!(process(&mut agent, "a"), before.0);
}

/// The file is reported once.
#[test]
fn a_broken_configuration_is_ignored_until_it_is_fixed() {
    let world = known(library().server("a", "honest", &[]));
    let good = fs::read_to_string(world.path("toolscout.toml")).expect("the configuration exists");
    let web = Web::open(&world, &[]);
    fs::write(world.path("toolscout.toml"), "listed = [\"local/send_email\"\n")
        .expect("write an invalid file");
    let output = web.wait_for_stderr("warning:");
    assert!(output.contains("toolscout.toml") && output.contains("cannot be read"), "{output}");
    let mut session = web.session("/mcp", &[]);
    assert_eq!(session.listed(), ["execute_tool", "tool_search"]);
    assert_eq!(session.text("a__add", json!({"a": 1, "b": 1})), "2");
    fs::write(world.path("toolscout.toml"), format!("listed = [\"local/send_email\"]\n{good}"))
        .expect("write a valid file");
    wait_until("the configuration applies", || web.session("/mcp", &[]).listed().len() == 3);
    assert!(
        web.new_stderr().iter().all(|item| !item.contains("cannot be read")),
        "the error was reported once"
    );
}

#[test]
fn policies_pins_and_profiles_are_reloaded() {
    let world = library().file("toolscout.toml", "# nothing yet\n");
    let web = Web::open(&world, &[]);
    let call = || web.session("/mcp", &[]).call("local__sql_query", json!({}));
    assert!(call()["isError"] != true);
    world.run(&["policy", "set", "local/sql_query", "deny"]).exits(0);
    wait_until("the call is denied", || call()["isError"] == true);
    let ping = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"});
    assert_eq!(web.post("/mcp/new", &[], &ping).status, 404);
    edit(&world, |text| {
        format!(
            "listed = [\"local/docker_build\"]\n{text}\n[profiles.new]\ninclude = [\"local/create_pdf\"]\nlisted = [\"*\"]\n"
        )
    });
    wait_until("the profile exists", || web.post("/mcp/new", &[], &ping).status != 404);
    wait_until("the profile has its tool", || {
        web.session("/mcp/new", &[]).listed() == ["local__create_pdf"]
    });
    assert_eq!(
        web.session("/mcp", &[]).listed(),
        ["execute_tool", "local__docker_build", "tool_search"]
    );
    edit(&world, |text| text.replace("local/create_pdf", "local/health_check"));
    wait_until("the profile has another tool", || {
        web.session("/mcp/new", &[]).listed() == ["local__health_check"]
    });
    edit(&world, |text| text.split("[profiles.new]").next().unwrap_or_default().to_owned());
    wait_until("the profile is removed", || web.post("/mcp/new", &[], &ping).status == 404);
}

/// Approvals and trust that an operator gives in another terminal apply here.
#[test]
fn approvals_of_other_processes_apply_immediately() {
    let world = World::trusted()
        .server("a", "honest", &[])
        .append_config("trust = false\nvisibility = \"listed\"");
    world.run(&["server", "refresh"]).exits(0);
    let mut agent = Agent::legacy(&world, &[]);
    assert!(!agent.listed().contains(&"a__add".to_owned()), "all its tools are quarantined");
    world.run(&["review", "--accept", "a"]).exits(0);
    agent.wait_for(CHANGED);
    assert!(agent.listed().contains(&"a__add".to_owned()));
    assert_eq!(agent.text("a__add", json!({"a": 1, "b": 2})), "3");
}

#[test]
fn trust_set_by_another_process_applies_immediately() {
    let world = World::project().server("a", "honest", &[]);
    let mut agent = Agent::legacy(&world, &["--meta-tools", "always"]);
    assert!(!searched(&mut agent, "add two numbers").contains("a/add"));
    assert_eq!(world.starts("a"), 0);
    world.run(&["trust"]).exits(0);
    agent.wait_for(CHANGED);
    assert!(searched(&mut agent, "add two numbers").contains("a/add"));
}

/// F-02: the tools appear once a refresh succeeds.
#[test]
fn a_server_that_was_down_appears_after_a_refresh() {
    let world = library().breakable("a", "honest", &[]);
    world.break_server("a");
    world.run(&["server", "refresh"]).exits(3);
    let mut agent = Agent::legacy(&world, &[]);
    assert!(searched(&mut agent, "email").contains("local/send_email"), "other tools are served");
    assert!(!searched(&mut agent, "add two numbers").contains("a/add"));
    world.repair_server("a");
    world.run(&["server", "refresh", "a"]).exits(0);
    agent.wait_for(CHANGED);
    assert_eq!(agent.text("a__add", json!({"a": 1, "b": 2})), "3");
}
