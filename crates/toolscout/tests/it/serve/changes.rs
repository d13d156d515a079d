//! 1. An added, removed or changed tool takes effect at once, and connected clients are notified.
//! 2. A client that does not read does not block the program.

use super::{Agent, library};
use crate::world::World;
use serde_json::json;
use std::fs;

const CHANGED: &str = "notifications/tools/list_changed";

fn listed_file(name: &str) -> String {
    format!("name = \"{name}\"\nvisibility = \"listed\"\n[run]\ncommand = [\"cat\"]\n")
}

/// N-01, A-20: a file is added, changed and removed.
#[test]
fn adding_a_tool_notifies_connected_clients() {
    let world = World::trusted().file("tools/a.tool.toml", &listed_file("a"));
    let mut agent = Agent::legacy(&world, &[]);
    assert_eq!(agent.listed(), ["local__a"]);
    world.replace("tools/b.tool.toml", &listed_file("b"));
    let notification = agent.wait_for(CHANGED);
    assert_eq!(
        notification,
        json!({"jsonrpc": "2.0", "method": CHANGED}),
        "a notification has no id"
    );
    assert_eq!(agent.listed(), ["local__a", "local__b"]);
    world.replace("tools/b.tool.toml", &listed_file("c"));
    agent.wait_for(CHANGED);
    assert_eq!(agent.listed(), ["local__a", "local__c"]);
    fs::remove_file(world.path("tools/b.tool.toml")).expect("remove it");
    agent.wait_for(CHANGED);
    assert_eq!(agent.listed(), ["local__a"]);
}

#[test]
fn a_client_that_repeats_initialized_is_notified_once() {
    let world = World::trusted().file("tools/a.tool.toml", &listed_file("a"));
    let mut agent = Agent::legacy(&world, &[]);
    for _ in 0..20 {
        agent.notify("notifications/initialized", json!({}));
    }
    assert_eq!(agent.listed(), ["local__a"]);
    world.replace("tools/b.tool.toml", &listed_file("b"));
    agent.wait_for(CHANGED);
    // The messages of the other notifiers would precede the end.
    let (_, rest) = agent.end();
    let repeated = rest.iter().filter(|message| message["method"] == CHANGED).count();
    assert_eq!(repeated, 0, "{rest:?}");
}

/// N-01 in the modern era: the notification arrives on the subscription's stream, with its id.
#[test]
fn a_modern_client_is_notified_on_its_subscription() {
    let world = World::trusted().file("tools/a.tool.toml", &listed_file("a"));
    let mut agent = Agent::modern(&world, &[]);
    let wants = json!({"notifications": {"toolsListChanged": true, "promptsListChanged": true}});
    let id = agent.send_request("subscriptions/listen", wants);
    let mark = "io.modelcontextprotocol/subscriptionId";
    let agreed = agent.wait_for("notifications/subscriptions/acknowledged");
    assert_eq!(
        agreed["params"]["notifications"],
        json!({"toolsListChanged": true}),
        "no source has prompts"
    );
    assert_eq!(agreed["params"]["_meta"][mark], id);
    world.replace("tools/b.tool.toml", &listed_file("b"));
    let notification = agent.wait_for(CHANGED);
    assert_eq!(notification["params"]["_meta"][mark], id);
    let (code, rest) = agent.end();
    assert_eq!(code, 0);
    assert!(
        rest.iter().any(|item| item["id"] == id && item["result"]["_meta"][mark] == id),
        "the stream ends with a result: {rest:?}"
    );
}

/// X-11
#[test]
fn the_meta_tools_disappear_if_no_tool_is_hidden() {
    let world = World::trusted().echo("tools/only.tool.toml", "only", "");
    let mut agent = Agent::legacy(&world, &[]);
    assert_eq!(agent.listed(), ["execute_tool", "tool_search"]);
    fs::remove_file(world.path("tools/only.tool.toml")).expect("remove it");
    agent.wait_for(CHANGED);
    assert!(agent.listed().is_empty());
}

/// A server that adds a tool after its first call and sends a notification.
const GROWING: &str = r#"
while IFS= read -r line; do
  id=${line#*'"id":'}; id=${id%%[,\}]*}
  case $line in
  *'"server/discover"'*) printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no"}}\n' "$id" ;;
  *'"initialize"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"g","version":"1"}}}\n' "$id" ;;
  *'"tools/list"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{"tools":[{"name":"grow","inputSchema":{"type":"object"}}%s]}}\n' "$id" "$more" ;;
  *'"tools/call"'*)
    more=',{"name":"grown","inputSchema":{"type":"object"}}'
    printf '{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}\n'
    printf '{"jsonrpc":"2.0","id":%s,"result":{"content":[]}}\n' "$id" ;;
  esac
done"#;

/// F-05
#[test]
fn a_tool_added_by_a_server_notifies_clients() {
    let words = ["sh", "g.sh"].map(str::to_owned);
    let world =
        World::trusted().entry("g", &words, "visibility = \"listed\"").file("g.sh", GROWING);
    world.run(&["server", "refresh"]).exits(0);
    let mut agent = Agent::legacy(&world, &[]);
    assert_eq!(agent.listed(), ["g__grow"]);
    agent.call("g__grow", json!({}));
    agent.wait_for(CHANGED);
    assert_eq!(agent.listed(), ["g__grow", "g__grown"]);
}

/// F-02: the discovery runs in the background, and the tools appear once the server has responded.
#[test]
fn an_undiscovered_server_is_discovered_when_an_agent_connects() {
    let world = library().server("a", "honest", &[]);
    let mut agent = Agent::legacy(&world, &[]);
    assert!(
        agent.call("execute_tool", json!({"name": "a/add", "arguments": {"a": 1, "b": 2}}))["isError"]
            != true
    );
    let found = agent.text("tool_search", json!({"query": "add two numbers", "detail": "names"}));
    assert!(found.contains("a/add"), "{found}");
}

/// N-02
#[test]
fn a_client_that_does_not_read_does_not_block_updates() {
    let world = World::trusted().file("tools/a.tool.toml", &listed_file("a"));
    let silent = Agent::legacy(&world, &[]);
    for index in 0..50 {
        fs::write(
            world.path(&format!("tools/b{index}.tool.toml")),
            listed_file(&format!("b{index}")),
        )
        .expect("add a tool");
    }
    let mut other = Agent::legacy(&world, &[]);
    assert_eq!(other.listed().len(), 51);
    drop(silent);
}
