//! 1. A tool that comes, goes or changes is there at once, and clients that are connected are told.
//! 2. Nobody waits for a client that does not read.

use super::{Agent, library};
use crate::world::World;
use serde_json::json;
use std::fs;

const CHANGED: &str = "notifications/tools/list_changed";

fn listed_file(name: &str) -> String {
    format!("name = \"{name}\"\nvisibility = \"listed\"\n[run]\ncommand = [\"cat\"]\n")
}

/// N-01, A-20: a file that is added, changed and removed.
#[test]
fn a_tool_that_is_added_while_a_client_is_connected_is_announced() {
    let world = World::trusted().file("tools/a.tool.toml", &listed_file("a"));
    let mut agent = Agent::legacy(&world, &[]);
    assert_eq!(agent.listed(), ["local__a"]);
    fs::write(world.path("tools/b.tool.toml"), listed_file("b")).expect("add a tool");
    let news = agent.told(CHANGED);
    assert_eq!(news, json!({"jsonrpc": "2.0", "method": CHANGED}), "a notification has no id");
    assert_eq!(agent.listed(), ["local__a", "local__b"]);
    fs::write(world.path("tools/b.tool.toml"), listed_file("c")).expect("change it");
    agent.told(CHANGED);
    assert_eq!(agent.listed(), ["local__a", "local__c"]);
    fs::remove_file(world.path("tools/b.tool.toml")).expect("remove it");
    agent.told(CHANGED);
    assert_eq!(agent.listed(), ["local__a"]);
}

/// N-01 in the modern era: on the stream that was asked for, marked with its id.
#[test]
fn a_client_of_the_modern_era_hears_of_it_on_its_own_stream() {
    let world = World::trusted().file("tools/a.tool.toml", &listed_file("a"));
    let mut agent = Agent::modern(&world, &[]);
    let wants = json!({"notifications": {"toolsListChanged": true, "promptsListChanged": true}});
    let id = agent.ask("subscriptions/listen", wants);
    let mark = "io.modelcontextprotocol/subscriptionId";
    let agreed = agent.told("notifications/subscriptions/acknowledged");
    assert_eq!(
        agreed["params"]["notifications"],
        json!({"toolsListChanged": true}),
        "there are no prompts here"
    );
    assert_eq!(agreed["params"]["_meta"][mark], id);
    fs::write(world.path("tools/b.tool.toml"), listed_file("b")).expect("add a tool");
    let news = agent.told(CHANGED);
    assert_eq!(news["params"]["_meta"][mark], id);
    let (code, rest) = agent.end();
    assert_eq!(code, 0);
    assert!(
        rest.iter().any(|it| it["id"] == id && it["result"]["_meta"][mark] == id),
        "it ends with a word: {rest:?}"
    );
}

/// X-11: with the last tool that is hidden, the two tools go.
#[test]
fn when_nothing_is_hidden_any_more_the_two_tools_go() {
    let world = World::trusted().echo("tools/only.tool.toml", "only", "");
    let mut agent = Agent::legacy(&world, &[]);
    assert_eq!(agent.listed(), ["execute_tool", "tool_search"]);
    fs::remove_file(world.path("tools/only.tool.toml")).expect("remove it");
    agent.told(CHANGED);
    assert!(agent.listed().is_empty());
}

/// A server that has one tool more, and says so, once it was called.
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

/// F-05: a server that adds a tool.
#[test]
fn a_tool_that_a_server_adds_is_announced() {
    let words = ["sh", "g.sh"].map(str::to_owned);
    let world =
        World::trusted().entry("g", &words, "visibility = \"listed\"").file("g.sh", GROWING);
    world.run(&["server", "refresh"]).exits(0);
    let mut agent = Agent::legacy(&world, &[]);
    assert_eq!(agent.listed(), ["g__grow"]);
    agent.call("g__grow", json!({}));
    agent.told(CHANGED);
    assert_eq!(agent.listed(), ["g__grow", "g__grown"]);
}

/// F-02: a server that nobody has asked yet is asked in the background, and is there as soon as it answers.
#[test]
fn a_server_that_was_never_asked_is_asked_when_an_agent_arrives() {
    let world = library().server("a", "honest", &[]);
    let mut agent = Agent::legacy(&world, &[]);
    assert!(
        agent.call("execute_tool", json!({"name": "a/add", "arguments": {"a": 1, "b": 2}}))["isError"]
            != true
    );
    let found = agent.text("tool_search", json!({"query": "add two numbers", "detail": "names"}));
    assert!(found.contains("a/add"), "{found}");
}

/// N-02: a client that does not read holds nobody up.
#[test]
fn a_client_that_does_not_read_does_not_keep_a_tool_from_being_added() {
    let world = World::trusted().file("tools/a.tool.toml", &listed_file("a"));
    let silent = Agent::legacy(&world, &[]);
    for it in 0..50 {
        fs::write(world.path(&format!("tools/b{it}.tool.toml")), listed_file(&format!("b{it}")))
            .expect("add a tool");
    }
    let mut other = Agent::legacy(&world, &[]);
    assert_eq!(other.listed().len(), 51);
    drop(silent);
}
