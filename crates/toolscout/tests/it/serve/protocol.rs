//! 1. The program speaks both protocol eras on one connection, and answers each message in its era.
//! 2. An invalid message is answered with the error code of the protocol.
//! 3. At the end of its input the program finishes pending requests and exits. The output contains
//!    only protocol messages.

use super::{Agent, Web, library};
use crate::world::World;
use serde_json::{Value, json};

/// H-09: the requested version if it is supported, otherwise our latest one.
#[test]
fn initialize_negotiates_the_requested_version() {
    let world = World::trusted();
    for (pending, agreed) in [
        ("2024-11-05", "2024-11-05"),
        ("2025-03-26", "2025-03-26"),
        ("2025-06-18", "2025-06-18"),
        ("2025-11-25", "2025-11-25"),
        ("1900-01-01", "2025-11-25"),
        ("2026-07-28", "2025-11-25"),
    ] {
        let mut agent = Agent::start(&world, &[]);
        let hello =
            agent.request("initialize", json!({"protocolVersion": pending, "capabilities": {}}));
        assert_eq!(hello["protocolVersion"], agreed, "for {pending}");
        assert_eq!(hello["serverInfo"]["name"], "toolscout");
        assert_eq!(hello["capabilities"]["tools"], json!({"listChanged": true}));
    }
}

/// H-12: `server/discover` needs no `initialize`.
#[test]
fn discover_returns_everything_a_modern_client_needs() {
    let world = World::trusted();
    let mut agent = Agent::modern(&world, &[]);
    let hello = agent.request("server/discover", json!({}));
    assert_eq!(hello["resultType"], "complete");
    assert_eq!(hello["supportedVersions"][0], "2026-07-28");
    assert!(hello["capabilities"]["tools"].is_object());
    assert!(hello["ttlMs"].as_u64().is_some_and(|ttl_ms| ttl_ms > 0));
    assert_eq!(hello["cacheScope"], "public");
    let list = agent.request("tools/list", json!({}));
    assert_eq!((&list["resultType"], &list["cacheScope"]), (&json!("complete"), &json!("public")));
    assert!(list["ttlMs"].as_u64().is_some_and(|ttl_ms| ttl_ms > 0), "the list has a time to live");
}

/// H-14
#[test]
fn an_unsupported_protocol_version_lists_the_supported_ones() {
    let world = World::trusted();
    let mut agent = Agent::start(&world, &[]);
    let meta = json!({"io.modelcontextprotocol/protocolVersion": "1900-01-01", "io.modelcontextprotocol/clientCapabilities": {}});
    let fault = agent.request_error("tools/list", json!({"_meta": meta}));
    assert_eq!(fault["code"], -32022);
    assert_eq!(fault["data"]["requested"], "1900-01-01");
    assert_eq!(fault["data"]["supported"][0], "2026-07-28");
}

/// H-02 to H-05, over stdio.
#[test]
fn an_invalid_message_returns_its_error_code_and_the_next_is_handled() {
    let world = World::trusted();
    let mut agent = Agent::legacy(&world, &[]);
    for (line, code, id) in [
        ("not json", -32700, Value::Null),
        (r#"{"jsonrpc":"1.0","id":70,"method":"ping"}"#, -32600, json!(70)),
        (r#"{"jsonrpc":"2.0","id":"x","method":"no/such"}"#, -32601, json!("x")),
        (r#"{"jsonrpc":"2.0","id":71,"method":"initialize","params":"x"}"#, -32602, json!(71)),
        (r#"{"jsonrpc":"2.0","id":72,"method":"tools/call","params":"x"}"#, -32602, json!(72)),
        (r#"{"jsonrpc":"2.0","id":73,"method":"tools/call","params":{}}"#, -32602, json!(73)),
        (
            r#"{"jsonrpc":"2.0","id":74,"method":"tools/list","params":{"cursor":"%%"}}"#,
            -32602,
            json!(74),
        ),
    ] {
        agent.send(line);
        let answer = agent.next_matching(|agent| agent.get("error").is_some());
        assert_eq!((&answer["error"]["code"], &answer["id"]), (&json!(code), &id), "{line}");
    }
    agent.send("");
    agent.request("ping", json!({}));
}

/// I-01: two responses, exit code 0, and only JSON lines, even if a tool logs.
#[test]
fn end_of_input_ends_the_program_cleanly() {
    let world = World::trusted().program(
        "tools/noisy",
        r#"{"name":"noisy","description":"Says much","inputSchema":{"type":"object"}}"#,
        "echo talk >&2; echo done",
    );
    let mut agent = Agent::legacy(&world, &[]);
    assert_eq!(agent.text("local__noisy", json!({})), "done");
    let listed = agent.send_request("tools/list", json!({}));
    let (code, rest) = agent.end();
    assert_eq!(code, 0);
    assert_eq!(rest.iter().filter(|item| item["id"] == listed).count(), 1);
}

/// I-02: the responses may be in any order.
#[test]
fn concurrent_calls_run_in_parallel_and_finish_before_exit() {
    let world =
        World::trusted().script("wait.sh", "#!/bin/sh\ncat > /dev/null\nsleep 0.3\necho \"$1\"\n");
    let world = world
        .file("tools/one.tool.toml", "name = \"one\"\n[run]\ncommand = [\"../wait.sh\", \"one\"]\n")
        .file(
            "tools/two.tool.toml",
            "name = \"two\"\n[run]\ncommand = [\"../wait.sh\", \"two\"]\n",
        );
    let mut agent = Agent::legacy(&world, &[]);
    let one = agent.send_request("tools/call", json!({"name": "local__one"}));
    let two = agent.send_request("tools/call", json!({"name": "local__two"}));
    let (code, rest) = agent.end();
    let text = |id: u64| {
        rest.iter()
            .find(|item| item["id"] == id)
            .map(|item| item["result"]["content"][0]["text"].clone())
    };
    assert_eq!((code, text(one), text(two)), (0, Some(json!("one")), Some(json!("two"))));
}

#[test]
fn a_cancelled_call_gets_no_response_and_stops_its_process() {
    let world = World::trusted().script(
        "tools/slow",
        "#!/bin/sh\ncase \"$1\" in tool-schema) echo '{\"name\":\"slow\",\"inputSchema\":{\"type\":\"object\"}}';;\ntool-invoke) echo $$ > started; exec sleep 60;; esac\n",
    );
    let mut agent = Agent::legacy(&world, &[]);
    let call = agent.send_request("tools/call", json!({"name": "local__slow"}));
    crate::servers::fixture::wait_until("the tool runs", || {
        world.path("tools/started").exists() || world.path("started").exists()
    });
    agent.notify("notifications/cancelled", json!({"requestId": call}));
    let (code, rest) = agent.end();
    assert_eq!(code, 0);
    assert!(rest.iter().all(|item| item["id"] != call), "{rest:?}");
}

#[test]
fn a_duplicate_request_id_is_refused() {
    let world =
        World::trusted().script("wait.sh", "#!/bin/sh\ncat > /dev/null\nsleep 0.3\necho one\n");
    let world =
        world.file("tools/one.tool.toml", "name = \"one\"\n[run]\ncommand = [\"../wait.sh\"]\n");
    let mut agent = Agent::legacy(&world, &[]);
    agent
        .send(r#"{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"local__one"}}"#);
    agent.send(r#"{"jsonrpc":"2.0","id":"a","method":"ping"}"#);
    let (_, rest) = agent.end();
    let answers: Vec<_> = rest.iter().filter(|item| item["id"] == "a").collect();
    assert_eq!(answers.len(), 2, "{rest:?}");
    assert!(
        answers[0].get("error").is_some() && answers[1]["result"]["content"][0]["text"] == "one",
        "{rest:?}"
    );
}

#[test]
fn startup_starts_no_server_and_termination_leaves_no_process() {
    let world = World::trusted().server("a", "honest", &[]).server("b", "honest", &[]);
    world.run(&["server", "refresh"]).exits(0);
    let before = (world.starts("a"), world.starts("b"));
    let mut agent = Agent::legacy(&world, &[]);
    agent.listed();
    agent.text("tool_search", json!({"query": "add numbers"}));
    assert_eq!((world.starts("a"), world.starts("b")), before, "no server was started");
    agent.call("a__add", json!({"a": 1, "b": 2}));
    assert_eq!((world.starts("a"), world.starts("b")), (before.0 + 1, before.1));
    let process = *world.processes("a").last().expect("the process runs");
    crate::servers::fixture::signal(agent.process(), rustix::process::Signal::TERM);
    let (code, _) = agent.end();
    assert_eq!(code, 0);
    crate::servers::fixture::wait_until("the server has ended", || {
        !crate::servers::fixture::is_alive(process)
    });
}

/// S-17: flags and a call with the same arguments give the same input.
#[test]
fn a_tool_receives_the_same_input_from_cli_and_agent() {
    let world = World::trusted().file(
        "tools/e.tool.toml",
        "name = \"e\"\n[[parameters]]\nname = \"text\"\n[[parameters]]\nname = \"count\"\ntype = \"integer\"\n[[parameters]]\nname = \"flag\"\ntype = \"boolean\"\n[[parameters]]\nname = \"kind\"\ndefault = \"plain\"\n[run]\ncommand = [\"cat\"]\n",
    );
    let by_hand = world.stdout(&["e", "--text", "ä\"b", "--count", "7", "--flag"]);
    let mut agent = Agent::legacy(&world, &[]);
    let by_agent = agent.text("local__e", json!({"text": "ä\"b", "count": 7, "flag": true}));
    assert_eq!(by_hand.trim_end(), by_agent.trim_end());
}

/// The messages of a batch: a request, a notification, an `initialize`, and a request with an
/// unknown method.
fn batch() -> Value {
    json!([
        {"jsonrpc": "2.0", "id": 10, "method": "tools/list"},
        {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 99}},
        {"jsonrpc": "2.0", "id": "hello", "method": "initialize", "params": {}},
        {"jsonrpc": "2.0", "id": 11, "method": "nothing/here"},
    ])
}

fn check_batch(answer: &Value) {
    let answers = answer.as_array().unwrap_or_else(|| panic!("no array: {answer}"));
    assert_eq!(answers.len(), 3, "{answer}");
    assert!(answers[0]["id"] == 10 && answers[0]["result"]["tools"].is_array(), "{answer}");
    assert_eq!(
        (&answers[1]["id"], &answers[1]["error"]["code"]),
        (&json!("hello"), &json!(-32600))
    );
    assert_eq!((&answers[2]["id"], &answers[2]["error"]["code"]), (&json!(11), &json!(-32601)));
}

/// M-12c: over stdio and over HTTP.
#[test]
fn batches_are_accepted_in_the_one_revision_that_has_them() {
    let world = library();
    let web = Web::open(&world, &[]);
    for (revision, has_batches) in [("2025-03-26", true), ("2025-06-18", false)] {
        let mut agent = Agent::start(&world, &[]);
        let hello = json!({"protocolVersion": revision, "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}});
        agent.request("initialize", hello.clone());
        agent.notify("notifications/initialized", json!({}));
        agent.send(&batch().to_string());
        let answer = agent.next_matching(|value| value.is_array() || value["id"].is_null());
        let first = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello});
        let response = web.post("/mcp", &[], &first);
        let session = response.header("mcp-session-id").expect("a session");
        let response = web.post("/mcp", &[&format!("Mcp-Session-Id: {session}")], &batch());
        if has_batches {
            check_batch(&answer);
            check_batch(&response.message());
        } else {
            let text = answer["error"]["message"].as_str().unwrap_or_default();
            assert!(text.contains("only in protocol revision 2025-03-26"), "{answer}");
            assert_eq!(
                (response.status, response.message()["error"]["message"].as_str()),
                (400, Some(text))
            );
        }
    }
}
