//! 1. `tool_search` finds, with everything that is needed to call; finding nothing is no error.
//! 2. `execute_tool` runs what was found, understands how models write arguments, and says how to mend what it cannot.
//! 3. The inner tool's policy, definition and errors count, exactly as in a direct call.

use super::{Agent, library};
use crate::world::World;
use serde_json::{Value, json};

const NOTHING: &str = "No tools found. Try different keywords or a broader search term.";

fn mail() -> Value {
    json!({"to": "a@b.c", "subject": "hi", "body": "there"})
}

/// The JSON that the first block of a result holds.
fn said(result: &Value) -> Value {
    serde_json::from_str(result["content"][0]["text"].as_str().expect("a text")).expect("JSON")
}

/// one text block with a JSON array, each hit with its whole schema and its digest.
#[test]
fn a_search_gives_what_is_needed_to_call_the_best_tool() {
    let world = library();
    let mut agent = Agent::legacy(&world, &[]);
    let result = agent.call("tool_search", json!({"query": "email"}));
    let hits = said(&result);
    let names: Vec<_> =
        hits.as_array().expect("a list").iter().map(|it| it["name"].clone()).collect();
    assert!(
        names.contains(&json!("send_email")) && names.contains(&json!("list_emails")),
        "{names:?}"
    );
    for hit in hits.as_array().expect("a list") {
        assert_eq!(hit["inputSchema"]["type"], "object");
        assert!(
            hit["digest"].as_str().is_some_and(|it| it.len() >= 32) && hit["id"].is_string(),
            "{hit}"
        );
    }
    assert_eq!(result["structuredContent"]["results"], hits, "the same, for who reads structures");
}

/// nothing found is said, and is no error.
#[test]
fn finding_nothing_is_said_in_the_known_words() {
    let world = library();
    let mut agent = Agent::legacy(&world, &[]);
    let result = agent.call("tool_search", json!({"query": "zzzz qqqq"}));
    assert_eq!(result["content"][0]["text"], NOTHING);
    assert!(result["isError"] != true);
}

/// what was found is run, whichever of the two keys holds its arguments.
#[test]
fn what_was_found_is_run_and_its_own_words_come_back() {
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
fn arguments_are_understood_as_models_write_them() {
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

/// without a name.
#[test]
fn a_call_of_nothing_is_told_that_a_name_is_missing() {
    let world = library();
    let mut agent = Agent::legacy(&world, &[]);
    for arguments in [json!({}), json!({"name": ""}), json!({"name": "", "arguments": {}})] {
        let result = agent.call("execute_tool", arguments);
        assert_eq!(result["content"][0]["text"], "Tool name is required");
        assert_eq!(result["isError"], true);
    }
}

/// a name that nothing has.
#[test]
fn a_call_of_what_is_not_there_says_how_to_find_what_is() {
    let world = library();
    let mut agent = Agent::legacy(&world, &[]);
    let text = agent.text("execute_tool", json!({"name": "nonexistent"}));
    assert_eq!(text, "Tool not found: nonexistent. Use tool_search to discover available tools.");
    let near = agent.call("execute_tool", json!({"name": "send_emial", "arguments": {}}));
    assert_eq!(near["isError"], true);
    assert!(near.to_string().contains("send_email"), "{near}");
}

/// what is missing is named, with an example that would work; null likewise.
#[test]
fn a_missing_argument_is_named_with_an_example_that_works() {
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
fn the_two_tools_do_not_run_each_other() {
    let world = library();
    let mut agent = Agent::legacy(&world, &[]);
    for name in ["execute_tool", "tool_search", "app__tool_search"] {
        let result = agent.call("execute_tool", json!({"name": name, "arguments": {"query": "x"}}));
        assert_eq!(result["isError"], true, "{name}");
    }
}

/// what is denied is denied through both doors, in the same words.
#[test]
fn what_is_denied_is_denied_through_both_doors() {
    let world = library().file("toolscout.toml", "[policies]\n\"local/send_email\" = \"deny\"\n");
    let mut agent = Agent::legacy(&world, &[]);
    let direct = agent.call("local__send_email", mail());
    assert_eq!(direct["isError"], true);
    assert!(
        direct["content"][0]["text"].as_str().is_some_and(|it| it.contains("denied")),
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
    let digest = said(&found)[0]["digest"].clone();
    let call =
        |expect: &Value| json!({"name": "send_email", "arguments": mail(), "expect": expect});
    assert!(agent.call("execute_tool", call(&digest))["isError"] != true);
    let other = json!("0".repeat(digest.as_str().map_or(64, str::len)));
    let refused = agent.call("execute_tool", call(&other));
    assert_eq!(refused["isError"], true);
    assert!(
        refused["content"][0]["text"].as_str().is_some_and(|it| it.contains("changed")),
        "{refused}"
    );
}

#[test]
fn a_search_can_be_short() {
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
fn the_whole_surface_is_small_whatever_is_behind_it() {
    let tool = |it| {
        format!(
            "[[tool]]\nname = \"tool-{it:03}\"\ndescription = \"Does one thing of many, number {it}\"\n[tool.run]\ncommand = [\"cat\"]\n"
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
