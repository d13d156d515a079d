//! 1. Listed tools have names that every client accepts. Search finds the others, which are
//!    callable, too.
//! 2. The two meta tools are listed once: while a tool is hidden, always or never, as configured.

use super::{Agent, library};
use crate::world::World;
use serde_json::json;

const BOTH: [&str; 2] = ["execute_tool", "tool_search"];

fn listed_file(name: &str) -> String {
    format!("name = \"{name}\"\nvisibility = \"listed\"\n[run]\ncommand = [\"cat\"]\n")
}

/// the list is sorted and contains no tool of the library.
#[test]
fn listed_tools_appear_with_the_meta_tools_and_others_are_hidden() {
    let world = library().file("tools/help-me.tool.toml", &listed_file("help-me"));
    let mut agent = Agent::legacy(&world, &[]);
    assert_eq!(agent.listed(), ["execute_tool", "local__help_me", "tool_search"]);
    assert_eq!(
        agent.listed(),
        ["execute_tool", "local__help_me", "tool_search"],
        "also for the second request"
    );
    assert!(agent.call("local__help_me", json!({}))["isError"] != true);
}

/// B-02: each command is one listed tool.
#[test]
fn all_tools_can_be_listed() {
    let world = World::trusted()
        .file("tools/a.tool.toml", &listed_file("a"))
        .file("tools/b.tool.toml", &listed_file("b"))
        .file("tools/c.d.tool.toml", &listed_file("c.d"));
    let mut agent = Agent::legacy(&world, &[]);
    assert_eq!(
        agent.listed(),
        ["local__a", "local__b", "local__c_d"],
        "no tool is hidden, so there are no meta tools"
    );
}

///
#[test]
fn without_tools_there_are_no_meta_tools() {
    let world = World::trusted();
    assert!(Agent::legacy(&world, &[]).listed().is_empty());
    assert_eq!(Agent::legacy(&world, &["--meta-tools", "always"]).listed(), BOTH);
    let never = World::trusted().file("toolscout.toml", "meta_tools = \"never\"\n").echo(
        "tools/a.tool.toml",
        "a",
        "",
    );
    assert!(Agent::legacy(&never, &[]).listed().is_empty());
}

/// a strict configuration forbids direct calls of hidden tools. Unknown tools are an
/// error in any case.
#[test]
fn hidden_tools_can_be_called_directly_unless_forbidden() {
    let world = library();
    let mut agent = Agent::legacy(&world, &[]);
    assert!(agent.call("local__sql_query", json!({"target": "x"}))["isError"] != true);
    let fault = agent.request_error("tools/call", json!({"name": "local__nothing"}));
    assert_eq!(fault["code"], -32602);
    assert!(
        fault["message"].as_str().is_some_and(|message| message.contains("local__nothing")),
        "{fault}"
    );
    let mut strict = Agent::legacy(&world, &["--strict-hidden"]);
    let fault = strict.request_error(
        "tools/call",
        json!({"name": "local__sql_query", "arguments": {"target": "x"}}),
    );
    assert_eq!(fault["message"], "Unknown tool: local__sql_query");
    assert!(
        strict.call("execute_tool", json!({"name": "sql_query", "arguments": {}}))["isError"]
            != true
    );
}

/// F-01, F-03
#[test]
fn two_servers_may_have_tools_of_the_same_name() {
    let tools =
        json!([{"name": "search", "description": "Search", "inputSchema": {"type": "object"}}]);
    let listed = |world: World| world.append_config("visibility = \"listed\"");
    let world = listed(World::trusted().listing("a", &tools));
    let world = listed(world.listing("b", &tools)).listing("c", &tools);
    world.run(&["server", "refresh"]).exits(0);
    let mut agent = Agent::legacy(&world, &[]);
    assert_eq!(agent.listed(), ["a__search", "b__search", "execute_tool", "tool_search"]);
    for name in ["a__search", "b__search", "c__search"] {
        assert_eq!(agent.text(name, json!({})), "called", "{name}");
    }
    assert_eq!(agent.text("execute_tool", json!({"name": "c/search"})), "called");
    let unclear = agent.call("execute_tool", json!({"name": "search"}));
    assert_eq!(unclear["isError"], true);
    let text = unclear["content"][0]["text"].as_str().expect("a text");
    assert!(text.contains("a/search") && text.contains("b/search"), "{text}");
}

#[test]
fn a_long_tool_list_is_paginated() {
    let tool = |value| {
        format!(
            "[[tool]]\nname = \"tool-{value:04}\"\nvisibility = \"listed\"\n[tool.run]\ncommand = [\"cat\"]\n"
        )
    };
    let world =
        World::trusted().file("tools/many.tool.toml", &(0..1_200).map(tool).collect::<String>());
    let mut agent = Agent::legacy(&world, &[]);
    let (mut names, mut params) = (Vec::new(), json!({}));
    loop {
        let page = agent.request("tools/list", params);
        names.extend(
            page["tools"]
                .as_array()
                .expect("a list")
                .iter()
                .map(|tool| tool["name"].as_str().unwrap_or("?").to_owned()),
        );
        let Some(cursor) = page.get("nextCursor") else { break };
        params = json!({"cursor": cursor});
    }
    let all: Vec<_> = (0..1_200).map(|index| format!("local__tool_{index:04}")).collect();
    assert_eq!(names, all);
}
