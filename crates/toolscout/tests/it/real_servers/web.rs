//! Published HTTP servers: streamable HTTP and the older SSE transport, in both protocol eras.

use super::{LEGACY, Listening, MODERN, installed, own};
use crate::world::World;
use serde_json::json;

/// The reference server for clients, with this transport.
fn everything(world: &World, transport: &str) -> Option<Listening> {
    let program = installed("node_modules/@modelcontextprotocol/server-everything/dist/index.js")?;
    let mut command = world.program_command("node");
    command.args(["--import", &own("loopback.mjs"), &program, transport]).env("PORT", "0");
    Some(Listening::start(world, command))
}

/// The server that uses the SDK for Python, with this transport.
fn words(world: &World, transport: &str) -> Option<Listening> {
    let mut command = world.program_command(&installed("python/bin/python")?);
    command.args([&own("words.py"), transport]).env("PYTHONUNBUFFERED", "1");
    Some(Listening::start(world, command))
}

/// The number of requests up to each session, including the one that opens it.
fn posts_before_sessions(log: &str) -> Vec<usize> {
    let parts: Vec<&str> = log.split("Session initialized").collect();
    let before = parts[..parts.len() - 1]
        .iter()
        .map(|part| part.rsplit("Transport closed").next().unwrap_or(part));
    before.map(|value| value.matches("Received MCP POST request").count()).collect()
}

/// F-14: each run closes its session, and only the first run negotiates the protocol.
#[test]
fn sessions_of_a_legacy_http_server_are_closed() {
    let world = World::project();
    let Some(server) = everything(&world, "streamableHttp") else { return };
    let shown = world.adds("everything", &[&server.at("/mcp")]);
    assert_eq!(
        (&shown["protocol"], &shown["server"]["transport"]),
        (&json!(LEGACY), &json!("http"))
    );
    assert_eq!(world.calls(&["everything/echo", "--message", "☂"]), "Echo: ☂\n");
    let call = ["everything/trigger-long-running-operation", "--duration", "0.2", "--steps", "2"];
    assert_eq!(world.progress(&call), [1.0, 2.0]);
    assert_eq!(
        (server.log_count("Session initialized"), server.log_count("Transport closed for session")),
        (3, 3)
    );
    assert_eq!(posts_before_sessions(&server.log()), [2, 1, 1], "server/discover is sent once");
    drop(server);
    world
        .run(&["run", "everything/echo", "--message", "gone"])
        .exits(3)
        .stderr_contains(&["everything"]);
    world.is_left_alone();
}

/// A user may give only the URL, and the transport is detected, or add `--sse`.
#[test]
fn an_sse_server_works_with_and_without_its_type() {
    let world = World::project();
    let Some(server) = everything(&world, "sse") else { return };
    let inferred = world.adds("guessed", &[&server.at("/sse")]);
    let explicit = world.adds("told", &[&server.at("/sse"), "--sse"]);
    assert_eq!(
        (&inferred["protocol"], &inferred["server"]["toolCount"]),
        (&json!(LEGACY), &explicit["server"]["toolCount"])
    );
    assert_eq!(
        (&explicit["protocol"], &explicit["server"]["transport"]),
        (&json!(LEGACY), &json!("sse"))
    );
    for id in ["guessed", "told"] {
        assert_eq!(world.calls(&[&format!("{id}/echo"), "--message", "☂"]), "Echo: ☂\n");
    }
    drop(server);
    world.is_left_alone();
}

#[test]
fn a_modern_http_server_works_without_a_session() {
    let world = World::project();
    let Some(server) = words(&world, "streamable-http") else { return };
    let shown = world.adds("words", &[&server.at("/mcp")]);
    assert_eq!(
        (&shown["protocol"], &shown["server"]["transport"]),
        (&json!(MODERN), &json!("http"))
    );
    assert_eq!(world.calls(&["words/shout", "--text", "grüße ☂"]), "GRÜSSE ☂\n");
    assert_eq!(world.progress(&["words/spell", "--text", "abc"]), [1.0, 2.0, 3.0]);
    world.run(&["run", "words/refuse"]).exits(1).stderr_contains(&["not today ☂"]);
    world.run(&["run", "words/break_down"]).exits(1).stderr_contains(&["break_down"]);
    assert_eq!(
        (server.log_count("\"GET "), server.log_count("\"DELETE ")),
        (0, 0),
        "{}",
        server.log()
    );
    drop(server);
    world.is_left_alone();
}

/// Only the legacy era has the SSE transport.
#[test]
fn a_python_sdk_server_works_over_sse() {
    let world = World::project();
    let Some(server) = words(&world, "sse") else { return };
    let shown = world.adds("words", &[&server.at("/sse"), "--sse"]);
    assert_eq!(shown["protocol"], LEGACY);
    assert_eq!(world.calls(&["words/shout", "--text", "grüße ☂"]), "GRÜSSE ☂\n");
    world.run(&["run", "words/refuse"]).exits(1).stderr_contains(&["not today ☂"]);
    drop(server);
    world.is_left_alone();
}
