//! A greedy client beside an honest one, with the same token and with the token of another user.

use super::jwt::{AUDIENCE, Issuer};
use super::{Agent, Client, Web};
use crate::servers::fixture::{is_alive, wait_until};
use crate::world::World;
use serde_json::{Value, json};
use std::io::Write;
use std::net::TcpStream;

const HOST: &str = "Host: tools.example.com";

fn execute(name: &str, arguments: Value) -> Value {
    json!({"name": "execute_tool", "arguments": {"name": name, "arguments": arguments}})
}

/// A project with one server, and the program that serves it to the users of an issuer.
fn team() -> (World, Issuer, Web) {
    let (world, issuer) = (World::trusted().server("s", "honest", &[]), Issuer::start());
    world.run(&["server", "refresh"]).exits(0);
    let web =
        Web::start(&world, &["--auth", "jwt", "--issuer", &issuer.url, "--audience", AUDIENCE]);
    (world, issuer, web)
}

/// The header of a user.
fn bearer(issuer: &Issuer, user: &str) -> String {
    format!("Authorization: Bearer {}", issuer.token_of(user, AUDIENCE))
}

/// A call in a new session of each user is answered.
fn assert_others_are_served(issuer: &Issuer, web: &Client, users: &[&str]) {
    for user in users {
        let mut honest = web.session("/mcp", &[HOST, &bearer(issuer, user)]);
        let echo = execute("s/echo", json!({"text": "hi"}));
        let result = honest.answer("tools/call", echo)["result"].clone();
        assert_eq!(result["content"][0]["text"], "hi", "{user}: {result}");
    }
}

/// V-78, Y-50: a call beyond the share of its client waits, and runs when an earlier one ends.
#[test]
fn hanging_calls_of_a_greedy_client_delay_only_its_own_next_call() {
    let (world, issuer, web) = team();
    let mut greedy = web.session("/mcp", &[HOST, &bearer(&issuer, "ada")]);
    let sleep = execute("s/sleep", json!({"seconds": 50}));
    let hanging: Vec<TcpStream> =
        (0..64).map(|_| greedy.begin("tools/call", sleep.clone())).collect();
    wait_until("64 calls hang", || world.request_count("s", "tools/call") >= 64);
    let next = greedy.begin("tools/call", execute("s/echo", json!({"text": "next"})));
    assert_others_are_served(&issuer, &web, &["ada", "bob"]);
    assert_eq!(world.request_count("s", "tools/call"), 66, "the next call waits");
    let cancelled = json!({
        "jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 2},
    });
    assert_eq!(greedy.post(&cancelled).status, 202);
    let answered = Client::receive(next).message();
    assert_eq!(answered["result"]["content"][0]["text"], "next", "{answered}");
    drop(hanging);
}

/// Y-51.
#[test]
fn a_call_beyond_the_queue_is_refused_at_once() {
    let (world, issuer, web) = team();
    let mut greedy = web.session("/mcp", &[HOST, &bearer(&issuer, "ada")]);
    let sleep = execute("s/sleep", json!({"seconds": 50}));
    // They arrive in any order, so the refused one may be any of them.
    let hanging: Vec<TcpStream> =
        (0..64 + 128 + 1).map(|_| greedy.begin("tools/call", sleep.clone())).collect();
    hanging.iter().for_each(|call| call.set_nonblocking(true).expect("a socket"));
    wait_until("64 calls hang", || world.request_count("s", "tools/call") >= 64);
    let received = |call: &TcpStream| {
        let mut bytes = [0; 4096];
        let length = call.peek(&mut bytes).unwrap_or_default();
        String::from_utf8_lossy(&bytes[..length]).into_owned()
    };
    let expected = "busy, retry after 1 s: 64 calls of this client are pending, and 128 more wait";
    let refused = || hanging.iter().filter(|call| received(call).contains(expected)).count();
    wait_until("one is refused", || refused() == 1);
    assert_others_are_served(&issuer, &web, &["ada", "bob"]);
    assert_eq!(world.request_count("s", "tools/call"), 66, "no call that waits has run");
    drop(hanging);
}

/// V-74, V-79.
#[test]
fn held_bodies_and_searches_of_a_greedy_client_refuse_no_request_of_another() {
    let (_world, issuer, web) = team();
    let mut greedy = web.session("/mcp", &[HOST, &bearer(&issuer, "ada")]);
    let part = vec![b' '; 7 << 20];
    let held: Vec<TcpStream> = (0..20)
        .map(|_| {
            let mut stream = TcpStream::connect(&web.addr).expect("the server listens");
            let head = format!(
                "POST /mcp HTTP/1.1\r\n{HOST}\r\n{}\r\nContent-Type: application/json\r\n\
                 Accept: application/json, text/event-stream\r\nContent-Length: 8000000\r\n\r\n",
                bearer(&issuer, "ada")
            );
            stream.write_all(head.as_bytes()).expect("sent");
            // A refused body ends the connection.
            let _ = stream.write_all(&part);
            stream
        })
        .collect();
    let searches: Vec<TcpStream> = (0..16)
        .map(|number| {
            let query = json!({"query": format!("echo the text number {number}")});
            greedy.begin("tools/call", json!({"name": "tool_search", "arguments": query}))
        })
        .collect();
    assert_others_are_served(&issuer, &web, &["ada", "bob"]);
    for search in searches {
        let response = Client::receive(search);
        assert_eq!(response.status, 200, "{response:?}");
    }
    drop(held);
}

/// V-85: the end of the client's input ends a call that hangs, and the server.
#[test]
fn a_hanging_call_does_not_outlive_its_client() {
    let world = World::trusted().server("s", "honest", &[]);
    world.run(&["server", "refresh"]).exits(0);
    let mut agent = Agent::legacy(&world, &[]);
    let sleep = execute("s/sleep", json!({"seconds": 3_600}));
    agent.send_request("tools/call", sleep);
    wait_until("the call hangs", || world.request_count("s", "tools/call") == 1);
    let (code, _) = agent.end();
    assert_eq!(code, 0);
    let left = world.processes("s").into_iter().filter(|process| is_alive(*process)).count();
    assert_eq!(left, 0);
}
