//! A reference server has the items that the conformance suite expects, in both eras.

use crate::talk::{Talk, names};
use serde_json::{Value, json};

fn call(name: &str) -> Value {
    json!({ "name": name, "arguments": {} })
}

#[test]
fn a_reference_server_has_tools_of_its_own_and_a_library() {
    let mut talk = Talk::with("--reference");
    let listed = talk.ask("tools/list", json!({})).answer()["result"].clone();
    let tools = names(&listed);
    assert!(
        tools.contains(&"test_simple_text") && tools.contains(&"json_schema_2020_12_tool"),
        "{tools:?}"
    );
    assert!(!tools.contains(&"echo"));
    let read = talk.ask("resources/read", json!({ "uri": "test://template/7/data" })).answer();
    assert!(read["result"]["contents"][0]["text"].as_str().unwrap().contains("\"7\""));
    let prompts =
        talk.ask("prompts/list", json!({})).answer()["result"]["prompts"].as_array().unwrap().len();
    assert_eq!(prompts, 5);
}

/// The server requires a response to each of its requests, and its unchanged state.
#[test]
fn today_it_asks_with_its_result_and_checks_what_comes_back() {
    let mut talk = Talk::with("--reference");
    let tool = "test_input_required_result_tampered_state";
    let wanted = talk.ask("tools/call", call(tool)).answer()["result"].clone();
    assert_eq!(wanted["resultType"], "input_required");
    let again = |state: &str| json!({ "name": tool, "inputResponses": { "confirm": {} }, "requestState": state });
    let state = wanted["requestState"].as_str().unwrap();
    assert_eq!(talk.ask("tools/call", again(state)).answer()["result"]["resultType"], "complete");
    assert_eq!(talk.ask("tools/call", again("mine!")).answer()["error"]["code"], -32602);
    let unanswered =
        json!({ "name": tool, "inputResponses": { "other": {} }, "requestState": state });
    assert_eq!(
        talk.ask("tools/call", unanswered).answer()["result"]["resultType"],
        "input_required"
    );
}

#[test]
fn of_old_it_asks_one_thing_after_the_other() {
    let mut talk = Talk::with("--reference --era legacy");
    let mut received = talk
        .ask_as_of_old("tools/call", call("test_input_required_result_multiple_inputs"))
        .answer();
    for method in ["elicitation/create", "sampling/createMessage", "roots/list"] {
        assert_eq!(received["method"], method);
        let answer =
            json!({ "jsonrpc": "2.0", "id": received["id"], "result": { "said": method } });
        received = talk.say(&answer.to_string()).answer();
    }
    assert!(received["result"]["content"][0]["text"].as_str().unwrap().contains("roots/list"));
}

#[test]
fn its_lists_grow_and_it_says_so() {
    let mut talk = Talk::with("--reference --era legacy");
    let before = names(&talk.ask_as_of_old("tools/list", json!({})).answer()["result"]).len();
    let notification = talk.ask_as_of_old("tools/call", call("test_trigger_tool_change")).answer();
    assert_eq!(notification["method"], "notifications/tools/list_changed");
    talk.answer();
    assert_eq!(
        names(&talk.ask_as_of_old("tools/list", json!({})).answer()["result"]).len(),
        before + 1
    );
}
