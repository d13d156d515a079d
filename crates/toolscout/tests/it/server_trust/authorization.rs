//! 1. Whatever is denied, disabled or held is not executed, by any name, through any door.

use crate::world::{Outcome, World};
use serde_json::json;
use std::fs;
use std::io::{Read, Write};
use std::os::unix::net::UnixStream;

/// One tool for each reason not to be called, and one that may be.
fn guarded() -> World {
    let names = ["denied", "disabled", "quarantined", "allowed"].map(|it| (it, "Does something"));
    let world = World::trusted().stall_named(
        "s",
        "tools = { denied = \"deny\", disabled = \"disable\" }",
        &names,
    );
    world.run(&["reject", "s/quarantined"]).exits(0);
    world
}

/// Every way to type a call of this tool.
fn typed(tool: &str) -> Vec<Vec<String>> {
    let forms = [
        format!("s/{tool}"),
        format!("s:{tool}"),
        format!("s__{tool}"),
        format!("mcp:{tool}"),
        tool.to_owned(),
    ];
    let run = forms.iter().map(|it| vec!["run".to_owned(), it.clone()]);
    run.chain([vec![tool.to_owned()], vec![format!("s/{tool}")]]).collect()
}

fn run(world: &World, words: &[String]) -> Outcome {
    world.run(&words.iter().map(String::as_str).collect::<Vec<_>>())
}

fn nothing_is_executed(world: &World) {
    for tool in ["denied", "disabled", "quarantined"] {
        for words in typed(tool) {
            run(world, &words).exits(4).says(&[&format!("`s/{tool}` is {tool}")]);
        }
    }
    assert_eq!(world.executed(), 0);
    let allowed = typed("allowed");
    allowed.iter().for_each(|it| assert_eq!(run(world, it).exits(0).out, "called\n"));
    assert_eq!(world.executed(), allowed.len());
}

/// T20, O12.
#[test]
fn nothing_is_executed_that_is_not_allowed() {
    nothing_is_executed(&guarded());
}

/// T20, O12.
#[test]
fn nothing_is_executed_that_is_not_allowed_where_another_process_keeps_the_server() {
    let world = guarded();
    let _host = world.host();
    nothing_is_executed(&world);
}

/// T20, O12: who speaks to that process without a command of ours finds the same door, and it knows what was decided since.
#[test]
fn nothing_is_executed_for_who_asks_the_other_process_directly() {
    let world = guarded();
    let _host = world.host();
    for tool in ["denied", "disabled", "quarantined"] {
        let answer = asked_directly(&world, tool);
        assert!(
            answer.contains("HTTP/1.1 403") && answer.contains(&format!("`s/{tool}` is {tool}")),
            "{answer}"
        );
    }
    world.run(&["policy", "set", "s/allowed", "deny"]).exits(0);
    let answer = asked_directly(&world, "allowed");
    assert!(answer.contains("`s/allowed` is denied by the project rule"), "{answer}");
    assert_eq!(world.executed(), 0);
    world.run(&["policy", "set", "s/allowed", "allow"]).exits(0);
    let answer = asked_directly(&world, "allowed");
    assert!(answer.contains("called"), "{answer}");
    assert_eq!(world.run(&["run", "s/allowed"]).exits(0).out, "called\n");
    assert_eq!(world.executed(), 2);
}

/// What the process that keeps the servers says to a call.
fn asked_directly(world: &World, tool: &str) -> String {
    let sockets =
        fs::read_dir(world.outside().join("state/run")).expect("sockets").filter_map(Result::ok);
    let socket = sockets
        .map(|it| it.path())
        .find(|it| it.extension().is_some_and(|it| it == "sock"))
        .expect("a socket");
    let mut stream = UnixStream::connect(socket).expect("somebody listens");
    let call = json!({"name": format!("s/{tool}")}).to_string();
    let head = "POST /api/call HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json";
    let request = format!("{head}\r\nContent-Length: {}\r\n\r\n{call}", call.len());
    stream.write_all(request.as_bytes()).expect("ask");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    answer
}
