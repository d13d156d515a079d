//! The lists of docs/measurements/fidelity.md, one by one.
//!
//! 1. Each of 21 features of a result passes through byte for byte, for direct calls and
//!    `execute_tool`, in both protocol eras.
//! 2. Six common argument mistakes of models are repaired. Any other mistake is answered with an
//!    example of a valid call.
//! 3. After a kill no server process is left, even if a server ignores signals.
//! 4. A definition passes through complete; only its name may differ.

use super::Agent;
use crate::servers::fixture::{is_alive, signal, wait_until};
use crate::world::World;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use serde_json::{Map, Value, json};
use std::collections::HashSet;

/// Number of random results; fewer than the limit of concurrent calls to a server.
const RANDOM: usize = 50;

/// A server with one tool, which responds with the content of the file in its argument.
const SAYING: &str = r#"
while IFS= read -r line; do
  id=${line#*'"id":'}; id=${id%%[,\}]*}
  what=${line#*'"what":"'}; what=${what%%'"'*}
  token=${line#*'"progressToken":'}; token=${token%%[,\}]*}
  case $line in
  *'"server/discover"'*) printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no"}}\n' "$id" ;;
  *'"initialize"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}\n' "$id" ;;
  *'"tools/list"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{"tools":[' "$id"; cat definition; printf ']}}\n' ;;
  *'"tools/call"'*)
    case $line in *progressToken*)
      printf '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%s,"progress":0.5,"total":3,"message":"half"}}\n' "$token"
      printf '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%s,"progress":3,"total":3}}\n' "$token"
    esac
    printf '{"jsonrpc":"2.0","id":%s,' "$id"; cat "results/$what"; printf '}\n' ;;
  esac
done"#;

const DEFINITION: &str = r#"{"name":"say","title":"Say it","description":"Says what it is told","inputSchema":{"type":"object","properties":{"what":{"type":"string"}},"x-own":1},"annotations":{"readOnlyHint":true,"title":"Say"},"icons":[{"src":"https://example.com/i.png","sizes":["48x48"]}],"_meta":{"vendor/key":[1,2]},"execution":{"taskSupport":"forbidden"},"vendor":{"n":1.0}}"#;

/// The features of a result, each alone: a `result`, or an `error`.
const FEATURES: [(&str, &str); 20] = [
    (
        "text, escaped as it was",
        r#""result":{"content":[{"type":"text","text":"a\u00e9\ud83d\ude00 \u200b\t<b>"}]}"#,
    ),
    (
        "annotations of a block",
        r#""result":{"content":[{"type":"text","text":"t","annotations":{"audience":["user"],"priority":0.50,"lastModified":"2026-01-01"}}]}"#,
    ),
    (
        "image",
        r#""result":{"content":[{"type":"image","data":"iVBORw0KGgo=","mimeType":"image/png"}]}"#,
    ),
    ("audio", r#""result":{"content":[{"type":"audio","data":"AAAA","mimeType":"audio/wav"}]}"#),
    (
        "embedded text",
        r#""result":{"content":[{"type":"resource","resource":{"uri":"x://y","mimeType":"text/plain","text":"t"}}]}"#,
    ),
    (
        "embedded bytes",
        r#""result":{"content":[{"type":"resource","resource":{"uri":"x://z","blob":"AAAA"}}]}"#,
    ),
    (
        "link to a resource",
        r#""result":{"content":[{"type":"resource_link","uri":"file:///z","name":"z","title":"Z","size":12345678901234567890,"icons":[{"src":"data:,"}]}]}"#,
    ),
    (
        "_meta of a block",
        r#""result":{"content":[{"type":"text","text":"t","_meta":{"vendor/key":{"deep":[null]}}}]}"#,
    ),
    (
        "a block of a kind that nobody knows",
        r#""result":{"content":[{"type":"something_new","value":[1,{"a":2}]}]}"#,
    ),
    (
        "several blocks in their order",
        r#""result":{"content":[{"type":"text","text":"1"},{"type":"image","data":"AAAA","mimeType":"image/png"},{"type":"text","text":"2"}]}"#,
    ),
    ("no content", r#""result":{"content":[]}"#),
    (
        "structured content",
        r#""result":{"content":[],"structuredContent":{"a":{"b":[null,true,""]}}}"#,
    ),
    (
        "structured content that is no object",
        r#""result":{"content":[],"structuredContent":[1,"two",{"three":3}]}"#,
    ),
    (
        "numbers as they are written",
        r#""result":{"content":[],"structuredContent":{"one":1.0,"big":123456789012345678901234567890,"huge":1e400,"small":-0.0}}"#,
    ),
    (
        "keys and blanks where they were",
        r#""result":{ "structuredContent" : {"z":1, "a":2}, "content" : [ ] }"#,
    ),
    ("isError", r#""result":{"content":[{"type":"text","text":"it broke"}],"isError":true}"#),
    ("isError that is false", r#""result":{"content":[],"isError":false}"#),
    (
        "_meta of the result",
        r#""result":{"content":[],"_meta":{"vendor/key":"v","other":{"x":1}}}"#,
    ),
    ("what nobody knows", r#""result":{"content":[],"vendor":[1,2,3],"next":null}"#),
    (
        "an error of the protocol",
        r#""error":{"code":-32050,"message":"not today","data":{"retry":[1]}}"#,
    ),
];

fn saying() -> World {
    let words = ["sh", "s.sh"].map(str::to_owned);
    let mut world =
        World::trusted().entry("s", &words, "visibility = \"listed\"").file("s.sh", SAYING);
    world = world.file("definition", DEFINITION);
    for (number, (_, result)) in FEATURES.iter().enumerate() {
        world = world.file(&format!("results/f{number}"), result);
    }
    world.run(&["server", "refresh"]).exits(0);
    world
}

/// Features 1 to 20: everything in a message. The test compares each response as text, from the
/// first byte after its id.
#[test]
fn every_result_feature_passes_through_byte_for_byte() {
    let world = saying();
    for is_modern in [false, true] {
        let meta = if is_modern {
            json!({"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}})
        } else {
            json!({})
        };
        let mut lines = String::new();
        for number in 0..FEATURES.len() {
            let arguments = json!({"what": format!("f{number}")});
            let inner = json!({"name": "s/say", "arguments": arguments});
            for (id, name, arguments) in
                [(2 * number, "s__say", &arguments), (2 * number + 1, "execute_tool", &inner)]
            {
                let params = json!({"name": name, "arguments": arguments, "_meta": meta});
                lines += &format!(
                    "{}\n",
                    json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params})
                );
            }
        }
        let output =
            world.run_with(lines.as_bytes(), &["serve", "--meta-tools", "always"]).exits(0).out;
        for (number, (feature, result)) in FEATURES.iter().enumerate() {
            // The modern era requires `resultType`; nothing else is added.
            let result = if is_modern {
                result.replacen("\"result\":{", "\"result\":{\"resultType\":\"complete\",", 1)
            } else {
                (*result).to_owned()
            };
            for id in [2 * number, 2 * number + 1] {
                let whole = format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},{result}}}");
                assert!(
                    output.lines().any(|line| line == whole),
                    "{feature}, modern: {is_modern}, {id}\n{whole}\n{output}"
                );
            }
        }
    }
}

/// The same for random results, for direct calls and `execute_tool`.
#[test]
fn random_results_pass_through_byte_for_byte() {
    let mut runner = TestRunner::deterministic();
    let strategy = result();
    let results: Vec<String> = (0..RANDOM)
        .map(|_| strategy.new_tree(&mut runner).expect("a result").current().to_string())
        .collect();
    let mut world = saying();
    let mut lines = String::new();
    for (number, result) in results.iter().enumerate() {
        world = world.file(&format!("results/r{number}"), &format!("\"result\":{result}"));
        let arguments = json!({"what": format!("r{number}")});
        let params = match number % 2 {
            0 => json!({"name": "s__say", "arguments": arguments}),
            _ => {
                json!({"name": "execute_tool", "arguments": {"name": "s/say", "arguments": arguments}})
            }
        };
        lines += &format!(
            "{}\n",
            json!({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params})
        );
    }
    let output =
        world.run_with(lines.as_bytes(), &["serve", "--meta-tools", "always"]).exits(0).out;
    let output: HashSet<&str> = output.lines().collect();
    for (number, result) in results.iter().enumerate() {
        let whole = format!("{{\"jsonrpc\":\"2.0\",\"id\":{number},\"result\":{result}}}");
        let instead = output.iter().find(|item| item.contains(&format!("\"id\":{number},")));
        assert!(output.contains(whole.as_str()), "{number}: {whole}\n{instead:?}");
    }
}

/// Any result: content blocks of known and unknown types, and other fields.
fn result() -> impl Strategy<Value = Value> {
    let kind = prop::sample::select(vec![
        "text",
        "image",
        "audio",
        "resource",
        "resource_link",
        "something_new",
    ]);
    let block = (kind, object()).prop_map(|(kind, mut block)| {
        block.insert("type".to_owned(), kind.into());
        Value::Object(block)
    });
    let content = prop::collection::vec(block, 0..5);
    (content, prop::option::of(any_json()), prop::option::of(any::<bool>()), object()).prop_map(
        |(content, structured, is_error, mut rest)| {
            rest.insert("content".to_owned(), content.into());
            structured.into_iter().for_each(|structured| {
                drop(rest.insert("structuredContent".to_owned(), structured))
            });
            is_error
                .into_iter()
                .for_each(|is_error| drop(rest.insert("isError".to_owned(), is_error.into())));
            Value::Object(rest)
        },
    )
}

/// Random keys without a meaning in the protocol.
fn object() -> impl Strategy<Value = Map<String, Value>> {
    let entries = prop::collection::vec(("x-[a-zé/ \"\\\\]{0,6}", any_json()), 0..4);
    entries.prop_map(|entries| entries.into_iter().collect())
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        let list = prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from);
        let entries = prop::collection::vec((any::<String>(), inner), 0..4);
        prop_oneof![list, entries.prop_map(|entries| Value::Object(entries.into_iter().collect()))]
    })
}

/// Feature 21: progress notifications, in order.
#[test]
fn progress_notifications_precede_the_result_unchanged() {
    let world = saying();
    for (name, arguments) in [
        ("s__say", json!({"what": "f0"})),
        ("execute_tool", json!({"name": "s/say", "arguments": {"what": "f0"}})),
    ] {
        let mut agent = Agent::legacy(&world, &["--meta-tools", "always"]);
        let id = agent.send_request(
            "tools/call",
            json!({"name": name, "arguments": arguments, "_meta": {"progressToken": "mine"}}),
        );
        let first = agent.wait_for("notifications/progress")["params"].clone();
        let second = agent.wait_for("notifications/progress")["params"].clone();
        assert_eq!(
            first,
            json!({"progressToken": "mine", "progress": 0.5, "total": 3, "message": "half"})
        );
        assert_eq!(second, json!({"progressToken": "mine", "progress": 3, "total": 3}));
        assert!(agent.answer(id)["result"].is_object(), "{name}");
    }
}

#[test]
fn a_definition_passes_through_whole_under_another_name() {
    let world = saying();
    let mut agent = Agent::legacy(&world, &[]);
    let listed = agent.request("tools/list", json!({}));
    let mut expected: Value = serde_json::from_str(DEFINITION).expect("JSON");
    expected["name"] = "s__say".into();
    assert_eq!(listed["tools"], json!([expected]));
}

/// The tool echoes the arguments that it receives.
#[test]
fn six_common_argument_mistakes_of_models_are_repaired() {
    let schema = r#"{"type":"object","properties":{"to":{"type":"string"},"size":{"type":"integer"},"meta":{"type":"object","properties":{"tag":{"type":"string"}}}},"required":["to","size"],"additionalProperties":false}"#;
    let tool = format!(r#"{{"name":"send","input_schema":{schema},"run":{{"command":["cat"]}}}}"#);
    let world = World::trusted().file("tools/send.tool.json", &tool);
    let mut agent = Agent::legacy(&world, &[]);
    let expected = json!({"to": "a", "size": 2, "meta": {"tag": "x"}});
    let slips = [
        ("under another key", json!({"name": "send", "parameters": expected})),
        ("a text instead of an object", json!({"name": "send", "arguments": expected.to_string()})),
        (
            "once more inside",
            json!({"name": "send", "arguments": {"name": "send", "arguments": expected}}),
        ),
        ("beside the name", json!({"name": "send", "to": "a", "size": 2, "meta": {"tag": "x"}})),
        ("dotted", json!({"name": "send", "arguments": {"to": "a", "size": 2, "meta.tag": "x"}})),
        (
            "a number as a text",
            json!({"name": "send", "arguments": {"to": "a", "size": "2", "meta": {"tag": "x"}}}),
        ),
    ];
    for (slip, arguments) in slips {
        let result = agent.call("execute_tool", arguments);
        assert_eq!(result["structuredContent"], expected, "{slip}: {result}");
    }
    let wrong = agent
        .call("execute_tool", json!({"name": "send", "arguments": {"to": "a", "size": "many"}}));
    let output = wrong["content"][0]["text"].as_str().expect("a text");
    assert!(wrong["isError"] == true && output.contains("size"), "{output}");
    let example = output
        .lines()
        .find_map(|line| serde_json::from_str::<Value>(line.get(line.find("{\"name\"")?..)?).ok());
    let example = example.unwrap_or_else(|| panic!("no example: {output}"));
    assert!(
        agent.call("execute_tool", example.clone())["isError"] != true,
        "the example works: {example}"
    );
}

/// Servers that end on a signal, that ignore it, and whose child processes ignore it.
#[test]
fn killing_the_program_leaves_no_server_process() {
    let mut world = World::trusted();
    let modes = ["honest", "ignore_term", "grandchild", "fork_many"];
    for mode in modes {
        world = world.server(mode, mode, &[]);
    }
    world.run(&["server", "refresh"]).exits(0);
    let before: Vec<usize> = modes.iter().map(|mode| world.processes(mode).len()).collect();
    let mut agent = Agent::legacy(&world, &[]);
    for mode in modes {
        agent.call(
            "execute_tool",
            json!({"name": format!("{mode}/echo"), "arguments": {"text": "hi"}}),
        );
    }
    let mut started: Vec<_> = modes
        .iter()
        .zip(before)
        .flat_map(|(item, before)| world.processes(item).split_off(before))
        .collect();
    started.extend(world.grandchildren("grandchild").last());
    assert!(
        started.len() > modes.len() && started.iter().all(|started| is_alive(*started)),
        "{started:?}"
    );
    signal(agent.process(), rustix::process::Signal::KILL);
    wait_until("all servers have ended", || !started.iter().any(|started| is_alive(*started)));
}
