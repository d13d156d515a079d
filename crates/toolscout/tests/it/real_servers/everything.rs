//! The reference server for clients, in TypeScript.

use super::{LEGACY, installed, names};
use crate::world::World;
use serde_json::json;
use std::fs;

const PROGRAM: &str = "node_modules/.bin/mcp-server-everything";

#[test]
fn tools_of_the_everything_server_can_be_called() {
    let Some(program) = installed(PROGRAM) else { return };
    let world = World::project();
    let shown = world.adds("everything", &["--", &program]);
    assert_eq!(
        (&shown["protocol"], &shown["server"]["discoveryStatus"], &shown["server"]["state"]),
        (&json!(LEGACY), &json!("success"), &json!("ready"))
    );
    for name in [
        "echo",
        "get-sum",
        "get-structured-content",
        "trigger-long-running-operation",
        "get-tiny-image",
    ] {
        assert!(names(&shown).contains(&name), "{name} is not in {shown}");
    }
    assert_eq!(
        world.calls(&["everything/echo", "--message", "grüß dich ☂"]),
        "Echo: grüß dich ☂\n"
    );
    world.run(&["run", "everything/get-sum", "--a", "two"]).exits(2).stderr_contains(&["--a"]);
    world.run(&["search", "sum of two numbers"]).exits(0).stdout_contains(&["everything/get-sum"]);
    world.is_left_alone();
}

/// Results pass through unchanged, whatever their content type.
#[test]
fn results_of_every_kind_pass_through_unchanged() {
    let Some(program) = installed(PROGRAM) else { return };
    let world = World::project().var("UNRELATED", "nobody's business");
    world.adds("everything", &["--env", "RELATED=yes", "--", &program]);
    let host = world.host();
    assert_eq!(
        world.calls(&["everything/get-sum", "--a", "2", "--b", "3.5"]),
        "The sum of 2 and 3.5 is 5.5.\n"
    );

    let weather = world
        .run(&["run", "everything/get-structured-content", "--location", "Chicago", "--json"])
        .exits(0)
        .json();
    assert_eq!(
        weather,
        json!({"temperature": 36, "conditions": "Light rain / drizzle", "humidity": 82})
    );

    let pictured = world.run(&["run", "everything/get-tiny-image", "--json"]).exits(0).json();
    let image = &pictured["content"][1];
    assert_eq!((&image["type"], &image["mimeType"]), (&json!("image"), &json!("image/png")));
    let sent = installed(
        "node_modules/@modelcontextprotocol/server-everything/dist/tools/get-tiny-image.js",
    );
    let sent = fs::read_to_string(sent.expect("the server")).expect("its image");
    let image = image["data"].as_str().expect("a text");
    assert!(image.len() > 1_000 && sent.contains(&format!("\"{image}\"")), "{image}");

    let words = [
        "run",
        "everything/get-annotated-message",
        "--messageType",
        "error",
        "--includeImage",
        "--json",
    ];
    let annotated = world.run(&words).exits(0).json();
    assert_eq!(
        annotated["content"][0]["annotations"],
        json!({"priority": 1, "audience": ["user", "assistant"]})
    );

    let environment = world.run(&["run", "everything/get-env"]).exits(0).json();
    assert_eq!((&environment["RELATED"], &environment["UNRELATED"]), (&json!("yes"), &json!(null)));
    drop(host);
    world.is_left_alone();
}

#[test]
fn a_long_call_reports_progress() {
    let Some(program) = installed(PROGRAM) else { return };
    let world = World::project();
    world.adds("everything", &["--", &program]);
    let call = ["everything/trigger-long-running-operation", "--duration", "0.2", "--steps", "4"];
    assert_eq!(world.progress(&call), [1.0, 2.0, 3.0, 4.0]);
    world.is_left_alone();
}

/// F-14: the negotiated version is cached.
#[test]
fn the_protocol_version_is_negotiated_once() {
    let Some(program) = installed(PROGRAM) else { return };
    let world = World::project();
    let copied = ["--", "sh", "-c", "tee -a sent | exec \"$0\"", &program];
    assert_eq!(world.adds("everything", &copied)["protocol"], LEGACY);
    let sent = |method: &str| {
        let text = fs::read_to_string(world.path("sent")).expect("the sent messages");
        text.matches(&format!("\"method\":\"{method}\"")).count()
    };
    assert_eq!((sent("server/discover"), sent("initialize")), (1, 1));
    for starts in 2..4 {
        assert_eq!(world.calls(&["everything/echo", "--message", "hi"]), "Echo: hi\n");
        assert_eq!(
            (sent("server/discover"), sent("initialize"), sent("tools/call")),
            (1, starts, starts - 1)
        );
    }
    world.is_left_alone();
}
