//! Command-line clients: the MCP Inspector and mcporter.

use super::{Scene, installed, node, printed};
use crate::servers::fixture::{is_alive, wait_until};
use rustix::process::{Pid, Signal, kill_process_group};
use serde_json::Value;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};

/// A call that takes half a minute.
const LONG: &str = r#"{"name":"honest/sleep","arguments":{"seconds":30}}"#;

/// Starts a client that makes the long call, and interrupts its process group once the server has
/// received the call, as a terminal does.
fn interrupted(scene: &Scene, mut command: Command) {
    command.process_group(0).stdout(Stdio::null()).stderr(Stdio::null());
    let mut client = command.spawn().expect("the client starts");
    wait_until("the server is called", || scene.received("tools/call") == 1);
    let group = Pid::from_child(&client);
    kill_process_group(group, Signal::INT).expect("the client is running");
    client.wait().expect("the process exits");
}

/// With `--strict`, the Inspector also reports schemas that some model vendors refuse.
#[test]
fn inspector_reports_no_errors_in_either_protocol_era() {
    let (Some(node), Some(inspector)) = (node(), installed("node_modules/.bin/mcp-inspector"))
    else {
        return;
    };
    let scene = Scene::new();
    for era in ["legacy", "modern"] {
        let ask = |words: &[&str]| -> Value {
            let mut command = scene.client(&node);
            command
                .args([&inspector, "--cli", "--protocol-era", era, "--format", "json"])
                .args(words);
            command.arg("--").arg(scene.serve());
            serde_json::from_str(&printed(command)).expect("a result")
        };
        let listed = ask(&["--method", "tools/list", "--strict"]);
        let names: Vec<_> = listed["result"]["tools"]
            .as_array()
            .expect("tools")
            .iter()
            .map(|tool| &tool["name"])
            .collect();
        assert_eq!(names, ["execute_tool", "tool_search"], "{era}");
        let call = ["--method", "tools/call", "--tool-name"];
        let found =
            ask(&[&call[..], &["tool_search", "--tool-arg", "query=add two numbers"]].concat());
        assert!(
            found["result"]["content"][0]["text"].as_str().expect("a text").contains("honest/add"),
            "{found}"
        );
        let inner = r#"arguments={"a":2,"b":3}"#;
        let ran = ask(&[
            &call[..],
            &["execute_tool", "--tool-arg", "name=honest/add", "--tool-arg", inner],
        ]
        .concat());
        assert_eq!(ran["result"]["content"][0]["text"], "5", "{era}");
    }
}

#[test]
fn mcporter_searches_and_calls_tools() {
    let (Some(node), Some(mcporter)) = (node(), installed("node_modules/.bin/mcporter")) else {
        return;
    };
    let scene = Scene::new();
    let serve = scene.serve();
    let ask = |words: &[&str]| {
        let mut command = scene.client(&node);
        command.arg(&mcporter).args(words);
        printed(command)
    };
    let listed: Value =
        serde_json::from_str(&ask(&["list", "--stdio", &serve, "--json"])).expect("a list");
    assert_eq!(
        (&listed["status"], listed["tools"].as_array().map(Vec::len)),
        (&Value::from("ok"), Some(2))
    );
    assert!(
        ask(&["call", "--stdio", &serve, "tool_search", "query=add two numbers"])
            .contains("honest/add")
    );
    let inner = r#"{"name":"honest/add","arguments":{"a":2,"b":3}}"#;
    assert_eq!(ask(&["call", "--stdio", &serve, "execute_tool", "--args", inner]).trim(), "5");
}

/// Neither client can cancel a call and continue. Interrupting the client also ends the server that
/// it started.
#[test]
fn interrupting_a_command_line_client_stops_the_server() {
    let programs =
        ["mcp-inspector", "mcporter"].map(|value| installed(&format!("node_modules/.bin/{value}")));
    let (Some(node), [Some(inspector), Some(mcporter)]) = (node(), programs) else { return };
    let inspect = [
        "--cli",
        "--method",
        "tools/call",
        "--tool-name",
        "execute_tool",
        "--tool-arg",
        "name=honest/sleep",
    ];
    let inspect =
        [&inspect[..], &["--tool-arg", r#"arguments={"seconds":30}"#, "--", "SERVE"]].concat();
    let port = ["call", "--stdio", "SERVE", "execute_tool", "--args", LONG];
    for (program, words) in [(&inspector, &inspect[..]), (&mcporter, &port)] {
        let scene = Scene::new();
        let serve = scene.serve();
        let mut client = scene.client(&node);
        client
            .arg(program)
            .args(words.iter().map(|word| if *word == "SERVE" { serve.as_str() } else { word }));
        interrupted(&scene, client);
        wait_until("the server has ended", || !is_alive(scene.server()));
    }
}

/// After its timeout mcporter exits.
#[test]
fn a_timeout_of_mcporter_stops_the_server() {
    let (Some(node), Some(mcporter)) = (node(), installed("node_modules/.bin/mcporter")) else {
        return;
    };
    let scene = Scene::new();
    let mut command = scene.client(&node);
    command.args([
        &mcporter,
        "call",
        "--stdio",
        &scene.serve(),
        "execute_tool",
        "--timeout",
        "2000",
        "--args",
        LONG,
    ]);
    assert!(!command.output().expect("the client starts").status.success());
    assert_eq!(scene.received("tools/call"), 1);
    wait_until("the server has ended", || !is_alive(scene.server()));
}
