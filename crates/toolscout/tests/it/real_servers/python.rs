//! Servers that use the official SDK for Python and speak the modern protocol.

use super::{MODERN, installed, names, own};
use crate::world::World;
use serde_json::json;

const PYTHON: &str = "python/bin/python";

#[test]
fn tools_of_the_modern_protocol_can_be_called() {
    let Some(python) = installed(PYTHON) else { return };
    let world = World::project();
    let shown = world.adds("words", &["--", &python, &own("words.py")]);
    assert_eq!(shown["protocol"], MODERN);
    assert_eq!(names(&shown), ["shout", "measure", "again", "spell", "refuse", "break_down"]);
    assert_eq!(world.calls(&["words/shout", "--text", "grüße ☂ 日本"]), "GRÜSSE ☂ 日本\n");
    assert_eq!(world.progress(&["words/spell", "--text", "abc"]), [1.0, 2.0, 3.0]);
    world.is_left_alone();
}

/// An expected error and an unexpected exception of a tool are both results, and the server keeps
/// running.
#[test]
fn a_failing_tool_does_not_stop_the_server() {
    let Some(python) = installed(PYTHON) else { return };
    let world = World::project();
    world.adds("words", &["--", &python, &own("words.py")]);
    let host = world.host();
    assert_eq!(world.calls(&["words/again"]), "1\n");
    let refused = world.run(&["run", "words/refuse"]).exits(1).stderr_contains(&["not today ☂"]);
    let broken = world.run(&["run", "words/break_down"]).exits(1).stderr_contains(&["break_down"]);
    assert_eq!((refused.out.as_str(), broken.out.as_str()), ("", ""));
    assert_eq!(world.calls(&["words/again"]), "2\n", "the server was not restarted");
    let measured = world.run(&["run", "words/measure", "--text", "ü☂", "--json"]).exits(0).json();
    assert_eq!(measured, json!({"text": "ü☂", "length": 2}));
    world.run(&["server", "logs", "words"]).exits(0).stdout_contains(&["a detail for nobody"]);
    drop(host);
    assert_eq!(world.calls(&["words/again"]), "1\n");
    world.is_left_alone();
}

/// The server declares no change notifications and refuses subscriptions.
#[test]
fn a_published_python_server_works() {
    let Some(program) = installed("python/bin/mcp-server-time") else { return };
    let world = World::project();
    let shown = world.adds("time", &["--", &program, "--local-timezone", "Europe/Berlin"]);
    assert_eq!(
        (&shown["protocol"], names(&shown)),
        (&json!(MODERN), vec!["get_current_time", "convert_time"])
    );
    let noon = [
        "run",
        "time/convert_time",
        "--time",
        "12:00",
        "--source_timezone",
        "UTC",
        "--json",
        "--target_timezone",
    ];
    let there = |zone| world.run(&noon.iter().copied().chain([zone]).collect::<Vec<_>>());
    assert_eq!(there("Asia/Tokyo").exits(0).json()["time_difference"], "+9.0h");
    assert!(there("Nowhere").exits(1).out.contains("Invalid timezone"));
    world.is_left_alone();
}
