//! Published servers at an address: streamable HTTP and the event stream of old, in both eras.

use super::{LEGACY, Listening, MODERN, installed, own};
use crate::world::World;
use serde_json::json;

/// The reference server for clients, behind this transport.
fn everything(world: &World, transport: &str) -> Option<Listening> {
    let program = installed("node_modules/@modelcontextprotocol/server-everything/dist/index.js")?;
    let mut command = world.other("node");
    command.args(["--import", &own("loopback.mjs"), &program, transport]).env("PORT", "0");
    Some(Listening::start(world, command))
}

/// The server on the SDK for Python, behind this transport.
fn words(world: &World, transport: &str) -> Option<Listening> {
    let mut command = world.other(&installed("python/bin/python")?);
    command.args([&own("words.py"), transport]).env("PYTHONUNBUFFERED", "1");
    Some(Listening::start(world, command))
}

/// How many requests it took to get each session, the one that opens it counted.
fn posts_before_sessions(log: &str) -> Vec<usize> {
    let parts: Vec<&str> = log.split("Session initialized").collect();
    let before = parts[..parts.len() - 1]
        .iter()
        .map(|it| it.rsplit("Transport closed").next().unwrap_or(it));
    before.map(|it| it.matches("Received MCP POST request").count()).collect()
}

/// F-14: a session a run, each ended; and only the first run asks which protocol it is.
#[test]
fn a_legacy_server_over_http_gets_sessions_that_are_ended() {
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
        (server.said("Session initialized"), server.said("Transport closed for session")),
        (3, 3)
    );
    assert_eq!(
        posts_before_sessions(&server.log()),
        [2, 1, 1],
        "server/discover is asked but once"
    );
    drop(server);
    world.run(&["run", "everything/echo", "--message", "gone"]).exits(3).says(&["everything"]);
    world.is_left_alone();
}

/// The address is all that a user knows; that it is an event stream is found out, or said with `--sse`.
#[test]
fn a_server_of_the_old_transport_works_whether_or_not_somebody_says_that_it_is_one() {
    let world = World::project();
    let Some(server) = everything(&world, "sse") else { return };
    let guessed = world.adds("guessed", &[&server.at("/sse")]);
    let told = world.adds("told", &[&server.at("/sse"), "--sse"]);
    assert_eq!(
        (&guessed["protocol"], &guessed["server"]["toolCount"]),
        (&json!(LEGACY), &told["server"]["toolCount"])
    );
    assert_eq!((&told["protocol"], &told["server"]["transport"]), (&json!(LEGACY), &json!("sse")));
    for id in ["guessed", "told"] {
        assert_eq!(world.calls(&[&format!("{id}/echo"), "--message", "☂"]), "Echo: ☂\n");
    }
    drop(server);
    world.is_left_alone();
}

#[test]
fn a_modern_server_over_http_needs_no_session() {
    let world = World::project();
    let Some(server) = words(&world, "streamable-http") else { return };
    let shown = world.adds("words", &[&server.at("/mcp")]);
    assert_eq!(
        (&shown["protocol"], &shown["server"]["transport"]),
        (&json!(MODERN), &json!("http"))
    );
    assert_eq!(world.calls(&["words/shout", "--text", "grüße ☂"]), "GRÜSSE ☂\n");
    assert_eq!(world.progress(&["words/spell", "--text", "abc"]), [1.0, 2.0, 3.0]);
    world.run(&["run", "words/refuse"]).exits(1).says(&["not today ☂"]);
    world.run(&["run", "words/break_down"]).exits(1).says(&["break_down"]);
    assert_eq!((server.said("\"GET "), server.said("\"DELETE ")), (0, 0), "{}", server.log());
    drop(server);
    world.is_left_alone();
}

/// The SDK for Python, in the era before: the old transport knows no other.
#[test]
fn a_server_on_the_python_sdk_works_over_the_old_transport() {
    let world = World::project();
    let Some(server) = words(&world, "sse") else { return };
    let shown = world.adds("words", &[&server.at("/sse"), "--sse"]);
    assert_eq!(shown["protocol"], LEGACY);
    assert_eq!(world.calls(&["words/shout", "--text", "grüße ☂"]), "GRÜSSE ☂\n");
    world.run(&["run", "words/refuse"]).exits(1).says(&["not today ☂"]);
    drop(server);
    world.is_left_alone();
}
