//! What one era has and the other has not: each client is spoken to in its own, whatever the server behind speaks.

use super::Agent;
use crate::world::World;
use serde_json::{Value, json};

/// What the official conformance suite would find behind us, of this era.
fn reference(era: &str) -> World {
    let world =
        World::trusted().server("s", "honest", &["--reference", "--era", era, "--ttl-ms", "60000"]);
    world.run(&["server", "refresh"]).exits(0);
    world
}

#[test]
fn what_the_modern_era_has_given_up_is_unknown_in_it() {
    let world = reference("modern");
    let mut modern = Agent::modern(&world, &[]);
    for method in ["ping", "logging/setLevel", "resources/subscribe", "resources/unsubscribe"] {
        let params = json!({"level": "info", "uri": "test://static-text"});
        assert_eq!(modern.fault(method, params)["code"], -32601, "{method}");
    }
    assert_eq!(Agent::legacy(&world, &[]).request("ping", json!({})), json!({}));
}

/// A modern server wants to hear with every call how loud the log is to be; an old client has said it once.
#[test]
fn an_old_client_hears_the_log_of_a_server_of_either_era() {
    for era in ["legacy", "modern"] {
        let world = reference(era);
        let mut agent = Agent::legacy(&world, &[]);
        agent.request("logging/setLevel", json!({"level": "info"}));
        agent.request("tools/call", json!({"name": "s__test_tool_with_logging", "arguments": {}}));
        assert_eq!(agent.heard("notifications/message").len(), 3, "{era}");
        agent.request("logging/setLevel", json!({"level": "error"}));
        agent.request("tools/call", json!({"name": "s__test_tool_with_logging", "arguments": {}}));
        assert_eq!(agent.heard("notifications/message").len(), 3, "{era}: no more than before");
    }
}

/// Not only tools ask back.
#[test]
fn a_prompt_that_asks_back_reaches_a_client_of_either_era() {
    let (prompt, able) =
        (json!({"name": "s__test_input_required_result_prompt"}), json!({"elicitation": {}}));
    let answer = json!({"action": "accept", "content": {"context": "umbrellas"}});
    for era in ["legacy", "modern"] {
        let world = reference(era);
        let mut old = Agent::able(&world, &[], able.clone());
        let id = old.ask("prompts/get", prompt.clone());
        let question = old.told("elicitation/create");
        old.send(&json!({"jsonrpc": "2.0", "id": question["id"], "result": answer}).to_string());
        let result = old.answer(id);
        assert!(result["result"]["messages"].to_string().contains("umbrellas"), "{era}: {result}");

        let mut modern = Agent::modern(&world, &[]);
        let meta = json!({"io.modelcontextprotocol/clientCapabilities": able});
        let mut params = json!({"name": prompt["name"], "_meta": meta});
        let wish = modern.request("prompts/get", params.clone());
        assert_eq!(wish["resultType"], "input_required", "{era}: {wish}");
        let name =
            wish["inputRequests"].as_object().and_then(|it| it.keys().next()).expect("a wish");
        params["inputResponses"] = json!({name: answer});
        params["requestState"] = wish["requestState"].clone();
        let result = modern.request("prompts/get", params.clone());
        assert!(result["messages"].to_string().contains("umbrellas"), "{era}: {result}");
        assert_eq!(
            modern.heard("elicitation/create"),
            Vec::<Value>::new(),
            "nobody asks a modern client"
        );
        params["name"] = "s__test_simple_prompt".into();
        assert_eq!(
            modern.fault("prompts/get", params)["code"],
            -32602,
            "{era}: it is of another request"
        );
    }
}

/// Many clients list once, and a server that nobody has asked yet takes its time.
#[test]
fn the_two_tools_are_there_before_any_server_was_asked() {
    let world = World::trusted().server("s", "honest", &["--delay", "2"]);
    assert_eq!(Agent::legacy(&world, &[]).listed(), ["execute_tool", "tool_search"]);
    assert_eq!(Agent::legacy(&World::trusted(), &[]).listed(), [""; 0], "there is nothing to find");
}
