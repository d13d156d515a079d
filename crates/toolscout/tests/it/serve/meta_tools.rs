//! 1. `tool_search` returns everything that a call needs. An empty result is not an error.
//! 2. `execute_tool` runs a found tool, accepts the argument formats of models, and explains how to
//!    fix other arguments.
//! 3. The policy, definition and errors of the inner tool apply as in a direct call.

use super::{Agent, library};
use crate::world::World;
use serde_json::{Value, json};

const NOTHING: &str = "No tools found. Try different keywords or a broader search term.";

fn mail() -> Value {
    json!({"to": "a@b.c", "subject": "hi", "body": "there"})
}

/// The JSON in the first content block of a result.
fn search_results(result: &Value) -> Value {
    serde_json::from_str(result["content"][0]["text"].as_str().expect("a text")).expect("JSON")
}

/// one text block with a JSON array; each hit has its complete schema and its digest.
#[test]
fn a_search_returns_the_schema_of_the_best_tool() {
    let world = library();
    let mut agent = Agent::legacy(&world, &[]);
    let result = agent.call("tool_search", json!({"query": "email"}));
    let hits = search_results(&result);
    let names: Vec<_> =
        hits.as_array().expect("a list").iter().map(|hit| hit["name"].clone()).collect();
    assert!(
        names.contains(&json!("send_email")) && names.contains(&json!("list_emails")),
        "{names:?}"
    );
    for hit in hits.as_array().expect("a list") {
        assert_eq!(hit["inputSchema"]["type"], "object");
        assert!(
            hit["digest"].as_str().is_some_and(|digest| digest.len() >= 32)
                && hit["id"].is_string(),
            "{hit}"
        );
    }
    assert_eq!(
        result["structuredContent"]["results"], hits,
        "the structured content has the same hits"
    );
}

/// the result is not an error.
#[test]
fn an_empty_search_returns_the_documented_message() {
    let world = library();
    let mut agent = Agent::legacy(&world, &[]);
    let result = agent.call("tool_search", json!({"query": "zzzz qqqq"}));
    assert_eq!(result["content"][0]["text"], NOTHING);
    assert!(result["isError"] != true);
}

/// either of the two keys may hold the arguments.
#[test]
fn a_found_tool_can_be_executed_and_returns_its_own_text() {
    let world = library();
    let mut agent = Agent::legacy(&world, &[]);
    let direct = agent.call("local__send_email", mail());
    for arguments in [
        json!({"name": "local/send_email", "arguments": mail()}),
        json!({"name": "local__send_email", "arguments": mail()}),
        json!({"name": "local:send_email", "arguments": mail()}),
        json!({"name": "send_email", "arguments": mail()}),
        json!({"name": "send_email", "parameters": mail()}),
    ] {
        assert_eq!(agent.call("execute_tool", arguments.clone()), direct, "{arguments}");
    }
}

#[test]
fn arguments_are_accepted_in_the_forms_models_write() {
    let world = library();
    let mut agent = Agent::legacy(&world, &[]);
    let direct = agent.call("local__send_email", mail());
    for arguments in [
        json!({"name": "send_email", "arguments": mail().to_string()}),
        json!({"name": "send_email", "arguments": {"arguments": mail()}}),
        json!({"name": "send_email", "to": "a@b.c", "subject": "hi", "body": "there"}),
        json!({"name": "send_email", "arguments": {"name": "send_email", "arguments": mail()}}),
    ] {
        let result = agent.call("execute_tool", arguments.clone());
        assert_eq!(result["structuredContent"], direct["structuredContent"], "{arguments}");
    }
}

///
#[test]
fn a_call_without_a_tool_name_is_an_error() {
    let world = library();
    let mut agent = Agent::legacy(&world, &[]);
    for arguments in [json!({}), json!({"name": ""}), json!({"name": "", "arguments": {}})] {
        let result = agent.call("execute_tool", arguments);
        assert_eq!(result["content"][0]["text"], "Tool name is required");
        assert_eq!(result["isError"], true);
    }
}

///
#[test]
fn a_call_of_an_unknown_tool_suggests_a_search() {
    let world = library();
    let mut agent = Agent::legacy(&world, &[]);
    let text = agent.text("execute_tool", json!({"name": "nonexistent"}));
    assert_eq!(text, "Tool not found: nonexistent. Use tool_search to discover available tools.");
    let suggestion = agent.call("execute_tool", json!({"name": "send_emial", "arguments": {}}));
    assert_eq!(suggestion["isError"], true);
    assert!(suggestion.to_string().contains("send_email"), "{suggestion}");
}

/// the error names the missing argument; null counts as missing.
#[test]
fn a_missing_argument_is_reported_with_a_working_example() {
    let world = library();
    let mut agent = Agent::legacy(&world, &[]);
    for arguments in [
        json!({"to": "a@b.c", "subject": "hi"}),
        json!({"to": "a@b.c", "subject": "hi", "body": null}),
    ] {
        let result =
            agent.call("execute_tool", json!({"name": "send_email", "arguments": arguments}));
        assert_eq!(result["isError"], true);
        let text = result["content"][0]["text"].as_str().expect("a text");
        assert!(text.contains("body"), "{text}");
    }
}

#[test]
fn the_meta_tools_cannot_execute_each_other() {
    let world = library();
    let mut agent = Agent::legacy(&world, &[]);
    for name in ["execute_tool", "tool_search", "app__tool_search"] {
        let result = agent.call("execute_tool", json!({"name": name, "arguments": {"query": "x"}}));
        assert_eq!(result["isError"], true, "{name}");
    }
}

/// both refusals have the same message.
#[test]
fn a_denied_tool_is_refused_directly_and_through_execute_tool() {
    let world = library().file("toolscout.toml", "[policies]\n\"local/send_email\" = \"deny\"\n");
    let mut agent = Agent::legacy(&world, &[]);
    let direct = agent.call("local__send_email", mail());
    assert_eq!(direct["isError"], true);
    assert!(
        direct["content"][0]["text"].as_str().is_some_and(|text| text.contains("denied")),
        "{direct}"
    );
    for name in ["send_email", "local/send_email", "local__send_email"] {
        assert_eq!(
            agent.call("execute_tool", json!({"name": name, "arguments": mail()})),
            direct,
            "{name}"
        );
    }
}

#[test]
fn a_call_that_expects_another_definition_is_refused() {
    let world = library();
    let mut agent = Agent::legacy(&world, &[]);
    let found = agent.call("tool_search", json!({"query": "send email", "max_results": 1}));
    let digest = search_results(&found)[0]["digest"].clone();
    let call =
        |expect: &Value| json!({"name": "send_email", "arguments": mail(), "expect": expect});
    assert!(agent.call("execute_tool", call(&digest))["isError"] != true);
    let other = json!("0".repeat(digest.as_str().map_or(64, str::len)));
    let refused = agent.call("execute_tool", call(&other));
    assert_eq!(refused["isError"], true);
    assert!(
        refused["content"][0]["text"].as_str().is_some_and(|text| text.contains("changed")),
        "{refused}"
    );
}

#[test]
fn search_results_have_three_levels_of_detail() {
    let world = library();
    let mut agent = Agent::legacy(&world, &[]);
    let full = agent.text("tool_search", json!({"query": "email"}));
    let compact = agent.text("tool_search", json!({"query": "email", "detail": "compact"}));
    let names = agent.text("tool_search", json!({"query": "email", "detail": "names"}));
    assert!(names.len() < compact.len() && compact.len() < full.len(), "{names}\n{compact}");
    assert!(compact.contains("send_email(") && compact.contains("to: string"), "{compact}");
    for limit in [json!(-1), json!(1e9), json!("NaN"), json!(0)] {
        let result = agent.call("tool_search", json!({"query": "email", "max_results": limit}));
        assert!(result["isError"] != true, "{limit}: {result}");
    }
}

#[test]
fn the_tool_listing_stays_small_with_many_tools() {
    let tool = |value| {
        format!(
            "[[tool]]\nname = \"tool-{value:03}\"\ndescription = \"Does one thing of many, number {value}\"\n[tool.run]\ncommand = [\"cat\"]\n"
        )
    };
    let world =
        World::trusted().file("tools/many.tool.toml", &(0..500).map(tool).collect::<String>());
    let mut agent = Agent::legacy(&world, &[]);
    let list = agent.request("tools/list", json!({}));
    let tools = list["tools"].as_array().expect("a list");
    assert_eq!(tools.len(), 2);
    for tool in tools {
        assert_eq!(tool["_meta"]["anthropic/alwaysLoad"], true);
    }
    assert!(list["tools"].to_string().len() < 600 * 4, "{}", list["tools"].to_string().len());
    let again = Agent::legacy(&world, &[]).request("tools/list", json!({}));
    assert_eq!(list, again, "the same between runs");
}
