//! Settings and options of `serve`: name, version, page size, output on standard error.

use super::Agent;
use crate::world::World;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs;

fn configured(lines: &str) -> World {
    World::trusted().file("toolscout.toml", lines)
}

fn greeting() -> String {
    let params = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}});
    json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}).to_string() + "\n"
}

/// The messages that a server prints for these lines, and its other output.
fn served(world: &World, lines: &str, args: &[&str]) -> (Vec<Value>, String) {
    let outcome = world.run_with(lines.as_bytes(), &[&["serve"], args].concat()).exits(0);
    let parsed = |line: &str| serde_json::from_str(line).expect("only protocol messages");
    (outcome.out.lines().map(parsed).collect(), outcome.err)
}

/// M-05a: all pages together are the whole list.
#[test]
fn the_page_size_of_lists_is_a_setting() {
    let world = (0..7).fold(configured("[serve]\npage_size = 3\n"), |world, number| {
        let (path, name) = (format!("tools/t{number}.tool.toml"), format!("t{number}"));
        world.echo(&path, &name, "visibility = \"listed\"")
    });
    let mut agent = Agent::legacy(&world, &["--meta-tools", "never"]);
    let (mut sizes, mut names, mut params) = (Vec::new(), BTreeSet::new(), json!({}));
    loop {
        let page = agent.request("tools/list", params);
        let tools = page["tools"].as_array().expect("a page");
        sizes.push(tools.len());
        names.extend(tools.iter().map(|tool| tool["name"].to_string()));
        let Some(cursor) = page["nextCursor"].as_str() else { break };
        params = json!({"cursor": cursor});
    }
    assert_eq!((sizes, names.len()), (vec![3, 3, 1], 7));
    configured("[serve]\npage_size = 0\n")
        .run(&["tools"])
        .exits(2)
        .stderr_contains(&["page_size", "must be a number from 1 to 10000"]);
}

/// M-09a: both revisions name the configured server; by default the program with its version.
#[test]
fn the_name_and_version_of_the_server_are_settings() {
    let info = |world: &World| {
        let legacy = served(world, &greeting(), &[]).0[0]["result"]["serverInfo"].clone();
        let modern = Agent::modern(world, &[]).request("server/discover", json!({}));
        assert_eq!(modern["_meta"]["io.modelcontextprotocol/serverInfo"], legacy, "{modern}");
        legacy
    };
    let named = configured("[serve]\nname = \"my-app\"\nversion = \"2.1.0\"\n");
    assert_eq!(info(&named), json!({"name": "my-app", "version": "2.1.0"}));
    let world = configured("");
    let version = world.stdout(&["--version"]);
    let version = version.trim().strip_prefix("toolscout ").expect("a version");
    assert_eq!(info(&world), json!({"name": "toolscout", "version": version}));
    assert_ne!(version, "0.0.0");
    configured("[serve]\nname = \"\"\n")
        .run(&["tools"])
        .exits(2)
        .stderr_contains(&["serve.name", "must have 1 to 128 bytes"]);
}

/// M-09b: warnings are hidden; an error that ends the program is printed.
#[test]
fn a_silent_server_prints_only_errors_that_end_it() {
    let world = World::trusted().file("tools/broken.tool.toml", "name = ");
    assert!(served(&world, &greeting(), &[]).1.contains("broken.tool.toml"));
    let (messages, err) = served(&world, &greeting(), &["--silent"]);
    assert_eq!((messages.len(), err.as_str()), (1, ""));
    world
        .run(&["serve", "--silent", "--transparent", "nothing"])
        .exits(5)
        .stderr_contains(&["there is no server `nothing`"]);
}

/// M-09c: every message in both directions, with secrets redacted; standard output has only the
/// protocol.
#[test]
fn stdio_messages_are_logged_with_secrets_redacted() {
    let world = World::trusted().echo("tools/say.tool.toml", "say", "");
    let arguments = json!({"apiToken": "hunter2hunter2", "text": "hello"});
    let call = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "local__say", "arguments": arguments}});
    let lines = format!("{}not json\n{call}\n", greeting());
    let (messages, err) = served(&world, &lines, &["--log-stdio"]);
    assert_eq!(messages.len(), 3);
    let (received, sent) = (err.matches(" received: ").count(), err.matches(" sent: ").count());
    assert_eq!((received, sent), (3, 3), "{err}");
    for part in ["\"initialize\"", "received: not json", "serverInfo", "hello", "[REDACTED]"] {
        assert!(err.contains(part), "{part} is not in {err}");
    }
    assert!(!err.contains("hunter2"), "{err}");

    let (_, err) = served(&world, &lines, &["--log-stdio-to", "messages.log"]);
    assert_eq!(err, "");
    let file = world.path("messages.log");
    let written = fs::read_to_string(&file).expect("a log");
    assert_eq!(written.lines().count(), 6, "{written}");
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = fs::metadata(&file).expect("its mode").permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
    world
        .run(&["serve", "--http", "127.0.0.1:0", "--log-stdio"])
        .exits(2)
        .stderr_contains(&["--log-stdio", "--http"]);
    world
        .run(&["serve", "--log-stdio-to", "no/such/folder/x"])
        .exits(3)
        .stderr_contains(&["could not open", "no/such/folder/x"]);
}

/// The beginning of a long message is logged, and a secret in it is redacted: the whole message
/// is read as JSON before it is cut.
#[test]
fn secrets_in_long_messages_are_redacted_in_the_log() {
    let world = World::trusted().echo("tools/say.tool.toml", "say", "");
    let arguments = json!({"apiToken": {"hunter": 2}, "text": "x".repeat(100_000)});
    let call = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "local__say", "arguments": arguments}});
    let (_, err) = served(&world, &format!("{}{call}\n", greeting()), &["--log-stdio"]);
    let line = err.lines().find(|line| line.contains("tools/call")).expect("the call is logged");
    assert!(line.contains("[REDACTED]") && !line.contains("hunter"), "{:.300}", line);
    assert!(line.len() < 70_000 && line.ends_with(" bytes)"), "{} bytes", line.len());
}

/// M-09d: an explicit format wins, and a protocol on standard output is not affected.
#[test]
fn an_agent_gets_json_by_default() {
    let world = World::trusted().echo("tools/say.tool.toml", "say", "description = \"Says it\"");
    let text = world.stdout(&["tools"]);
    let world = world.var("AI_AGENT", "some-agent");
    assert_eq!(world.run(&["tools"]).exits(0).json()[0]["name"], "say");
    assert_eq!(world.run(&["search", "says"]).exits(0).json()[0]["name"], "say");
    assert!(world.run(&["server", "list"]).exits(0).json()["servers"].is_array());
    assert_eq!(world.stdout(&["tools", "--output", "text"]), text);
    assert_eq!(world.stdout(&["--output", "text", "tools"]), text);
    assert_eq!(served(&world, &greeting(), &[]).0.len(), 1);
    let stream = "{\"type\":\"text\"}\n";
    assert_eq!(world.run_with(stream.as_bytes(), &["observe"]).exits(0).out, stream);
    assert!(world.stdout(&["completion", "bash"]).contains("complete "));
    let world = world.var("AI_AGENT", "0");
    assert_eq!(world.stdout(&["tools"]), text);
}
