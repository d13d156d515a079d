//! Requests of a tool during a call reach the client and its response reaches the server, in every
//! combination of protocol eras.

use super::Agent;
use crate::world::World;
use serde_json::{Value, json};

/// A server of this era that sends requests to its clients.
fn asking(era: &str) -> World {
    let world = World::trusted().server("s", "honest", &["--rich", "--era", era]);
    world.run(&["server", "refresh"]).exits(0);
    world
}

fn able() -> Value {
    json!({"elicitation": {"form": {}, "url": {}}, "sampling": {}, "roots": {"listChanged": true}})
}

/// The server may be of either era.
#[test]
fn a_legacy_client_receives_server_requests_during_the_call() {
    for era in ["legacy", "modern"] {
        let world = asking(era);
        let mut agent = Agent::able(&world, &[], able());
        let call = agent.send_request("tools/call", json!({"name": "s__elicit", "arguments": {}}));
        let question = agent.wait_for("elicitation/create");
        assert!(question["params"]["requestedSchema"].is_object(), "{era}: {question}");
        let answer = json!({"action": "accept", "content": {"name": "Ada", "answer": "42"}});
        agent.send(&json!({"jsonrpc": "2.0", "id": question["id"], "result": answer}).to_string());
        let result = agent.answer(call);
        assert!(result["result"]["isError"] != true, "{era}: {result}");
        assert!(result.to_string().contains("accept"), "{era}: {result}");
    }
}

/// The result contains the requests, and the client repeats the call with the responses. The server
/// may be of either era.
#[test]
fn a_modern_client_repeats_the_call_with_the_requested_input() {
    for era in ["legacy", "modern"] {
        let world = asking(era);
        let mut agent = Agent::modern(&world, &[]);
        let meta = json!({"io.modelcontextprotocol/clientCapabilities": able()});
        let mut params = json!({"name": "s__elicit", "arguments": {}, "_meta": meta});
        let input_request = agent.request("tools/call", params.clone());
        assert_eq!(input_request["resultType"], "input_required", "{era}: {input_request}");
        let (name, request) = input_request["inputRequests"]
            .as_object()
            .and_then(|object| object.iter().next())
            .expect("an input request");
        assert_eq!(request["method"], "elicitation/create", "{era}");
        let answer = json!({"action": "accept", "content": {"name": "Ada", "answer": "42"}});
        params["inputResponses"] = json!({name: answer});
        params["requestState"] = input_request["requestState"].clone();
        let result = agent.request("tools/call", params.clone());
        assert_eq!(result["resultType"], "complete", "{era}: {result}");
        assert!(result.to_string().contains("accept"), "{era}: {result}");
        // The request state is valid only for this call.
        params["arguments"] = json!({"other": true});
        let fault = agent.request_error("tools/call", params);
        assert_eq!(fault["code"], -32602, "{era}: {fault}");
    }
}

/// The call still ends.
#[test]
fn a_client_without_the_capability_receives_no_server_request() {
    for era in ["legacy", "modern"] {
        let world = asking(era);
        let mut agent = Agent::legacy(&world, &[]);
        let call = agent.send_request("tools/call", json!({"name": "s__elicit", "arguments": {}}));
        let answer = agent.answer(call);
        assert!(agent.received("elicitation/create").is_empty(), "{era}");
        assert!(answer.get("error").is_some() || answer["result"].is_object(), "{era}: {answer}");
    }
}

#[test]
fn sampling_and_roots_requests_reach_the_client() {
    let world = asking("legacy");
    let mut agent = Agent::able(&world, &[], able());
    for (tool, method, answer) in [
        (
            "s__sample",
            "sampling/createMessage",
            json!({"role": "assistant", "content": {"type": "text", "text": "a poem"}, "model": "m"}),
        ),
        ("s__roots", "roots/list", json!({"roots": [{"uri": "file:///a poem"}]})),
    ] {
        let call = agent.send_request("tools/call", json!({"name": tool, "arguments": {}}));
        let question = agent.wait_for(method);
        agent.send(&json!({"jsonrpc": "2.0", "id": question["id"], "result": answer}).to_string());
        let result = agent.answer(call);
        assert!(result.to_string().contains("a poem"), "{result}");
    }
}

#[test]
fn progress_and_log_messages_keep_their_order() {
    for era in ["legacy", "modern"] {
        let world = asking(era);
        let mut agent = Agent::legacy(&world, &[]);
        let params =
            json!({"name": "s__progress", "arguments": {}, "_meta": {"progressToken": "mine"}});
        agent.request("tools/call", params);
        let steps = agent.received("notifications/progress");
        let done: Vec<_> =
            steps.iter().filter_map(|step| step["params"]["progress"].as_f64()).collect();
        assert!(!done.is_empty() && done.is_sorted(), "{era}: {steps:?}");
        assert!(
            steps.iter().all(|step| step["params"]["progressToken"] == "mine"),
            "{era}: {steps:?}"
        );
    }
}

#[test]
fn resources_prompts_and_completion_are_forwarded() {
    let world = asking("legacy");
    for mut agent in [Agent::legacy(&world, &[]), Agent::modern(&world, &[])] {
        let resources = agent.request("resources/list", json!({}));
        let uri = resources["resources"][0]["uri"].as_str().expect("a resource").to_owned();
        let content = agent.request("resources/read", json!({"uri": uri}));
        assert_eq!(content["contents"][0]["uri"], uri);
        let prompts = agent.request("prompts/list", json!({}));
        let name = prompts["prompts"][0]["name"].as_str().expect("a prompt").to_owned();
        assert!(name.starts_with("s__"), "{name}");
        let prompt = agent.request("prompts/get", json!({"name": name, "arguments": {}}));
        assert!(prompt["messages"].is_array(), "{prompt}");
        assert_eq!(agent.request_error("prompts/get", json!({"name": "nothing"}))["code"], -32602);
    }
}

#[test]
fn methods_without_a_capable_server_are_unknown() {
    let world = World::trusted();
    let mut agent = Agent::legacy(&world, &[]);
    for method in ["resources/list", "prompts/list", "completion/complete"] {
        let params = json!({"ref": {"type": "ref/prompt", "name": "x"}, "argument": {"name": "a", "value": "b"}});
        assert_eq!(agent.request_error(method, params)["code"], -32601, "{method}");
    }
}
