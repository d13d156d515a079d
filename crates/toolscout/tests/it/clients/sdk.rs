//! Programs on the official SDKs, and on FastMCP.

use super::{Scene, installed, node, own, printed};
use crate::serve::Web;
use serde_json::{Value, json};
use std::process::Command;

/// What every client must have seen.
fn saw_everything(seen: &str) {
    let seen: Value = serde_json::from_str(seen.trim()).expect("what it saw");
    assert_eq!(seen["tools"], json!(["execute_tool", "tool_search"]));
    assert!(seen["found"].as_str().expect("a text").contains("honest/add"), "{seen}");
    assert_eq!((&seen["ran"], &seen["gave_up"]), (&json!("5"), &json!(true)));
    assert_eq!(seen["again"], "still here ☂");
}

fn url(web: &Web) -> String {
    format!("http://{}/mcp", web.addr)
}

fn python(scene: &Scene, kind: &str, mode: &str, target: &str) -> Option<Command> {
    let mut command = scene.client(&installed("python/bin/python")?);
    command.args([own("python_client.py").as_str(), kind, mode, target]);
    Some(command)
}

/// Both eras, and FastMCP besides: strict readers, which find what is missing.
#[test]
fn the_python_clients_find_run_and_give_up() {
    for (kind, mode) in [("mcp", "auto"), ("mcp", "legacy"), ("fastmcp", "auto")] {
        let scene = Scene::new();
        let Some(command) = python(&scene, kind, mode, &scene.serve()) else { return };
        saw_everything(&printed(command));
        assert_eq!(scene.cancellations(), 1, "{kind} {mode}");
    }
}

#[test]
fn the_python_client_does_the_same_over_http() {
    let scene = Scene::new();
    if installed("python/bin/python").is_none() {
        return;
    }
    let web = Web::open(&scene.world, &[]);
    for mode in ["auto", "legacy"] {
        let Some(command) = python(&scene, "mcp", mode, &url(&web)) else { return };
        saw_everything(&printed(command));
    }
    assert_eq!(scene.cancellations(), 2);
}

#[test]
fn the_typescript_client_finds_runs_and_gives_up() {
    let (Some(node), Some(modules)) = (node(), installed("node_modules")) else { return };
    let scene = Scene::new();
    let client = own("typescript_client.mjs");
    let mut command = scene.client(&node);
    command.args([&client, &modules, &scene.serve()]);
    saw_everything(&printed(command));
    assert_eq!(scene.cancellations(), 1);
    let web = Web::open(&scene.world, &[]);
    let mut command = scene.client(&node);
    command.args([&client, &modules, &url(&web)]);
    saw_everything(&printed(command));
    assert_eq!(scene.cancellations(), 2);
}
