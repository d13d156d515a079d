//! What a tool wants in the middle of a call reaches the client, in whichever era the two speak, and the answer goes back.

use super::Agent;
use crate::world::World;
use serde_json::{Value, json};

/// A server of this era that asks its clients for things.
fn asking(era: &str) -> World {
    let world = World::trusted().server("s", "honest", &["--rich", "--era", era]);
    world.run(&["server", "refresh"]).exits(0);
    world
}

fn able() -> Value {
    json!({"elicitation": {"form": {}, "url": {}}, "sampling": {}, "roots": {"listChanged": true}})
}

/// An old client is asked while the call is under way, whichever era the server is of.
#[test]
fn a_client_of_the_old_era_is_asked_during_the_call() {
    for era in ["legacy", "modern"] {
        let world = asking(era);
        let mut agent = Agent::able(&world, &[], able());
        let call = agent.ask("tools/call", json!({"name": "s__elicit", "arguments": {}}));
        let question = agent.told("elicitation/create");
        assert!(question["params"]["requestedSchema"].is_object(), "{era}: {question}");
        let answer = json!({"action": "accept", "content": {"name": "Ada", "answer": "42"}});
        agent.send(&json!({"jsonrpc": "2.0", "id": question["id"], "result": answer}).to_string());
        let result = agent.answer(call);
        assert!(result["result"]["isError"] != true, "{era}: {result}");
        assert!(result.to_string().contains("accept"), "{era}: {result}");
    }
}

/// A modern client gets the wish as a result, and asks again with what is wanted, whichever era the server is of.
#[test]
fn a_client_of_the_modern_era_asks_again_with_what_is_wanted() {
    for era in ["legacy", "modern"] {
        let world = asking(era);
        let mut agent = Agent::modern(&world, &[]);
        let meta = json!({"io.modelcontextprotocol/clientCapabilities": able()});
        let mut params = json!({"name": "s__elicit", "arguments": {}, "_meta": meta});
        let wish = agent.request("tools/call", params.clone());
        assert_eq!(wish["resultType"], "input_required", "{era}: {wish}");
        let (name, request) =
            wish["inputRequests"].as_object().and_then(|it| it.iter().next()).expect("a wish");
        assert_eq!(request["method"], "elicitation/create", "{era}");
        let answer = json!({"action": "accept", "content": {"name": "Ada", "answer": "42"}});
        params["inputResponses"] = json!({name: answer});
        params["requestState"] = wish["requestState"].clone();
        let result = agent.request("tools/call", params.clone());
        assert_eq!(result["resultType"], "complete", "{era}: {result}");
        assert!(result.to_string().contains("accept"), "{era}: {result}");
        // What it carried is bound to this call.
        params["arguments"] = json!({"other": true});
        let fault = agent.fault("tools/call", params);
        assert_eq!(fault["code"], -32602, "{era}: {fault}");
    }
}

/// Who cannot be asked is not asked, and the call still ends.
#[test]
fn a_client_that_cannot_be_asked_is_not_asked() {
    for era in ["legacy", "modern"] {
        let world = asking(era);
        let mut agent = Agent::legacy(&world, &[]);
        let call = agent.ask("tools/call", json!({"name": "s__elicit", "arguments": {}}));
        let answer = agent.answer(call);
        assert!(agent.heard("elicitation/create").is_empty(), "{era}");
        assert!(answer.get("error").is_some() || answer["result"].is_object(), "{era}: {answer}");
    }
}

#[test]
fn a_model_and_the_folders_of_a_client_can_be_asked_for_too() {
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
        let call = agent.ask("tools/call", json!({"name": tool, "arguments": {}}));
        let question = agent.told(method);
        agent.send(&json!({"jsonrpc": "2.0", "id": question["id"], "result": answer}).to_string());
        let result = agent.answer(call);
        assert!(result.to_string().contains("a poem"), "{result}");
    }
}

#[test]
fn progress_and_log_pass_in_order() {
    for era in ["legacy", "modern"] {
        let world = asking(era);
        let mut agent = Agent::legacy(&world, &[]);
        let params =
            json!({"name": "s__progress", "arguments": {}, "_meta": {"progressToken": "mine"}});
        agent.request("tools/call", params);
        let steps = agent.heard("notifications/progress");
        let done: Vec<_> =
            steps.iter().filter_map(|it| it["params"]["progress"].as_f64()).collect();
        assert!(!done.is_empty() && done.is_sorted(), "{era}: {steps:?}");
        assert!(steps.iter().all(|it| it["params"]["progressToken"] == "mine"), "{era}: {steps:?}");
    }
}

#[test]
fn resources_prompts_and_completion_pass() {
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
        assert_eq!(agent.fault("prompts/get", json!({"name": "nothing"}))["code"], -32602);
    }
}

#[test]
fn what_nobody_behind_us_has_is_an_unknown_method() {
    let world = World::trusted();
    let mut agent = Agent::legacy(&world, &[]);
    for method in ["resources/list", "prompts/list", "completion/complete"] {
        let params = json!({"ref": {"type": "ref/prompt", "name": "x"}, "argument": {"name": "a", "value": "b"}});
        assert_eq!(agent.fault(method, params)["code"], -32601, "{method}");
    }
}
