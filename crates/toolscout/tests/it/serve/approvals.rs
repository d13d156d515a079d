//! A call that a person has to say yes to: asked through the client where that can be done, else left for another terminal.

use super::{Agent, library};
use crate::world::World;
use serde_json::{Value, json};

fn asking() -> World {
    library().file("toolscout.toml", "[policies]\n\"local/sql_query\" = \"ask\"\n")
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

/// The old era: the client is asked while the call waits, and is shown all of it.
#[test]
fn a_client_that_can_ask_asks_during_the_call() {
    let world = asking();
    let mut agent = Agent::able(&world, &[], able());
    for (action, runs) in [("accept", true), ("decline", false), ("cancel", false)] {
        let id = agent.ask("tools/call", call());
        let question = agent.told("elicitation/create");
        let message = question["params"]["message"].as_str().expect("a message");
        assert!(message.contains("local/sql_query") && message.contains("users"), "{message}");
        agent.send(
            &json!({"jsonrpc": "2.0", "id": question["id"], "result": {"action": action, "content": {}}}).to_string(),
        );
        let result = agent.answer(id)["result"].clone();
        assert_eq!(result["isError"] != true, runs, "{action}: {result}");
    }
    // Also by the door that models use.
    let id = agent
        .ask("tools/call", json!({"name": "execute_tool", "arguments": {"name": "sql_query"}}));
    let question = agent.told("elicitation/create");
    agent.send(
        &json!({"jsonrpc": "2.0", "id": question["id"], "result": {"action": "accept", "content": {}}}).to_string(),
    );
    assert!(agent.answer(id)["result"]["isError"] != true);
}

/// The modern era: the question comes as a result, and the call is made again with the answer.
#[test]
fn a_modern_client_brings_the_answer_along() {
    let world = asking();
    let mut agent = Agent::modern(&world, &[]);
    let mut params = call();
    params["_meta"] = json!({"io.modelcontextprotocol/clientCapabilities": able()});
    let wish = agent.request("tools/call", params.clone());
    assert_eq!(wish["resultType"], "input_required", "{wish}");
    let (name, request) =
        wish["inputRequests"].as_object().and_then(|it| it.iter().next()).expect("a question");
    assert_eq!(request["method"], "elicitation/create");
    let mut retry = params.clone();
    retry["inputResponses"] = json!({name: {"action": "accept", "content": {}}});
    retry["requestState"] = wish["requestState"].clone();
    let mut other = retry.clone();
    other["arguments"] = json!({"target": "secrets"});
    assert_eq!(
        agent.fault("tools/call", other)["code"],
        -32602,
        "a yes is for what it was asked about"
    );
    let result = agent.request("tools/call", retry.clone());
    assert!(result["resultType"] == "complete" && result["isError"] != true, "{result}");
    assert_eq!(agent.fault("tools/call", retry)["code"], -32602, "and for once");
}

/// A client that cannot ask is told which command settles it; the yes is for one call, with these arguments.
#[test]
fn who_cannot_be_asked_is_told_how_a_person_can_say_yes() {
    let world = asking();
    let mut agent = Agent::legacy(&world, &[]);
    let waits = agent.request("tools/call", call());
    assert_eq!(waits["isError"], true, "{waits}");
    let said = text(&waits).to_owned();
    let id = said
        .split("toolscout approve ")
        .nth(1)
        .and_then(|it| it.split(|it: char| !it.is_ascii_alphanumeric()).next());
    let id = id.unwrap_or_else(|| panic!("no command in {said}")).to_owned();
    assert_eq!(
        text(&agent.request("tools/call", call())),
        said,
        "asked again, it is the same question"
    );
    world.run(&["approve", &id]).exits(0);
    let other = agent.call("local__sql_query", json!({"target": "secrets"}));
    assert_eq!(other["isError"], true, "that was not asked: {other}");
    let result = agent.request("tools/call", call());
    assert!(result["isError"] != true, "{result}");
    assert_eq!(agent.request("tools/call", call())["isError"], true, "a yes is for once");
}

/// A no stays a no, and the agent hears whose it was.
#[test]
fn a_person_may_say_no_in_another_terminal() {
    let world = asking();
    let mut agent = Agent::legacy(&world, &[]);
    let said = text(&agent.request("tools/call", call())).to_owned();
    let id = said
        .split("toolscout approve ")
        .nth(1)
        .and_then(|it| it.split(|it: char| !it.is_ascii_alphanumeric()).next());
    world.run(&["reject", id.expect("an id")]).exits(0);
    let result = agent.request("tools/call", call());
    assert!(result["isError"] == true && text(&result).contains("denied"), "{result}");
}
