//! 1. A denied, disabled or quarantined tool is never executed, whichever name or command is used.

use crate::world::{Outcome, World};
use serde_json::json;
use std::fs;
use std::io::{Read, Write};
use std::os::unix::net::UnixStream;

/// One tool for each reason to refuse a call, and one that is allowed.
fn guarded() -> World {
    let names =
        ["denied", "disabled", "quarantined", "allowed"].map(|value| (value, "Does something"));
    let world = World::trusted().list_server_named(
        "s",
        "tools = { denied = \"deny\", disabled = \"disable\" }",
        &names,
    );
    world.run(&["reject", "s/quarantined"]).exits(0);
    world
}

/// Every command line that calls this tool.
fn typed(tool: &str) -> Vec<Vec<String>> {
    let forms = [
        format!("s/{tool}"),
        format!("s:{tool}"),
        format!("s__{tool}"),
        format!("mcp:{tool}"),
        tool.to_owned(),
    ];
    let run = forms.iter().map(|form| vec!["run".to_owned(), form.clone()]);
    run.chain([vec![tool.to_owned()], vec![format!("s/{tool}")]]).collect()
}

fn run(world: &World, words: &[String]) -> Outcome {
    world.run(&words.iter().map(String::as_str).collect::<Vec<_>>())
}

fn nothing_is_executed(world: &World) {
    for tool in ["denied", "disabled", "quarantined"] {
        for words in typed(tool) {
            run(world, &words).exits(4).stderr_contains(&[&format!("`s/{tool}` is {tool}")]);
        }
    }
    assert_eq!(world.executed(), 0);
    let allowed = typed("allowed");
    allowed.iter().for_each(|item| assert_eq!(run(world, item).exits(0).out, "called\n"));
    assert_eq!(world.executed(), allowed.len());
}

/// T20, O12.
#[test]
fn unauthorized_calls_are_never_executed() {
    nothing_is_executed(&guarded());
}

/// T20, O12.
#[test]
fn unauthorized_calls_are_never_executed_through_a_host() {
    let world = guarded();
    let _host = world.host();
    nothing_is_executed(&world);
}

/// T20, O12: the host authorizes calls over its socket, too, and knows the latest decisions.
#[test]
fn unauthorized_calls_over_the_socket_are_never_executed() {
    let world = guarded();
    let _host = world.host();
    for tool in ["denied", "disabled", "quarantined"] {
        let answer = call_over_socket(&world, tool);
        assert!(
            answer.contains("HTTP/1.1 403") && answer.contains(&format!("`s/{tool}` is {tool}")),
            "{answer}"
        );
    }
    world.run(&["policy", "set", "s/allowed", "deny"]).exits(0);
    let answer = call_over_socket(&world, "allowed");
    assert!(answer.contains("`s/allowed` is denied by the project rule"), "{answer}");
    assert_eq!(world.executed(), 0);
    world.run(&["policy", "set", "s/allowed", "allow"]).exits(0);
    let answer = call_over_socket(&world, "allowed");
    assert!(answer.contains("called"), "{answer}");
    assert_eq!(world.run(&["run", "s/allowed"]).exits(0).out, "called\n");
    assert_eq!(world.executed(), 2);
}

/// The response of the host to a call.
fn call_over_socket(world: &World, tool: &str) -> String {
    let sockets =
        fs::read_dir(world.temp_dir().join("state/run")).expect("sockets").filter_map(Result::ok);
    let socket = sockets
        .map(|socket| socket.path())
        .find(|item| item.extension().is_some_and(|extension| extension == "sock"))
        .expect("a socket");
    let mut stream = UnixStream::connect(socket).expect("the control socket accepts connections");
    let call = json!({"name": format!("s/{tool}")}).to_string();
    let head = "POST /api/call HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json";
    let request = format!("{head}\r\nContent-Length: {}\r\n\r\n{call}", call.len());
    stream.write_all(request.as_bytes()).expect("send the request");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    answer
}
