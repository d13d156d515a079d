//! Clients that are command lines: the MCP Inspector, and mcporter.

use super::{Scene, installed, node, printed};
use crate::servers::scene::{is_alive, until};
use rustix::process::{Pid, Signal, kill_process_group};
use serde_json::Value;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};

/// A call that takes half a minute.
const LONG: &str = r#"{"name":"honest/sleep","arguments":{"seconds":30}}"#;

/// Starts a client that makes the long call, and interrupts it once the server has heard of the call: all that was started
/// with it, as a terminal does.
fn interrupted(scene: &Scene, mut command: Command) {
    command.process_group(0).stdout(Stdio::null()).stderr(Stdio::null());
    let mut client = command.spawn().expect("the client starts");
    until("the server is called", || scene.heard("tools/call") == 1);
    let group = Pid::from_child(&client);
    kill_process_group(group, Signal::INT).expect("it is there");
    client.wait().expect("it ends");
}

/// With `--strict`, Inspector looks at every schema for what some model's maker would refuse.
#[test]
fn inspector_finds_no_fault_in_either_era() {
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
            .map(|it| &it["name"])
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
fn mcporter_finds_and_runs() {
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

/// None of the two can give up a call and go on. A person interrupts them, and with them ends all that was there for them.
#[test]
fn who_interrupts_a_command_line_ends_the_server_with_it() {
    let programs =
        ["mcp-inspector", "mcporter"].map(|it| installed(&format!("node_modules/.bin/{it}")));
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
            .args(words.iter().map(|it| if *it == "SERVE" { serve.as_str() } else { it }));
        interrupted(&scene, client);
        until("the server is gone", || !is_alive(scene.server()));
    }
}

/// mcporter can be told how long to wait, and then leaves.
#[test]
fn when_mcporter_has_waited_long_enough_the_server_ends_with_it() {
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
    assert_eq!(scene.heard("tools/call"), 1);
    until("the server is gone", || !is_alive(scene.server()));
}
