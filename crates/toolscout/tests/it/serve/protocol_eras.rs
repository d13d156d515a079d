//! Features that only one protocol era has. Each client is served in its own era, whichever era the
//! server speaks.

use super::{Agent, Client, Session, Web};
use crate::servers::fixture::wait_until;
use crate::world::World;
use serde_json::{Value, json};

/// A project with the reference server of the conformance suite, in this era.
fn reference(era: &str) -> World {
    let world =
        World::trusted().server("s", "honest", &["--reference", "--era", era, "--ttl-ms", "60000"]);
    world.run(&["server", "refresh"]).exits(0);
    world
}

#[test]
fn methods_removed_from_the_modern_protocol_are_unknown() {
    let world = reference("modern");
    let mut modern = Agent::modern(&world, &[]);
    for method in ["ping", "logging/setLevel", "resources/subscribe", "resources/unsubscribe"] {
        let params = json!({"level": "info", "uri": "test://static-text"});
        assert_eq!(modern.request_error(method, params)["code"], -32601, "{method}");
    }
    assert_eq!(Agent::legacy(&world, &[]).request("ping", json!({})), json!({}));
}

/// A modern server expects the log level in every call, but a legacy client sets it once.
#[test]
fn a_legacy_client_receives_logs_of_servers_of_either_era() {
    for era in ["legacy", "modern"] {
        let world = reference(era);
        let mut agent = Agent::legacy(&world, &[]);
        agent.request("logging/setLevel", json!({"level": "info"}));
        agent.request("tools/call", json!({"name": "s__test_tool_with_logging", "arguments": {}}));
        assert_eq!(agent.received("notifications/message").len(), 3, "{era}");
        agent.request("logging/setLevel", json!({"level": "error"}));
        agent.request("tools/call", json!({"name": "s__test_tool_with_logging", "arguments": {}}));
        assert_eq!(agent.received("notifications/message").len(), 3, "{era}: no more than before");
    }
}

/// Prompts may request input, too.
#[test]
fn a_prompt_that_requests_input_works_in_either_era() {
    let (prompt, capabilities) =
        (json!({"name": "s__test_input_required_result_prompt"}), json!({"elicitation": {}}));
    let answer = json!({"action": "accept", "content": {"context": "umbrellas"}});
    for era in ["legacy", "modern"] {
        let world = reference(era);
        let mut old = Agent::able(&world, &[], capabilities.clone());
        let id = old.send_request("prompts/get", prompt.clone());
        let question = old.wait_for("elicitation/create");
        old.send(&json!({"jsonrpc": "2.0", "id": question["id"], "result": answer}).to_string());
        let result = old.answer(id);
        assert!(result["result"]["messages"].to_string().contains("umbrellas"), "{era}: {result}");

        let mut modern = Agent::modern(&world, &[]);
        let meta = json!({"io.modelcontextprotocol/clientCapabilities": capabilities});
        let mut params = json!({"name": prompt["name"], "_meta": meta});
        let input_request = modern.request("prompts/get", params.clone());
        assert_eq!(input_request["resultType"], "input_required", "{era}: {input_request}");
        let name = input_request["inputRequests"]
            .as_object()
            .and_then(|object| object.keys().next())
            .expect("an input request");
        params["inputResponses"] = json!({name: answer});
        params["requestState"] = input_request["requestState"].clone();
        let result = modern.request("prompts/get", params.clone());
        assert!(result["messages"].to_string().contains("umbrellas"), "{era}: {result}");
        assert_eq!(
            modern.received("elicitation/create"),
            Vec::<Value>::new(),
            "a modern client gets no requests"
        );
        params["name"] = "s__test_simple_prompt".into();
        assert_eq!(
            modern.request_error("prompts/get", params)["code"],
            -32602,
            "{era}: the state belongs to another request"
        );
    }
}

/// Many clients list the tools only once, and a discovery takes time.
#[test]
fn the_meta_tools_are_listed_before_any_discovery() {
    let world = World::trusted().server("s", "honest", &["--delay", "2"]);
    assert_eq!(Agent::legacy(&world, &[]).listed(), ["execute_tool", "tool_search"]);
    assert_eq!(
        Agent::legacy(&World::trusted(), &[]).listed(),
        [""; 0],
        "without tools there are no meta tools"
    );
}

/// A server has one subscription, however many clients are subscribed; it ends with the last.
#[test]
fn a_subscription_ends_with_its_last_client_only() {
    let world = World::trusted().server("s", "honest", &["--rich", "--era", "legacy"]);
    world.run(&["server", "refresh"]).exits(0);
    let web = Web::open(&world, &[]);
    let mut sessions = [(); 3].map(|()| web.session("/mcp", &[]));
    let uri = json!({"uri": "test://numbers"});
    for session in &mut sessions {
        assert_eq!(session.send_request("resources/subscribe", uri.clone()).status, 200);
    }
    let [one, two, three] = &mut sessions;
    let unsubscribed = || world.received("s", "resources/unsubscribe");
    for _ in 0..2 {
        assert_eq!(one.send_request("resources/unsubscribe", uri.clone()).status, 200);
    }
    let end = |session: &Session<'_>| {
        assert_eq!(Client::receive(session.begin_method("DELETE", &[])).status, 200);
    };
    end(two);
    assert_eq!(unsubscribed(), 0, "the third one is subscribed");
    end(three);
    wait_until("the server is unsubscribed from", || unsubscribed() == 1);
}
