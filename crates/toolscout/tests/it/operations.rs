//! What holds for every operation in `OPERATIONS`, tried with the examples that it names itself:
//! 1. the same input gives the same JSON as a command, over HTTP and over the control socket,
//! 2. an operation for operators refuses an agent before it reads the request,
//! 3. a change leaves exactly one audit line, and a dry run leaves none and changes nothing,
//! 4. every example works.

mod changes;
mod examples;
mod reads;

use crate::api::Api;
use crate::world::{Outcome, World};
use serde_json::{Value, json};
use std::fs;
use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use toolscout::surface::operation::{Access, BoundOperation, WorkspaceSlot};
use toolscout_workspace::OPERATIONS;

/// Every operation of the program.
fn operations() -> Vec<BoundOperation> {
    OPERATIONS.iter().map(|(_, bind)| bind(&WorkspaceSlot::default())).collect()
}

/// A project in which every example works: two servers, two tools of its own, and a client that has a server to import.
fn world() -> World {
    let world = World::trusted().server("files", "honest", &[]);
    let schema = json!({"type": "object", "properties": {"title": {"type": "string"}}});
    let world = world.listing(
        "github",
        &json!([{"name": "create_issue", "description": "Opens an issue", "inputSchema": schema}]),
    );
    let npx = world.hostile("npx", "honest", &[]).join("' '");
    let path = std::env::var("PATH").unwrap_or_default();
    let ours = std::path::Path::new(env!("CARGO_BIN_EXE_toolscout")).parent().expect("a folder");
    let path = format!("{}:{}:{path}", world.temp_dir().join("bin").display(), ours.display());
    let world = world
        .echo("tools/word-count.tool.toml", "word-count", "description = \"Counts words\"")
        .program(
            "tools/fetch",
            r#"{"name": "fetch", "description": "Fetch data", "inputSchema": {}}"#,
            "cat",
        )
        .file("system.md", "You are Orion.\n")
        .file("servers.json", r#"{"mcpServers": {"github": {"command": "gh-mcp"}}}"#)
        .file("../home/.cursor/mcp.json", r#"{"mcpServers": {"docs": {"command": "docs-mcp"}}}"#)
        .script("../bin/npx", &format!("#!/bin/sh\nexec '{npx}'\n"))
        .var("PATH", &path);
    world.run(&["server", "refresh"]).exits(0);
    world.run(&["manifest", "build"]).exits(0);
    world.run(&["lock"]).exits(0);
    world
}

/// Runs a command line in a shell.
fn shell(world: &World, line: &str) -> Outcome {
    Outcome::run(world.program_command("sh").args(["-c", line]))
}

/// The body of the response of the control socket.
fn over_socket(world: &World, method: &str, path: &str, body: &str) -> String {
    let sockets =
        fs::read_dir(world.temp_dir().join("state/run")).expect("sockets").filter_map(Result::ok);
    let socket = sockets
        .map(|socket| socket.path())
        .find(|item| item.extension().is_some_and(|extension| extension == "sock"));
    let mut stream = UnixStream::connect(socket.expect("a socket"))
        .expect("the control socket accepts connections");
    let length = body.len();
    let request = format!(
        "{method} {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\n\
         Content-Length: {length}\r\n\r\n{body}"
    );
    stream.write_all(request.as_bytes()).expect("sent");
    let mut response = Vec::new();
    stream.read_to_end(&mut response).expect("a response");
    let response = String::from_utf8_lossy(&response);
    let (head, body) = response.split_once("\r\n\r\n").expect("a body");
    assert!(head.starts_with("HTTP/1.1 2"), "{method} {path}: {response}");
    if head.to_ascii_lowercase().contains("transfer-encoding: chunked") {
        unchunked(body)
    } else {
        body.to_owned()
    }
}

fn unchunked(mut body: &str) -> String {
    let mut text = String::new();
    while let Some((length, rest)) = body.split_once("\r\n") {
        let length = usize::from_str_radix(length, 16).expect("a length");
        text += &rest[..length];
        body = rest[length..].trim_start_matches("\r\n");
    }
    text
}

#[test]
fn operator_operations_refuse_agents() {
    let world = world();
    let api = Api::start(&world);
    let all = operations();
    let is_reachable = |operation: &&BoundOperation| !operation.spec.route.path.is_empty();
    let for_operators: Vec<_> = all
        .iter()
        .filter(is_reachable)
        .filter(|operation| operation.spec.access == Access::Operator)
        .collect();
    assert!(for_operators.len() >= 20, "only {} operations are for operators", for_operators.len());
    for operation in for_operators {
        let (method, path) = (operation.spec.route.method, operation.spec.route.path);
        let path =
            path.replace("{id}", "files").replace("{*tool}", "files/echo").replace("{call}", "x");
        let path = path.replace("{server}", "files");
        for body in ["", "{}", "nonsense"] {
            let response = api.web.send(method, &path, &[&api.agent], body);
            let code = response.message()["code"].clone();
            assert_eq!(
                (response.status, code),
                (403, json!("FORBIDDEN")),
                "{method} {path} {body}"
            );
        }
    }
}

#[test]
fn every_operation_has_an_example_of_each_of_its_commands() {
    for operation in operations() {
        let examples = examples::of(operation);
        assert!(!examples.is_empty(), "an operation without an example");
        let operation = &examples[0].operation;
        for command in toolscout::surface::operation::OperationCommand::all(operation) {
            let has_example = examples
                .iter()
                .any(|example| example.line.starts_with("toolscout ") && example.is_of(&command));
            // A command of one word that stands for a group is the same as one of its commands.
            let is_group = !command.name.contains(' ')
                && command.preset.is_empty()
                && operation.spec.name != command.name;
            assert!(has_example || is_group, "no example of `{}`", command.name);
        }
    }
}

/// Decisions in the audit log.
fn audited(world: &World) -> usize {
    let log = world
        .run(&["audit", "show", "--kind", "decision", "--limit", "1000", "--json"])
        .exits(0)
        .json();
    log["entries"].as_array().expect("entries").len()
}

fn parsed(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}
