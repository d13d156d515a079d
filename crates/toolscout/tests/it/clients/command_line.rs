//! Clients that are command lines: the MCP Inspector, and mcporter.

use super::{Scene, installed, node, printed};
use serde_json::Value;

/// With `--strict`, Inspector looks at every schema for what some model's maker would refuse.
#[test]
fn inspector_finds_no_fault_in_either_era() {
    let (Some(node), Some(inspector)) = (node(), installed("node_modules/.bin/mcp-inspector")) else { return };
    let scene = Scene::new();
    for era in ["legacy", "modern"] {
        let ask = |words: &[&str]| -> Value {
            let mut command = scene.client(&node);
            command.args([&inspector, "--cli", "--protocol-era", era, "--format", "json"]).args(words);
            command.arg("--").arg(scene.serve());
            serde_json::from_str(&printed(command)).expect("a result")
        };
        let listed = ask(&["--method", "tools/list", "--strict"]);
        let names: Vec<_> = listed["result"]["tools"].as_array().expect("tools").iter().map(|it| &it["name"]).collect();
        assert_eq!(names, ["execute_tool", "tool_search"], "{era}");
        let call = ["--method", "tools/call", "--tool-name"];
        let found = ask(&[&call[..], &["tool_search", "--tool-arg", "query=add two numbers"]].concat());
        assert!(found["result"]["content"][0]["text"].as_str().expect("a text").contains("honest/add"), "{found}");
        let inner = r#"arguments={"a":2,"b":3}"#;
        let ran = ask(&[&call[..], &["execute_tool", "--tool-arg", "name=honest/add", "--tool-arg", inner]].concat());
        assert_eq!(ran["result"]["content"][0]["text"], "5", "{era}");
    }
}

#[test]
fn mcporter_finds_and_runs() {
    let (Some(node), Some(mcporter)) = (node(), installed("node_modules/.bin/mcporter")) else { return };
    let scene = Scene::new();
    let serve = scene.serve();
    let ask = |words: &[&str]| {
        let mut command = scene.client(&node);
        command.arg(&mcporter).args(words);
        printed(command)
    };
    let listed: Value = serde_json::from_str(&ask(&["list", "--stdio", &serve, "--json"])).expect("a list");
    assert_eq!((&listed["status"], listed["tools"].as_array().map(Vec::len)), (&Value::from("ok"), Some(2)));
    assert!(ask(&["call", "--stdio", &serve, "tool_search", "query=add two numbers"]).contains("honest/add"));
    let inner = r#"{"name":"honest/add","arguments":{"a":2,"b":3}}"#;
    assert_eq!(ask(&["call", "--stdio", &serve, "execute_tool", "--args", inner]).trim(), "5");
}
