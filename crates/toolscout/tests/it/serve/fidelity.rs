//! The lists of docs/fidelity.md, one by one.
//!
//! 1. Each of 21 features of a result passes, byte for byte, by both doors and in both eras.
//! 2. Each of six slips of a model is understood, and anything else is answered with a call that would work.
//! 3. After a kill nothing is left of any server, however little it wants to go.
//! 4. A definition passes whole; only its name may be another.

use super::Agent;
use crate::servers::scene::{is_alive, signal, until};
use crate::world::World;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use serde_json::{Map, Value, json};
use std::collections::HashSet;

/// Results at random; fewer than a server may be asked for at a time.
const RANDOM: usize = 50;

/// A server with one tool, which answers with what is in the file that it is told.
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

/// What may be in a result, each alone: `result`, or `error` where there is none.
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

/// Features 1 to 20: all that is in a message. Every answer is compared as text, from the first byte after its id.
#[test]
fn every_feature_of_a_result_passes_byte_for_byte() {
    let world = saying();
    for is_modern in [false, true] {
        let meta = match is_modern {
            true => {
                json!({"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}})
            }
            false => json!({}),
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
        let said =
            world.run_with(lines.as_bytes(), &["serve", "--meta-tools", "always"]).exits(0).out;
        for (number, (feature, result)) in FEATURES.iter().enumerate() {
            // The modern era wants to know that a result is one; nothing else is added.
            let result = match is_modern {
                true => {
                    result.replacen("\"result\":{", "\"result\":{\"resultType\":\"complete\",", 1)
                }
                false => (*result).to_owned(),
            };
            for id in [2 * number, 2 * number + 1] {
                let whole = format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},{result}}}");
                assert!(
                    said.lines().any(|it| it == whole),
                    "{feature}, modern: {is_modern}, {id}\n{whole}\n{said}"
                );
            }
        }
    }
}

/// The same of results that nobody has thought of, through both doors.
#[test]
fn results_at_random_pass_byte_for_byte() {
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
    let said = world.run_with(lines.as_bytes(), &["serve", "--meta-tools", "always"]).exits(0).out;
    let said: HashSet<&str> = said.lines().collect();
    for (number, result) in results.iter().enumerate() {
        let whole = format!("{{\"jsonrpc\":\"2.0\",\"id\":{number},\"result\":{result}}}");
        let instead = said.iter().find(|it| it.contains(&format!("\"id\":{number},")));
        assert!(said.contains(whole.as_str()), "{number}: {whole}\n{instead:?}");
    }
}

/// Any result: blocks of known and unknown kinds, and anything beside them.
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
            structured
                .into_iter()
                .for_each(|it| drop(rest.insert("structuredContent".to_owned(), it)));
            is_error.into_iter().for_each(|it| drop(rest.insert("isError".to_owned(), it.into())));
            Value::Object(rest)
        },
    )
}

/// Keys that mean nothing to anybody.
fn object() -> impl Strategy<Value = Map<String, Value>> {
    let entries = prop::collection::vec(("x-[a-zé/ \"\\\\]{0,6}", any_json()), 0..4);
    entries.prop_map(|it| it.into_iter().collect())
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
        prop_oneof![list, entries.prop_map(|it| Value::Object(it.into_iter().collect()))]
    })
}

/// Feature 21: what is said on the way to a result, in its order.
#[test]
fn progress_comes_before_the_result_as_it_was_said() {
    let world = saying();
    for (name, arguments) in [
        ("s__say", json!({"what": "f0"})),
        ("execute_tool", json!({"name": "s/say", "arguments": {"what": "f0"}})),
    ] {
        let mut agent = Agent::legacy(&world, &["--meta-tools", "always"]);
        let id = agent.ask(
            "tools/call",
            json!({"name": name, "arguments": arguments, "_meta": {"progressToken": "mine"}}),
        );
        let first = agent.told("notifications/progress")["params"].clone();
        let second = agent.told("notifications/progress")["params"].clone();
        assert_eq!(
            first,
            json!({"progressToken": "mine", "progress": 0.5, "total": 3, "message": "half"})
        );
        assert_eq!(second, json!({"progressToken": "mine", "progress": 3, "total": 3}));
        assert!(agent.answer(id)["result"].is_object(), "{name}");
    }
}

#[test]
fn a_definition_passes_whole_under_another_name() {
    let world = saying();
    let mut agent = Agent::legacy(&world, &[]);
    let listed = agent.request("tools/list", json!({}));
    let mut meant: Value = serde_json::from_str(DEFINITION).expect("JSON");
    meant["name"] = "s__say".into();
    assert_eq!(listed["tools"], json!([meant]));
}

/// The six slips, each against a tool that says what it was called with.
#[test]
fn six_slips_of_a_model_are_understood() {
    let schema = r#"{"type":"object","properties":{"to":{"type":"string"},"size":{"type":"integer"},"meta":{"type":"object","properties":{"tag":{"type":"string"}}}},"required":["to","size"],"additionalProperties":false}"#;
    let tool = format!(r#"{{"name":"send","input_schema":{schema},"run":{{"command":["cat"]}}}}"#);
    let world = World::trusted().file("tools/send.tool.json", &tool);
    let mut agent = Agent::legacy(&world, &[]);
    let meant = json!({"to": "a", "size": 2, "meta": {"tag": "x"}});
    let slips = [
        ("under another key", json!({"name": "send", "parameters": meant})),
        ("a text instead of an object", json!({"name": "send", "arguments": meant.to_string()})),
        (
            "once more inside",
            json!({"name": "send", "arguments": {"name": "send", "arguments": meant}}),
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
        assert_eq!(result["structuredContent"], meant, "{slip}: {result}");
    }
    let wrong = agent
        .call("execute_tool", json!({"name": "send", "arguments": {"to": "a", "size": "many"}}));
    let said = wrong["content"][0]["text"].as_str().expect("a text");
    assert!(wrong["isError"] == true && said.contains("size"), "{said}");
    let example = said
        .lines()
        .find_map(|it| serde_json::from_str::<Value>(it.get(it.find("{\"name\"")?..)?).ok());
    let example = example.unwrap_or_else(|| panic!("no example: {said}"));
    assert!(
        agent.call("execute_tool", example.clone())["isError"] != true,
        "the example works: {example}"
    );
}

/// Servers that end when they are told to, that do not, and that have children which do not.
#[test]
fn after_a_kill_nothing_is_left_of_any_server() {
    let mut world = World::trusted();
    let modes = ["honest", "ignore_term", "grandchild", "fork_many"];
    for mode in modes {
        world = world.server(mode, mode, &[]);
    }
    world.run(&["server", "refresh"]).exits(0);
    let before: Vec<usize> = modes.iter().map(|it| world.processes(it).len()).collect();
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
        .flat_map(|(it, before)| world.processes(it).split_off(before))
        .collect();
    started.extend(world.grandchildren("grandchild").last());
    assert!(started.len() > modes.len() && started.iter().all(|it| is_alive(*it)), "{started:?}");
    signal(agent.process(), rustix::process::Signal::KILL);
    until("all of them are gone", || !started.iter().any(|it| is_alive(*it)));
}
