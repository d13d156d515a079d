//! Results of servers pass through to the client unchanged, and requests of servers reach the
//! client.

use super::Agent;
use crate::world::World;
use serde_json::{Value, json};

/// A server whose tool `say` always responds with this result.
fn saying(result: &str) -> World {
    let words = ["sh", "s.sh"].map(str::to_owned);
    let world = World::trusted().entry("s", &words, "").file("s.sh", SAYING).file("result", result);
    world.run(&["server", "refresh"]).exits(0);
    world
}

const SAYING: &str = r#"
while IFS= read -r line; do
  id=${line#*'"id":'}; id=${id%%[,\}]*}
  case $line in
  *'"server/discover"'*) printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no"}}\n' "$id" ;;
  *'"initialize"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}\n' "$id" ;;
  *'"tools/list"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{"tools":[{"name":"say","inputSchema":{"type":"object"}}]}}\n' "$id" ;;
  *'"tools/call"'*) printf '{"jsonrpc":"2.0","id":%s,' "$id"; cat result; printf '}\n' ;;
  esac
done"#;

const RICH: &str = r#"{ "content" : [
  {"type":"text","text":"a\u00e9\ud83d\ude00","annotations":{"audience":["user"],"priority":0.50},"_meta":{"x":1}},
  {"type":"image","data":"AAAA","mimeType":"image/png"}, {"type":"audio","data":"AAAA","mimeType":"audio/wav"},
  {"type":"resource","resource":{"uri":"x://y","text":"t","mimeType":"text/plain"}},
  {"type":"resource_link","uri":"file:///z","name":"z","size":12345678901234567890},
  {"type":"something_new","value":1e400} ],
  "structuredContent" : {"n": 1.0, "big": 123456789012345678901234567890, "deep": {"a": [null, true]}},
  "isError" : true, "_meta" : {"vendor/key": "v"}, "vendor": [1, 2, 3] }"#;

/// Every part of a result passes through unchanged, for direct calls and `execute_tool`, in both
/// protocol eras.
#[test]
fn a_result_passes_through_byte_for_byte() {
    let world = saying(&format!("\"result\":{}", RICH.replace('\n', " ")));
    let flat: String = RICH.replace('\n', " ");
    for name in ["s__say", "execute_tool"] {
        let params = if name == "s__say" {
            r#"{"name":"s__say"}"#.to_owned()
        } else {
            r#"{"name":"execute_tool","arguments":{"name":"s/say"}}"#.to_owned()
        };
        let lines = format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{params}}}\n"
        );
        let outcome = world.run_with(lines.as_bytes(), &["serve"]).exits(0);
        assert_eq!(
            outcome.out,
            format!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{flat}}}\n"),
            "{name}"
        );
    }
    let meta = json!({"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}});
    let request = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "s__say", "_meta": meta}});
    let outcome = world.run_with(format!("{request}\n").as_bytes(), &["serve"]).exits(0);
    let marked = format!("{{\"resultType\":\"complete\",{}", &flat[1..]);
    assert_eq!(
        outcome.out,
        format!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{marked}}}\n"),
        "the modern era requires a result type"
    );
}

/// A protocol error of the server passes through, too.
#[test]
fn an_error_passes_through_with_its_code_and_data() {
    let world = saying(r#""error":{"code":-32050,"message":"not today","data":{"retry":[1]}}"#);
    let mut agent = Agent::legacy(&world, &[]);
    for fault in [
        agent.request_error("tools/call", json!({"name": "s__say"})),
        agent.request_error(
            "tools/call",
            json!({"name": "execute_tool", "arguments": {"name": "s/say"}}),
        ),
    ] {
        assert_eq!(fault, json!({"code": -32050, "message": "not today", "data": {"retry": [1]}}));
    }
}

/// The response contains the beginning of a large result and explains how to read the rest.
#[test]
fn a_large_result_can_be_read_in_parts() {
    let text = "0123456789abcdef".repeat(100_000);
    let world = saying(&format!(r#""result":{{"content":[{{"type":"text","text":"{text}"}}]}}"#));
    let mut agent = Agent::legacy(&world, &[]);
    let result = agent.call("s__say", json!({}));
    let mut whole = result["content"][0]["text"].as_str().expect("a text").to_owned();
    let note = result["content"][1]["text"].as_str().expect("a note");
    let call: Value = serde_json::from_str(
        &note[note.find('{').expect("a call")..=note.find("}}").expect("the end of the call") + 1],
    )
    .expect("JSON");
    let handle = call["arguments"]["result"].clone();
    while whole.len() < text.len() {
        let input_request =
            json!({"name": call["name"], "arguments": {"result": handle, "offset": whole.len()}});
        whole += &agent.text("execute_tool", input_request);
    }
    assert!(whole == text);
}
