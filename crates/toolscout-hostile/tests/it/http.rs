//! 1. The honest server responds over HTTP, and prints its port.
//! 2. Some modes behave over HTTP as documented, byte for byte.

use crate::talk::{Talk, names, post};
use serde_json::{Value, json};

const ENOUGH: u64 = 1 << 20;

fn asking(method: &str) -> Value {
    json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": { "name": "echo", "arguments": { "text": "hi" } } })
}

fn body(answer: &str) -> Value {
    serde_json::from_str(answer.split_once("\r\n\r\n").unwrap().1).unwrap()
}

#[test]
fn the_honest_server_says_where_it_listens_and_answers_there() {
    let mut talk = Talk::with("--http 0");
    let port = talk.port();
    assert_eq!(talk.events("start")[0]["http"], port);
    let answer = post(port, &asking("tools/list"), ENOUGH);
    assert!(
        answer.starts_with("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"),
        "{answer}"
    );
    assert_eq!(names(&body(&answer)["result"]).len(), 6);
    let noted =
        post(port, &json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }), ENOUGH);
    assert_eq!(noted, "HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n");
    assert_eq!(talk.events("http").len(), 2);
}

#[test]
fn two_answers_are_a_stream_of_events() {
    let mut talk = Talk::with("--http 0 --mode double_reply");
    let answer = post(talk.port(), &asking("tools/call"), ENOUGH);
    assert!(
        answer.contains("Content-Type: text/event-stream\r\n")
            && answer.matches("data: {").count() == 2,
        "{answer}"
    );
}

#[test]
fn cursor_same_leads_in_a_circle_over_http_too() {
    let mut talk = Talk::with("--http 0 --mode cursor_same");
    assert_eq!(
        body(&post(talk.port(), &asking("tools/list"), ENOUGH))["result"]["nextCursor"],
        "again"
    );
}

#[test]
fn http_flap_answers_honestly_at_the_sixth_try() {
    let mut talk = Talk::with("--http 0 --mode http_flap");
    let port = talk.port();
    let codes: Vec<String> =
        (0..6).map(|_| post(port, &asking("ping"), ENOUGH)[9..12].to_owned()).collect();
    assert_eq!(codes, ["503", "429", "502", "500", "204", "200"]);
}

#[test]
fn http_redirect_leads_to_the_canary() {
    let mut talk = Talk::with("--http 0 --mode http_redirect --canary http://127.0.0.1:1/cage");
    let answer = post(talk.port(), &asking("ping"), ENOUGH);
    assert!(
        answer.starts_with("HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/cage\r\n"),
        "{answer}"
    );
}

#[test]
fn http_length_lie_says_more_than_it_announced() {
    let mut talk = Talk::with("--http 0 --mode http_length_lie");
    let answer = post(talk.port(), &asking("ping"), ENOUGH);
    assert!(
        answer.contains("Content-Length: 36\r\n") && answer.contains("}HTTP/1.1 200 OK\r\n"),
        "{answer}"
    );
    assert!(answer.contains("smuggled"));
}

#[test]
fn http_endless_body_goes_on() {
    let mut talk = Talk::with("--http 0 --mode http_endless_body");
    let answer = post(talk.port(), &asking("ping"), 3 * ENOUGH);
    assert_eq!(answer.len() as u64, 3 * ENOUGH);
    assert!(!answer.contains("\r\n0\r\n"));
}

#[test]
fn credentials_are_not_logged() {
    use std::io::{Read, Write};
    let mut talk = Talk::with("--http 0");
    let mut stream = std::net::TcpStream::connect(("127.0.0.1", talk.port())).unwrap();
    stream
        .write_all(b"GET /mcp HTTP/1.1\r\nAuthorization: Bearer hush\r\nX-Other: seen\r\nConnection: close\r\n\r\n")
        .unwrap();
    stream.shutdown(std::net::Shutdown::Write).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 405 "), "{answer}");
    let event = &talk.events("http")[0];
    assert!(
        event["has_auth"] == true
            && event["headers"]["x-other"] == "seen"
            && !event.to_string().contains("hush")
    );
}
