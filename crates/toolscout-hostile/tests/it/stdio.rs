//! 1. The honest server responds in both eras, or in one alone if configured.
//! 2. Some modes behave over a pipe as documented, byte for byte.

use crate::talk::{Talk, names};
use serde_json::json;

const TOOLS: [&str; 6] = ["echo", "add", "sleep", "whoami", "fail", "blob"];

#[test]
fn the_honest_server_speaks_the_stateless_protocol() {
    let mut talk = Talk::with("--name mail --ttl-ms 5000");
    assert_eq!(
        talk.ask("server/discover", json!({})).line(),
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"resultType\":\"complete\",\"supportedVersions\":[\"2026-07-28\"],\
         \"capabilities\":{\"tools\":{\"listChanged\":true}},\"_meta\":{\"io.modelcontextprotocol/serverInfo\":\
         {\"name\":\"mail\",\"version\":\"1.0.0\"}},\"ttlMs\":0,\"cacheScope\":\"public\"}}\n"
    );
    let list = talk.ask("tools/list", json!({})).answer();
    assert_eq!(names(&list["result"]), TOOLS);
    assert_eq!(
        (&list["result"]["ttlMs"], &list["result"]["resultType"]),
        (&json!(5000), &json!("complete"))
    );
    assert_eq!(
        talk.ask("tools/call", json!({ "name": "add", "arguments": { "a": 20, "b": 22 } })).line(),
        "{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"42\"}],\"isError\":false,\
         \"resultType\":\"complete\"}}\n"
    );
}

#[test]
fn the_honest_server_speaks_the_old_protocol() {
    let mut talk = Talk::with("--mode honest --tools 2");
    assert_eq!(
        talk.ask_as_of_old("initialize", json!({ "protocolVersion": "2025-03-26" })).line(),
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"protocolVersion\":\"2025-03-26\",\"capabilities\":{\"tools\":\
         {\"listChanged\":true}},\"serverInfo\":{\"name\":\"hostile\",\"version\":\"1.0.0\"}}}\n"
    );
    let list = talk
        .say(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#)
        .ask_as_of_old("tools/list", json!({}))
        .answer();
    assert_eq!(list["result"].as_object().unwrap().len(), 1);
    assert_eq!(names(&list["result"])[6..], ["create_invoice_00000", "list_invoice_00001"]);
    let unknown = talk.ask_as_of_old("tools/call", json!({ "name": "nothing" })).answer();
    assert_eq!(unknown["error"]["code"], -32602);
    let failed = talk.ask_as_of_old("tools/call", json!({ "name": "fail" })).answer();
    assert_eq!(failed["result"]["isError"], true);
}

#[test]
fn an_era_can_be_left_out() {
    assert_eq!(
        Talk::with("--era legacy").ask("server/discover", json!({})).answer()["error"]["code"],
        -32601
    );
    assert_eq!(
        Talk::with("--era modern").ask_as_of_old("initialize", json!({})).answer()["error"]["code"],
        -32601
    );
}

#[test]
fn a_cancelled_sleep_is_not_answered() {
    let mut talk = Talk::with("");
    talk.ask("tools/call", json!({ "name": "sleep", "arguments": { "seconds": 60 } }));
    talk.say(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#);
    talk.ask("ping", json!({}));
    assert_eq!(talk.rest(), "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}\n");
}

#[test]
fn cursor_same_leads_in_a_circle() {
    let mut talk = Talk::with("--mode cursor_same");
    let first = talk.ask("tools/list", json!({})).answer();
    let second = talk.ask("tools/list", json!({ "cursor": "again" })).answer();
    assert_eq!(first["result"], second["result"]);
    assert_eq!(first["result"]["nextCursor"], "again");
}

#[test]
fn two_on_line_are_two_answers_on_one_line() {
    let mut talk = Talk::with("--mode two_on_line");
    let line = talk.ask("tools/list", json!({})).line();
    let (first, second) = line.trim_end().split_once("}{").unwrap();
    let first: serde_json::Value = serde_json::from_str(&format!("{first}}}")).unwrap();
    let second: serde_json::Value = serde_json::from_str(&format!("{{{second}")).unwrap();
    assert_eq!(names(&first["result"]), TOOLS);
    assert_eq!(names(&second["result"])[6..], ["smuggled"]);
    assert_eq!((&first["id"], &second["id"]), (&json!(1), &json!(1)));
}

#[test]
fn exit_mid_list_stops_in_the_middle() {
    let whole = Talk::with("").ask("tools/list", json!({})).line();
    let mut talk = Talk::with("--mode exit_mid_list");
    let half = talk.ask("tools/list", json!({})).rest();
    assert_eq!(half, whole[..(whole.len() - 1) / 2]);
    assert_eq!(talk.events("exit")[0]["code"], -9);
}

#[test]
fn double_reply_answers_twice() {
    let mut talk = Talk::with("--mode double_reply");
    talk.ask("tools/call", json!({ "name": "echo", "arguments": { "text": "once" } }));
    let texts = [talk.answer(), talk.answer()]
        .map(|value| (value["id"].clone(), value["result"]["content"][0]["text"].clone()));
    assert_eq!(texts, [(json!(1), json!("once")), (json!(1), json!("POISON second reply"))]);
}

#[test]
fn deep_edge_is_just_deep_enough_to_be_read_once() {
    let line = Talk::with("--mode deep_edge").ask("tools/list", json!({})).line();
    let read: serde_json::Value = serde_json::from_str(&line).unwrap();
    assert!(serde_json::from_str::<serde_json::Value>(&format!("[[[[{read}]]]]")).is_err());
}

#[test]
fn bom_crlf_marks_the_first_line_only() {
    let mut talk = Talk::with("--mode bom_crlf");
    let output = talk.ask("ping", json!({})).ask("ping", json!({})).rest();
    assert_eq!(
        output,
        "\u{feff}{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\r\n{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}\r\n"
    );
}
