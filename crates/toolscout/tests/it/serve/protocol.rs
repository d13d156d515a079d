//! 1. Both eras are spoken on one pipe, and each message gets the answer its era wants.
//! 2. What is no message gets the protocol's number for it.
//! 3. The end of the input ends the program, when all is answered; nothing but protocol comes out.

use super::Agent;
use crate::world::World;
use serde_json::{Value, json};

/// H-09: the version that was asked for, where we speak it; else our own.
#[test]
fn initialize_agrees_on_the_version_that_was_asked_for() {
    let world = World::trusted();
    for (asked, agreed) in [
        ("2024-11-05", "2024-11-05"),
        ("2025-03-26", "2025-03-26"),
        ("2025-06-18", "2025-06-18"),
        ("2025-11-25", "2025-11-25"),
        ("1900-01-01", "2025-11-25"),
        ("2026-07-28", "2025-11-25"),
    ] {
        let mut agent = Agent::start(&world, &[]);
        let hello =
            agent.request("initialize", json!({"protocolVersion": asked, "capabilities": {}}));
        assert_eq!(hello["protocolVersion"], agreed, "for {asked}");
        assert_eq!(hello["serverInfo"]["name"], "toolscout");
        assert_eq!(hello["capabilities"]["tools"], json!({"listChanged": true}));
    }
}

/// H-12: `server/discover` needs no greeting.
#[test]
fn a_client_of_the_modern_era_is_told_all_it_needs_at_once() {
    let world = World::trusted();
    let mut agent = Agent::modern(&world, &[]);
    let hello = agent.request("server/discover", json!({}));
    assert_eq!(hello["resultType"], "complete");
    assert_eq!(hello["supportedVersions"][0], "2026-07-28");
    assert!(hello["capabilities"]["tools"].is_object());
    assert!(hello["ttlMs"].as_u64().is_some_and(|it| it > 0));
    assert_eq!(hello["cacheScope"], "public");
    let list = agent.request("tools/list", json!({}));
    assert_eq!((&list["resultType"], &list["cacheScope"]), (&json!("complete"), &json!("public")));
    assert!(list["ttlMs"].as_u64().is_some_and(|it| it > 0), "our list is stable, and we say so");
}

/// H-14: a version that nobody speaks.
#[test]
fn a_request_in_a_version_that_nobody_speaks_says_which_ones_are_spoken() {
    let world = World::trusted();
    let mut agent = Agent::start(&world, &[]);
    let meta = json!({"io.modelcontextprotocol/protocolVersion": "1900-01-01", "io.modelcontextprotocol/clientCapabilities": {}});
    let fault = agent.fault("tools/list", json!({"_meta": meta}));
    assert_eq!(fault["code"], -32022);
    assert_eq!(fault["data"]["requested"], "1900-01-01");
    assert_eq!(fault["data"]["supported"][0], "2026-07-28");
}

/// H-02 to H-05, over pipes.
#[test]
fn what_is_no_message_gets_the_number_for_it_and_the_next_one_is_taken() {
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
        let answer = agent.next_that(|it| it.get("error").is_some());
        assert_eq!((&answer["error"]["code"], &answer["id"]), (&json!(code), &id), "{line}");
    }
    agent.send("");
    agent.request("ping", json!({}));
}

/// I-01: two answers, exit 0, nothing but JSON lines even when a tool logs.
#[test]
fn the_end_of_the_input_ends_the_program_cleanly() {
    let world = World::trusted().program(
        "tools/noisy",
        r#"{"name":"noisy","description":"Says much","inputSchema":{"type":"object"}}"#,
        "echo talk >&2; echo done",
    );
    let mut agent = Agent::legacy(&world, &[]);
    assert_eq!(agent.text("local__noisy", json!({})), "done");
    let listed = agent.ask("tools/list", json!({}));
    let (code, rest) = agent.end();
    assert_eq!(code, 0);
    assert_eq!(rest.iter().filter(|it| it["id"] == listed).count(), 1);
}

/// I-02: pipelined calls are answered both, in any order.
#[test]
fn calls_that_are_sent_together_run_together_and_are_all_answered_before_the_end() {
    let world =
        World::trusted().script("wait.sh", "#!/bin/sh\ncat > /dev/null\nsleep 0.3\necho \"$1\"\n");
    let world = world
        .file("tools/one.tool.toml", "name = \"one\"\n[run]\ncommand = [\"../wait.sh\", \"one\"]\n")
        .file(
            "tools/two.tool.toml",
            "name = \"two\"\n[run]\ncommand = [\"../wait.sh\", \"two\"]\n",
        );
    let mut agent = Agent::legacy(&world, &[]);
    let one = agent.ask("tools/call", json!({"name": "local__one"}));
    let two = agent.ask("tools/call", json!({"name": "local__two"}));
    let (code, rest) = agent.end();
    let text = |id: u64| {
        rest.iter().find(|it| it["id"] == id).map(|it| it["result"]["content"][0]["text"].clone())
    };
    assert_eq!((code, text(one), text(two)), (0, Some(json!("one")), Some(json!("two"))));
}

#[test]
fn a_cancelled_call_gets_no_answer_and_ends_what_it_started() {
    let world = World::trusted().script(
        "tools/slow",
        "#!/bin/sh\ncase \"$1\" in tool-schema) echo '{\"name\":\"slow\",\"inputSchema\":{\"type\":\"object\"}}';;\ntool-invoke) echo $$ > started; exec sleep 60;; esac\n",
    );
    let mut agent = Agent::legacy(&world, &[]);
    let call = agent.ask("tools/call", json!({"name": "local__slow"}));
    crate::servers::scene::until("it runs", || {
        world.path("tools/started").exists() || world.path("started").exists()
    });
    agent.notify("notifications/cancelled", json!({"requestId": call}));
    let (code, rest) = agent.end();
    assert_eq!(code, 0);
    assert!(rest.iter().all(|it| it["id"] != call), "{rest:?}");
}

#[test]
fn an_id_that_is_still_in_use_is_refused_and_the_first_one_is_answered() {
    let world =
        World::trusted().script("wait.sh", "#!/bin/sh\ncat > /dev/null\nsleep 0.3\necho one\n");
    let world =
        world.file("tools/one.tool.toml", "name = \"one\"\n[run]\ncommand = [\"../wait.sh\"]\n");
    let mut agent = Agent::legacy(&world, &[]);
    agent
        .send(r#"{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"local__one"}}"#);
    agent.send(r#"{"jsonrpc":"2.0","id":"a","method":"ping"}"#);
    let (_, rest) = agent.end();
    let answers: Vec<_> = rest.iter().filter(|it| it["id"] == "a").collect();
    assert_eq!(answers.len(), 2, "{rest:?}");
    assert!(
        answers[0].get("error").is_some() && answers[1]["result"]["content"][0]["text"] == "one",
        "{rest:?}"
    );
}

#[test]
fn starting_it_starts_no_server_and_a_terminated_one_leaves_nothing_behind() {
    let world = World::trusted().server("a", "honest", &[]).server("b", "honest", &[]);
    world.run(&["server", "refresh"]).exits(0);
    let before = (world.starts("a"), world.starts("b"));
    let mut agent = Agent::legacy(&world, &[]);
    agent.listed();
    agent.text("tool_search", json!({"query": "add numbers"}));
    assert_eq!((world.starts("a"), world.starts("b")), before, "nothing was called");
    agent.call("a__add", json!({"a": 1, "b": 2}));
    assert_eq!((world.starts("a"), world.starts("b")), (before.0 + 1, before.1));
    let process = *world.processes("a").last().expect("it runs");
    crate::servers::scene::signal(agent.process(), rustix::process::Signal::TERM);
    let (code, _) = agent.end();
    assert_eq!(code, 0);
    crate::servers::scene::until("the server is gone", || {
        !crate::servers::scene::is_alive(process)
    });
}

/// S-17: the same arguments through flags and through a call lead to the same object.
#[test]
fn a_tool_gets_the_same_from_a_command_line_and_from_an_agent() {
    let world = World::trusted().file(
        "tools/e.tool.toml",
        "name = \"e\"\n[[parameters]]\nname = \"text\"\n[[parameters]]\nname = \"count\"\ntype = \"integer\"\n[[parameters]]\nname = \"flag\"\ntype = \"boolean\"\n[[parameters]]\nname = \"kind\"\ndefault = \"plain\"\n[run]\ncommand = [\"cat\"]\n",
    );
    let by_hand = world.out(&["e", "--text", "ä\"b", "--count", "7", "--flag"]);
    let mut agent = Agent::legacy(&world, &[]);
    let by_agent = agent.text("local__e", json!({"text": "ä\"b", "count": 7, "flag": true}));
    assert_eq!(by_hand.trim_end(), by_agent.trim_end());
}
