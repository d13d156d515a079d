//! A rich server sends requests, reports progress, and has more than tools.

use crate::talk::{Talk, names, post};
use serde_json::{Value, json};

fn call(name: &str) -> Value {
    json!({ "name": name, "arguments": {} })
}

#[test]
fn a_rich_server_has_more_than_tools_and_says_so() {
    let mut talk = Talk::with("--rich");
    let discovered = talk.ask("server/discover", json!({})).answer()["result"].clone();
    assert_eq!(discovered["capabilities"]["resources"]["subscribe"], true);
    assert!(discovered["instructions"].is_string());
    let first = talk.ask("resources/list", json!({})).answer()["result"].clone();
    assert_eq!(
        (first["resources"].as_array().unwrap().len(), &first["nextCursor"]),
        (2, &json!("2"))
    );
    let read = talk.ask("resources/read", json!({ "uri": "test://readme" })).answer();
    assert_eq!(read["result"]["contents"][0]["text"], "text of test://readme");
    assert!(names(&talk.ask("tools/list", json!({})).answer()["result"]).contains(&"elicit"));
    let mut plain = Talk::with("");
    assert_eq!(plain.ask("resources/list", json!({})).answer()["error"]["code"], -32601);
}

#[test]
fn of_old_it_asks_in_the_middle_of_a_call() {
    let mut talk = Talk::with("--rich --era legacy");
    let question = talk.ask_as_of_old("tools/call", call("elicit")).answer();
    assert_eq!(question["method"], "elicitation/create");
    let answer =
        json!({ "jsonrpc": "2.0", "id": question["id"], "result": { "action": "decline" } });
    let result = talk.say(&answer.to_string()).answer();
    assert!(result["result"]["content"][0]["text"].as_str().unwrap().contains("decline"));
}

#[test]
fn today_it_answers_with_its_question() {
    let mut talk = Talk::with("--rich");
    let result = talk.ask("tools/call", call("elicit")).answer()["result"].clone();
    assert_eq!(result["resultType"], "input_required");
    let again = json!({ "name": "elicit", "inputResponses": { "it": 1 }, "requestState": result["requestState"] });
    let result = talk.ask("tools/call", again).answer()["result"].clone();
    assert_eq!(result["resultType"], "complete");
}

#[test]
fn over_http_what_happens_in_a_call_comes_before_its_result() {
    let mut talk = Talk::with("--rich --http 0");
    let message = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": { "name": "log", "arguments": { "count": 2 } } });
    let answer = post(talk.port(), &message, 1 << 20);
    let events: Vec<Value> = answer
        .lines()
        .filter_map(|line| serde_json::from_str(line.strip_prefix("data: ")?).ok())
        .collect();
    assert_eq!(events.len(), 3);
    assert_eq!(
        (&events[0]["method"], &events[2]["id"]),
        (&json!("notifications/message"), &json!(1))
    );
}
