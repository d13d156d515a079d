//! 1. `context` prints the texts that applications know, from what is remembered, and starts nothing.
//! 2. The budget holds, and what is left out is counted.
//! 3. What is essential can be configured, and a prompt can be put before it.
//! 4. Agents are told the same when they connect, each time.

use crate::world::World;
use serde_json::{Value, json};
use toolscout::surface::tokens;

const CLOSING: &str = "When you need to perform actions like searching, creating issues, sending messages, or accessing external services, use the appropriate MCP tool. Tool details are available when you invoke them.";

fn tools(names: &[&str]) -> Value {
    names
        .iter()
        .map(|it| json!({"name": it, "description": "Does it", "inputSchema": {"type": "object"}}))
        .collect()
}

/// Servers with these tools, of which all is known.
fn known(servers: &[(&str, &[&str])]) -> World {
    let world = servers
        .iter()
        .fold(World::trusted(), |world, (id, names)| world.listing(id, &tools(names)));
    world.run(&["server", "refresh"]).exits(0);
    world
}

/// E-01
#[test]
fn without_tools_it_says_that_they_will_be_discovered() {
    let text = "You have access to external tools via MCP servers. Tools will be discovered when you attempt to use them.\n";
    assert_eq!(World::project().out(&["context"]), text);
}

/// E-02, E-03 and E-06
#[test]
fn it_says_what_each_server_has() {
    let world = known(&[("rube", &["github_search", "slack_send"]), ("custom", &["custom_tool"])]);
    let context = world.out(&["context"]);
    let lines = "You have access to external tools via MCP:\n• custom: 1 tools available\n• rube: github_search, slack_send\n\n";
    assert_eq!(context, format!("{lines}{CLOSING}\n"));
    assert!(!context.contains("\"type\""));
    let world = known(&[("rube", &["github_search", "random_tool"])]);
    assert!(world.out(&["context"]).contains("\n• rube: github_search and 1 other tools\n"));
}

/// E-05
#[test]
fn the_budget_holds_and_what_is_left_out_is_counted() {
    let names: Vec<String> = (0..40).map(|it| format!("server-{it:02}")).collect();
    let servers: Vec<(&str, &[&str])> =
        names.iter().map(|it| (it.as_str(), &["search", "other"][..])).collect();
    let world = known(&servers);
    let context = world.out(&["context", "--budget", "200"]);
    assert!(tokens::at_most(context.trim_end()) <= 200, "{context}");
    assert!(context.contains(" more servers with "), "{context}");
    assert_eq!(context, world.out(&["context", "--budget", "200"]));
    let whole = world.run(&["context", "--json"]).exits(0).json();
    assert_eq!((&whole["servers"], &whole["tools"]), (&json!(40), &json!(80)));
    assert!(whole["tokens"].as_u64() <= Some(500), "{whole}");
    world
        .run(&["context", "--budget", "5"])
        .exits(0)
        .says(&["the budget is too small for any text"]);
    world.run(&["context", "--budget", "0"]).exits(2).says(&["--budget"]);
}

/// E-07
#[test]
fn a_prompt_comes_first_from_a_file_or_from_standard_input() {
    let world =
        known(&[("rube", &["github_search"])]).file("base.txt", "You are Orion.\nBe brief.\n");
    let context = world.out(&["context"]);
    let expected = format!("You are Orion.\nBe brief.\n\n## Available Tools\n{context}");
    assert_eq!(world.out(&["context", "--prompt", "base.txt"]), expected);
    let piped =
        world.run_with(b"You are Orion.\nBe brief.", &["context", "--prompt", "-"]).exits(0);
    assert_eq!(piped.out, expected);
    world.run(&["context", "--prompt", "none.txt"]).exits(3).says(&["none.txt"]);
}

#[test]
fn what_is_essential_is_configured() {
    let world = known(&[("rube", &["github_search", "send_invoice"])]);
    let world = world.more("[context]\nessential = [\"Invoice\"]");
    assert!(world.out(&["context"]).contains("\n• rube: send_invoice and 1 other tools\n"));
    let world = known(&[("rube", &["x"])]).more("[context]\nesential = []");
    world.run(&["context"]).exits(2).says(&["did you mean `essential`?"]);
}

#[test]
fn reading_starts_no_server() {
    let world = World::trusted().server("fs", "honest", &[]);
    world.run(&["context"]).exits(0);
    assert_eq!(world.starts("fs"), 0);
}

#[test]
fn agents_are_told_the_same_each_time_they_connect() {
    let world = known(&[("rube", &["github_search", "random_tool"])]);
    let hello = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}"#;
    let told = || {
        let outcome = world.run_with(format!("{hello}\n").as_bytes(), &["serve"]).exits(0);
        outcome.json()["result"]["instructions"].as_str().expect("instructions").to_owned()
    };
    let first = told();
    assert!(
        first.contains("tool_search")
            && first.contains("\n• rube: github_search and 1 other tools\n"),
        "{first}"
    );
    assert_eq!(first, told());
}
