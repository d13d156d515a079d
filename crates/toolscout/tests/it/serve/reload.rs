//! What people change while agents are served holds at once, and nothing that was not changed is disturbed.

use super::web::Web;
use super::{Agent, library};
use crate::servers::scene::{is_alive, process_id, until};
use crate::world::World;
use serde_json::{Value, json};
use std::fs;
use std::time::{Duration, Instant};

const CHANGED: &str = "notifications/tools/list_changed";

fn known(world: World) -> World {
    world.run(&["server", "refresh"]).exits(0);
    world
}

/// The process that answers to this server's name.
fn process(agent: &mut Agent, id: &str) -> u32 {
    let said: Value =
        serde_json::from_str(&agent.text(&format!("{id}__whoami"), json!({}))).expect("JSON");
    process_id(&said["pid"])
}

fn searched(agent: &mut Agent, query: &str) -> String {
    agent.text("tool_search", json!({"query": query, "detail": "names", "limit": 100}))
}

fn edit(world: &World, change: impl Fn(String) -> String) {
    let file = world.path("toolscout.toml");
    let text = fs::read_to_string(&file).expect("it is there");
    fs::write(&file, change(text)).expect("change it");
}

/// F-08: what is added in another terminal is there within two seconds, what is removed is gone from list and search.
#[test]
fn a_server_comes_and_goes_while_an_agent_is_connected() {
    let world = known(library().server("a", "honest", &[]).more("visibility = \"listed\""));
    let mut agent = Agent::legacy(&world, &[]);
    let kept = process(&mut agent, "a");
    let words = world.hostile("b", "honest", &[]);
    let words: Vec<&str> =
        ["server", "add", "b", "--"].into_iter().chain(words.iter().map(String::as_str)).collect();
    let began = Instant::now();
    world.run(&words).exits(0);
    until("it is found", || world.status("b")["discoveryStatus"] == "success");
    agent.next_that(|it| it["method"] == CHANGED);
    let mut found = searched(&mut agent, "add two numbers");
    while !found.contains("b/add") {
        assert!(began.elapsed() < Duration::from_secs(10), "{found}");
        found = searched(&mut agent, "add two numbers");
    }
    assert_eq!(agent.text("b__add", json!({"a": 1, "b": 2})), "3");
    let added = process(&mut agent, "b");
    // What other terminals say reaches it, too.
    assert_eq!(world.status("b")["state"], "idle");
    world.run(&["server", "stop", "b"]).exits(0);
    until("it is ended", || !is_alive(added));
    assert_eq!(agent.text("b__add", json!({"a": 2, "b": 2})), "4", "the next call starts it again");
    world.run(&["server", "remove", "b"]).exits(0);
    until("it is gone", || world.processes("b").iter().all(|it| !is_alive(*it)));
    assert!(!searched(&mut agent, "add two numbers").contains("b/add"));
    let fault = agent.fault("tools/call", json!({"name": "b__add", "arguments": {"a": 1, "b": 2}}));
    assert_eq!(fault["code"], -32602);
    assert_eq!(process(&mut agent, "a"), kept, "nobody has touched the other one");
}

/// An entry that is changed is another server; those that are not go on as they are.
#[test]
fn a_changed_entry_is_a_new_server_and_an_unchanged_one_the_same() {
    let world = known(World::trusted().server("a", "honest", &[]).server("b", "honest", &[]));
    let mut agent = Agent::legacy(&world, &[]);
    let before = (process(&mut agent, "a"), process(&mut agent, "b"));
    edit(&world, |text| {
        text.replacen("[servers.b]\n", "[servers.b]\ncall_timeout_ms = 5000\n", 1) + "# a remark\n"
    });
    until("the old one is gone", || !is_alive(before.1));
    assert_eq!(process(&mut agent, "a"), before.0);
    assert_ne!(process(&mut agent, "b"), before.1);
    edit(&world, |text| text.replacen("[servers.b]\n", "[servers.b]\nenabled = false\n", 1));
    let began = Instant::now();
    while searched(&mut agent, "add").contains("b/add") {
        assert!(began.elapsed() < Duration::from_secs(10));
    }
    assert_eq!(process(&mut agent, "a"), before.0);
}

/// A file that cannot be read changes nothing, and is named once.
#[test]
fn a_broken_file_leaves_all_as_it_was_until_it_is_mended() {
    let world = known(library().server("a", "honest", &[]));
    let good = fs::read_to_string(world.path("toolscout.toml")).expect("it is there");
    let web = Web::open(&world, &[]);
    fs::write(world.path("toolscout.toml"), "listed = [\"local/send_email\"\n").expect("break it");
    let said = web.says("warning:");
    assert!(said.contains("toolscout.toml") && said.contains("cannot be read"), "{said}");
    let mut session = web.session("/mcp", &[]);
    assert_eq!(session.listed(), ["execute_tool", "tool_search"]);
    assert_eq!(session.text("a__add", json!({"a": 1, "b": 1})), "2");
    fs::write(world.path("toolscout.toml"), format!("listed = [\"local/send_email\"]\n{good}"))
        .expect("mend it");
    until("it holds", || web.session("/mcp", &[]).listed().len() == 3);
    assert!(web.heard().iter().all(|it| !it.contains("cannot be read")), "it was said once");
}

/// Policies, pins and profiles follow their file.
#[test]
fn policies_pins_and_profiles_hold_without_a_restart() {
    let world = library().file("toolscout.toml", "# nothing yet\n");
    let web = Web::open(&world, &[]);
    let call = || web.session("/mcp", &[]).call("local__sql_query", json!({}));
    assert!(call()["isError"] != true);
    world.run(&["policy", "set", "local/sql_query", "deny"]).exits(0);
    until("it is denied", || call()["isError"] == true);
    let ping = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"});
    assert_eq!(web.post("/mcp/new", &[], &ping).status, 404);
    edit(&world, |text| {
        format!(
            "listed = [\"local/docker_build\"]\n{text}\n[profiles.new]\ninclude = [\"local/create_pdf\"]\nlisted = [\"*\"]\n"
        )
    });
    until("the profile is there", || web.post("/mcp/new", &[], &ping).status != 404);
    until("it has its tool", || web.session("/mcp/new", &[]).listed() == ["local__create_pdf"]);
    assert_eq!(
        web.session("/mcp", &[]).listed(),
        ["execute_tool", "local__docker_build", "tool_search"]
    );
    edit(&world, |text| text.replace("local/create_pdf", "local/health_check"));
    until("it has another one", || {
        web.session("/mcp/new", &[]).listed() == ["local__health_check"]
    });
    edit(&world, |text| text.split("[profiles.new]").next().unwrap_or_default().to_owned());
    until("the profile is gone", || web.post("/mcp/new", &[], &ping).status == 404);
}

/// What a person approves or trusts in another terminal counts here.
#[test]
fn what_is_approved_elsewhere_counts_at_once() {
    let world =
        World::trusted().server("a", "honest", &[]).more("trust = false\nvisibility = \"listed\"");
    world.run(&["server", "refresh"]).exits(0);
    let mut agent = Agent::legacy(&world, &[]);
    assert!(!agent.listed().contains(&"a__add".to_owned()), "each of its tools waits for a person");
    world.run(&["review", "--accept", "a"]).exits(0);
    agent.told(CHANGED);
    assert!(agent.listed().contains(&"a__add".to_owned()));
    assert_eq!(agent.text("a__add", json!({"a": 1, "b": 2})), "3");
}

#[test]
fn a_project_that_is_trusted_elsewhere_is_trusted_at_once() {
    let world = World::project().server("a", "honest", &[]);
    let mut agent = Agent::legacy(&world, &["--meta-tools", "always"]);
    assert!(!searched(&mut agent, "add two numbers").contains("a/add"));
    assert_eq!(world.starts("a"), 0);
    world.run(&["trust"]).exits(0);
    agent.told(CHANGED);
    assert!(searched(&mut agent, "add two numbers").contains("a/add"));
}

/// F-02: a server that was down is there as soon as somebody has asked it with success.
#[test]
fn a_server_that_was_down_is_there_when_it_was_asked_again() {
    let world = library().breakable("a", "honest", &[]);
    world.breaks("a");
    world.run(&["server", "refresh"]).exits(3);
    let mut agent = Agent::legacy(&world, &[]);
    assert!(searched(&mut agent, "email").contains("local/send_email"), "the rest is served");
    assert!(!searched(&mut agent, "add two numbers").contains("a/add"));
    world.mends("a");
    world.run(&["server", "refresh", "a"]).exits(0);
    agent.told(CHANGED);
    assert_eq!(agent.text("a__add", json!({"a": 1, "b": 2})), "3");
}
