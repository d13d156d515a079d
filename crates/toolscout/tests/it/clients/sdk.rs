//! Programs that use the official SDKs and FastMCP.

use super::{Scene, installed, node, own, printed};
use crate::serve::Web;
use serde_json::{Value, json};
use std::process::Command;

/// Checks the report that every client prints.
fn check_report(report: &str) {
    let report: Value = serde_json::from_str(report.trim()).expect("a JSON report");
    assert_eq!(report["tools"], json!(["execute_tool", "tool_search"]));
    assert!(report["found"].as_str().expect("a text").contains("honest/add"), "{report}");
    assert_eq!((&report["ran"], &report["gave_up"]), (&json!("5"), &json!(true)));
    assert_eq!(report["again"], "still here ☂");
}

fn url(web: &Web) -> String {
    format!("http://{}/mcp", web.addr)
}

fn python(scene: &Scene, kind: &str, mode: &str, target: &str) -> Option<Command> {
    let mut command = scene.client(&installed("python/bin/python")?);
    command.args([own("python_client.py").as_str(), kind, mode, target]);
    Some(command)
}

/// The SDK in both protocol eras, and FastMCP. These clients validate responses strictly.
#[test]
fn the_python_clients_search_call_and_cancel() {
    for (kind, mode) in [("mcp", "auto"), ("mcp", "legacy"), ("fastmcp", "auto")] {
        let scene = Scene::new();
        let Some(command) = python(&scene, kind, mode, &scene.serve()) else { return };
        check_report(&printed(command));
        assert_eq!(scene.cancellations(), 1, "{kind} {mode}");
    }
}

#[test]
fn the_python_client_works_over_http() {
    let scene = Scene::new();
    if installed("python/bin/python").is_none() {
        return;
    }
    let web = Web::open(&scene.world, &[]);
    for mode in ["auto", "legacy"] {
        let Some(command) = python(&scene, "mcp", mode, &url(&web)) else { return };
        check_report(&printed(command));
    }
    assert_eq!(scene.cancellations(), 2);
}

#[test]
fn the_typescript_client_searches_calls_and_cancels() {
    let (Some(node), Some(modules)) = (node(), installed("node_modules")) else { return };
    let scene = Scene::new();
    let client = own("typescript_client.mjs");
    let mut command = scene.client(&node);
    command.args([&client, &modules, &scene.serve()]);
    check_report(&printed(command));
    assert_eq!(scene.cancellations(), 1);
    let web = Web::open(&scene.world, &[]);
    let mut command = scene.client(&node);
    command.args([&client, &modules, &url(&web)]);
    check_report(&printed(command));
    assert_eq!(scene.cancellations(), 2);
}
