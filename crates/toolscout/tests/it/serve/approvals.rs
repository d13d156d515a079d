//! A call that needs approval: the client prompts its user if it supports elicitation; otherwise an
//! operator approves it in another terminal.

use super::{Agent, library};
use crate::servers::fixture::wait_until;
use crate::world::World;
use serde_json::{Value, json};

fn asking() -> World {
    library().file("toolscout.toml", "[policies]\n\"local/sql_query\" = \"ask\"\n")
}

/// As [`asking`]; the operator has marked clients as showing questions to a person.
fn marked() -> World {
    asking().file("../config/config.toml", "[serve]\napprovals = \"client\"\n")
}

fn able() -> Value {
    json!({"elicitation": {}})
}

fn call() -> Value {
    json!({"name": "local__sql_query", "arguments": {"target": "users"}})
}

fn text(result: &Value) -> &str {
    result["content"][0]["text"].as_str().unwrap_or_else(|| panic!("no text: {result}"))
}

/// The legacy era: the server requests approval while the call is pending, and shows the whole
/// call.
#[test]
fn a_marked_client_with_elicitation_prompts_for_approval() {
    let world = marked();
    let mut agent = Agent::able(&world, &[], able());
    for (action, runs) in [("accept", true), ("decline", false), ("cancel", false)] {
        let id = agent.send_request("tools/call", call());
        let question = agent.wait_for("elicitation/create");
        let message = question["params"]["message"].as_str().expect("a message");
        assert!(message.contains("local/sql_query") && message.contains("users"), "{message}");
        agent.send(
            &json!({"jsonrpc": "2.0", "id": question["id"], "result": {"action": action, "content": {}}}).to_string(),
        );
        let result = agent.answer(id)["result"].clone();
        assert_eq!(result["isError"] != true, runs, "{action}: {result}");
    }
    // The same for `execute_tool`, which models use.
    let id = agent.send_request(
        "tools/call",
        json!({"name": "execute_tool", "arguments": {"name": "sql_query"}}),
    );
    let question = agent.wait_for("elicitation/create");
    agent.send(
        &json!({"jsonrpc": "2.0", "id": question["id"], "result": {"action": "accept", "content": {}}}).to_string(),
    );
    assert!(agent.answer(id)["result"]["isError"] != true);
}

/// The modern era: the result requests approval, and the client repeats the call with the answer.
#[test]
fn a_modern_client_repeats_the_call_with_the_approval() {
    let world = marked();
    let mut agent = Agent::modern(&world, &[]);
    let mut params = call();
    params["_meta"] = json!({"io.modelcontextprotocol/clientCapabilities": able()});
    let input_request = agent.request("tools/call", params.clone());
    assert_eq!(input_request["resultType"], "input_required", "{input_request}");
    let (name, request) = input_request["inputRequests"]
        .as_object()
        .and_then(|object| object.iter().next())
        .expect("a question");
    assert_eq!(request["method"], "elicitation/create");
    let mut retry = params.clone();
    retry["inputResponses"] = json!({name: {"action": "accept", "content": {}}});
    retry["requestState"] = input_request["requestState"].clone();
    let mut other = retry.clone();
    other["arguments"] = json!({"target": "secrets"});
    assert_eq!(
        agent.request_error("tools/call", other)["code"],
        -32602,
        "an approval covers only its own call"
    );
    let result = agent.request("tools/call", retry.clone());
    assert!(result["resultType"] == "complete" && result["isError"] != true, "{result}");
    assert_eq!(
        agent.request_error("tools/call", retry)["code"],
        -32602,
        "an approval is valid once"
    );
}

/// The response names the command that approves the call. The approval is valid for one call with
/// the same arguments.
#[test]
fn a_client_without_elicitation_is_told_how_to_approve() {
    let world = asking();
    let mut agent = Agent::legacy(&world, &[]);
    let waits = agent.request("tools/call", call());
    assert_eq!(waits["isError"], true, "{waits}");
    let output = text(&waits).to_owned();
    let id = output
        .split("toolscout approve ")
        .nth(1)
        .and_then(|part| part.split(|c: char| !c.is_ascii_alphanumeric()).next());
    let id = id.unwrap_or_else(|| panic!("no command in {output}")).to_owned();
    assert_eq!(
        text(&agent.request("tools/call", call())),
        output,
        "the pending approval is reused"
    );
    world.run(&["approve", &id]).exits(0);
    let other = agent.call("local__sql_query", json!({"target": "secrets"}));
    assert_eq!(other["isError"], true, "another call is not approved: {other}");
    let result = agent.request("tools/call", call());
    assert!(result["isError"] != true, "{result}");
    assert_eq!(agent.request("tools/call", call())["isError"], true, "an approval is valid once");
}

/// Y-20: on one machine, a command approves the call that the server keeps open.
#[test]
fn a_call_stays_open_until_a_command_approves_it() {
    let world = library()
        .file("toolscout.toml", "ask_wait = \"60s\"\n[policies]\n\"local/sql_query\" = \"ask\"\n");
    let mut agent = Agent::legacy(&world, &[]);
    let id = agent.send_request("tools/call", call());
    let pending = || world.run(&["approval", "list", "--json"]).exits(0).json();
    wait_until("the call is pending", || pending()[0]["id"].is_string());
    world.run(&["approve", pending()[0]["id"].as_str().expect("an id")]).exits(0);
    let result = agent.answer(id)["result"].clone();
    assert!(result["isError"] != true, "{result}");
}

#[test]
fn a_wait_that_is_longer_than_an_approval_is_refused() {
    for wrong in ["6m", "60", "1h", "-1s"] {
        let world = library().file("toolscout.toml", &format!("ask_wait = \"{wrong}\"\n"));
        let refused = world.run(&["serve"]);
        assert!(refused.err.contains("it must be a time up to `5m`"), "{wrong}: {refused:?}");
    }
}

/// Repeating a rejected call does not request approval again.
#[test]
fn a_call_can_be_rejected_from_another_terminal() {
    let world = asking();
    let mut agent = Agent::legacy(&world, &[]);
    let output = text(&agent.request("tools/call", call())).to_owned();
    let id = output
        .split("toolscout approve ")
        .nth(1)
        .and_then(|part| part.split(|c: char| !c.is_ascii_alphanumeric()).next());
    world.run(&["reject", id.expect("an id")]).exits(0);
    let result = agent.request("tools/call", call());
    assert!(result["isError"] == true && text(&result).contains("denied"), "{result}");
}
