//! 1. `context` prints the texts that applications expect, from the cache, and starts no server.
//! 2. The text fits the budget and states how many tools it omits.
//! 3. The essential tools can be configured, and a prompt can precede the text.
//! 4. An agent receives the same text each time it connects.

use crate::world::World;
use serde_json::{Value, json};
use toolscout::surface::tokens;

const CLOSING: &str = "When you need to perform actions like searching, creating issues, sending messages, or accessing external services, use the appropriate MCP tool. Tool details are available when you invoke them.";

fn tools(names: &[&str]) -> Value {
    names
        .iter()
        .map(|name| json!({"name": name, "description": "Does it", "inputSchema": {"type": "object"}}))
        .collect()
}

/// A project with discovered servers that have these tools.
fn known(servers: &[(&str, &[&str])]) -> World {
    let world = servers
        .iter()
        .fold(World::trusted(), |world, (id, names)| world.listing(id, &tools(names)));
    world.run(&["server", "refresh"]).exits(0);
    world
}

/// E-01
#[test]
fn without_tools_the_summary_says_that_they_will_be_discovered() {
    let text = "You have access to external tools via MCP servers. Tools will be discovered when you attempt to use them.\n";
    assert_eq!(World::project().stdout(&["context"]), text);
}

/// E-02, E-03 and E-06
#[test]
fn the_summary_describes_each_server() {
    let world = known(&[("rube", &["github_search", "slack_send"]), ("custom", &["custom_tool"])]);
    let context = world.stdout(&["context"]);
    let lines = "You have access to external tools via MCP:\n• custom: 1 tools available\n• rube: github_search, slack_send\n\n";
    assert_eq!(context, format!("{lines}{CLOSING}\n"));
    assert!(!context.contains("\"type\""));
    let world = known(&[("rube", &["github_search", "random_tool"])]);
    assert!(world.stdout(&["context"]).contains("\n• rube: github_search and 1 other tools\n"));
}

/// E-05
#[test]
fn the_summary_fits_the_budget_and_counts_omitted_tools() {
    let names: Vec<String> = (0..40).map(|index| format!("server-{index:02}")).collect();
    let servers: Vec<(&str, &[&str])> =
        names.iter().map(|name| (name.as_str(), &["search", "other"][..])).collect();
    let world = known(&servers);
    let context = world.stdout(&["context", "--budget", "200"]);
    assert!(tokens::at_most(context.trim_end()) <= 200, "{context}");
    assert!(context.contains(" more servers with "), "{context}");
    assert_eq!(context, world.stdout(&["context", "--budget", "200"]));
    let whole = world.run(&["context", "--json"]).exits(0).json();
    assert_eq!((&whole["servers"], &whole["tools"]), (&json!(40), &json!(80)));
    assert!(whole["tokens"].as_u64() <= Some(500), "{whole}");
    world
        .run(&["context", "--budget", "5"])
        .exits(0)
        .stderr_contains(&["the budget is too small for any text"]);
    world.run(&["context", "--budget", "0"]).exits(2).stderr_contains(&["--budget"]);
}

/// E-07
#[test]
fn a_prompt_from_a_file_or_stdin_precedes_the_summary() {
    let world =
        known(&[("rube", &["github_search"])]).file("base.txt", "You are Orion.\nBe brief.\n");
    let context = world.stdout(&["context"]);
    let expected = format!("You are Orion.\nBe brief.\n\n## Available Tools\n{context}");
    assert_eq!(world.stdout(&["context", "--prompt", "base.txt"]), expected);
    let piped =
        world.run_with(b"You are Orion.\nBe brief.", &["context", "--prompt", "-"]).exits(0);
    assert_eq!(piped.out, expected);
    world.run(&["context", "--prompt", "none.txt"]).exits(3).stderr_contains(&["none.txt"]);
}

#[test]
fn essential_tools_are_configurable() {
    let world = known(&[("rube", &["github_search", "send_invoice"])]);
    let world = world.append_config("[context]\nessential = [\"Invoice\"]");
    assert!(world.stdout(&["context"]).contains("\n• rube: send_invoice and 1 other tools\n"));
    let world = known(&[("rube", &["x"])]).append_config("[context]\nesential = []");
    world.run(&["context"]).exits(2).stderr_contains(&["did you mean `essential`?"]);
}

#[test]
fn the_summary_starts_no_server() {
    let world = World::trusted().server("fs", "honest", &[]);
    world.run(&["context"]).exits(0);
    assert_eq!(world.starts("fs"), 0);
}

#[test]
fn the_instructions_are_identical_on_every_connection() {
    let world = known(&[("rube", &["github_search", "random_tool"])]);
    let hello = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}"#;
    let instructions = || {
        let outcome = world.run_with(format!("{hello}\n").as_bytes(), &["serve"]).exits(0);
        outcome.json()["result"]["instructions"].as_str().expect("instructions").to_owned()
    };
    let first = instructions();
    assert!(
        first.contains("tool_search")
            && first.contains("\n• rube: github_search and 1 other tools\n"),
        "{first}"
    );
    assert_eq!(first, instructions());
}
