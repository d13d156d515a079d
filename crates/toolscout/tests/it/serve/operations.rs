//! 1. Operations that the operator exposes are tools: listed with their schemas, and called with the same result as over HTTP.
//! 2. An operation that changes anything, a stream and an unknown name are configuration errors with a hint.
//! 3. A project cannot expose anything, a profile offers nothing but its tools, and no operation shadows a tool.

use super::Agent;
use crate::world::World;
use serde_json::{Value, json};
use std::fs;

/// A project with a server and a tool, whose user exposes these operations.
fn exposing(operations: &[&str]) -> World {
    let world = World::trusted().server("s", "honest", &[]);
    let world =
        world.echo("tools/word-count.tool.toml", "word-count", "description = \"Counts words\"");
    world.run(&["server", "refresh"]).exits(0);
    expose(&world, operations);
    world
}

fn expose(world: &World, operations: &[&str]) {
    let folder = world.temp_dir().join("config");
    fs::create_dir_all(&folder).expect("a folder");
    fs::write(folder.join("config.toml"), format!("[serve]\noperations = {}\n", json!(operations)))
        .expect("written");
}

/// The entry of this tool in the list.
fn entry(agent: &mut Agent, name: &str) -> Value {
    let list = agent.request("tools/list", json!({}));
    let tools = list["tools"].as_array().expect("a list");
    tools.iter().find(|tool| tool["name"] == name).cloned().unwrap_or_default()
}

#[test]
fn an_exposed_operation_is_a_tool_with_its_schemas() {
    let world = exposing(&["server show", "audit show"]);
    let mut agent = Agent::legacy(&world, &[]);
    let names = agent.listed();
    assert!(names.is_sorted(), "{names:?}");
    let expected = ["execute_tool", "tool_search", "toolscout_audit_show", "toolscout_server_show"];
    assert_eq!(names, expected);
    let entry = entry(&mut agent, "toolscout_server_show");
    assert_eq!(entry["description"], "Show a server and its tools");
    assert_eq!(entry["inputSchema"]["required"], json!(["id"]));
    assert!(!entry.to_string().contains("x-cli"), "{entry}");
    assert_eq!(entry["annotations"]["readOnlyHint"], true);
    assert_eq!(entry["outputSchema"]["type"], "object");
}

#[test]
fn an_exposed_operation_returns_its_text_and_its_json() {
    let world = exposing(&["server list", "server show"]);
    let mut agent = Agent::modern(&world, &[]);
    let list = agent.call("toolscout_server_list", json!({}));
    assert_eq!(list["resultType"], "complete");
    assert!(list["content"][0]["text"].as_str().is_some_and(|text| text.contains("s")), "{list}");
    let show = agent.call("toolscout_server_show", json!({"id": "s"}));
    assert_eq!(show["structuredContent"]["server"]["id"], "s");
    let direct = world.run(&["server", "list", "--json"]).exits(0).json();
    assert_eq!(list["structuredContent"]["servers"][0]["id"], direct["servers"][0]["id"]);
}

/// Every operation that can be exposed and needs no input: clients check results against the schema in the list.
#[test]
fn every_result_fits_the_output_schema_of_its_operation() {
    let all = [
        "approval list",
        "audit show",
        "audit timeline",
        "audit verify",
        "doctor",
        "health",
        "me",
        "metrics",
        "policy list",
        "policy show",
        "project list",
        "ready",
        "review list",
        "search learned",
        "server list",
        "session list",
        "stats",
        "tools",
        "trust list",
    ];
    let world = exposing(&all);
    let mut agent = Agent::legacy(&world, &[]);
    agent.call("execute_tool", json!({"name": "word-count", "arguments": {}}));
    for operation in all {
        let name = format!("toolscout_{}", operation.replace(' ', "_"));
        let schema = entry(&mut agent, &name)["outputSchema"].clone();
        let result = agent.call(&name, json!({}));
        assert!(result["isError"] != true, "{name}: {result}");
        assert_eq!(schema.is_null(), result["structuredContent"].is_null(), "{name}");
        if schema.is_object() {
            let check = jsonschema::validator_for(&schema).expect("a schema");
            let errors: Vec<_> = check
                .iter_errors(&result["structuredContent"])
                .map(|iter_error| iter_error.to_string())
                .collect();
            assert!(errors.is_empty(), "{name}: {errors:?}");
        }
    }
}

#[test]
fn invalid_input_of_an_exposed_operation_is_an_error_result() {
    let world = exposing(&["server show"]);
    let mut agent = Agent::legacy(&world, &[]);
    let missing = agent.call("toolscout_server_show", json!({"id": "other"}));
    assert_eq!(missing["isError"], true);
    let unknown = agent.call("toolscout_server_show", json!({"id": "s", "nonsense": 1}));
    assert!(
        unknown["content"][0]["text"].as_str().is_some_and(|text| text.contains("nonsense")),
        "{unknown}"
    );
    let fault =
        agent.request_error("tools/call", json!({"name": "toolscout_audit_show", "arguments": {}}));
    assert_eq!(fault["code"], -32602, "an operation that is not exposed is not a tool");
}

#[test]
fn only_read_operations_can_be_exposed() {
    let cases = [
        ("policy set", "changes something, which agents may not do"),
        ("approval decide", "changes something"),
        ("ui link", "does more than read"),
        ("server test", "does more than read"),
        ("call", "is already available to agents as `execute_tool`"),
        ("search", "is already available to agents as `tool_search`"),
        ("events", "returns a stream"),
        ("servr list", "did you mean `server list`?"),
        ("nonsense", "choose from: policy list"),
    ];
    for (operation, message) in cases {
        let world = exposing(&["server list", operation]);
        world.run(&["serve"]).exits(2).stderr_contains(&[
            "`serve.operations`: ",
            operation,
            message,
        ]);
    }
}

#[test]
fn a_project_cannot_expose_operations() {
    let world = exposing(&["server list"])
        .file("toolscout.toml", "[serve]\noperations = [\"audit show\"]\n");
    assert!(!Agent::legacy(&world, &[]).listed().contains(&"toolscout_audit_show".to_owned()));
    world.run(&["doctor"]).stderr_contains(&[
        "`serve.operations` is set, which is allowed only in your user configuration",
    ]);
}

#[test]
fn a_profile_and_a_transparent_server_offer_no_operations() {
    let world = exposing(&["server list"]);
    let world = world.file("toolscout.toml", "[profiles.work]\ninclude = [\"local/*\"]\n");
    let is_listed = |args: &[&str]| {
        Agent::legacy(&world, args).listed().contains(&"toolscout_server_list".to_owned())
    };
    assert!(is_listed(&[]));
    assert!(!is_listed(&["--profile", "work"]));
    assert!(!is_listed(&["--transparent", "local"]));
}

#[test]
fn an_operation_never_shadows_a_tool() {
    let world = exposing(&["server list", "audit show"]);
    let world =
        world.echo("tools/shadow.tool.toml", "toolscout_server_list", "description = \"A tool\"");
    let mut agent = Agent::legacy(&world, &[]);
    assert_eq!(entry(&mut agent, "toolscout_server_list"), Value::Null);
    let result = agent.call("toolscout_server_list", json!({}));
    assert_eq!(
        result,
        agent.call("execute_tool", json!({"name": "local/toolscout_server_list", "arguments": {}}))
    );
}
