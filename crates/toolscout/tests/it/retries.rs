//! 1. A server on the web that is busy is asked again, each time after a longer wait, and every wait is in the log.
//! 2. One that wants a login, or asks for a long rest, is not.

use crate::world::{Outcome, World};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A server that gives the first requests these answers (status line and headers), and is a legacy MCP server after that.
fn serve(first: &'static [&'static str]) -> (String, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("loopback works");
    let address = format!("http://{}/mcp", listener.local_addr().expect("an address"));
    let asked = Arc::new(AtomicUsize::new(0));
    let count = asked.clone();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let count = count.clone();
            std::thread::spawn(move || talk(stream, first, &count));
        }
    });
    (address, asked)
}

fn talk(stream: TcpStream, first: &[&str], count: &AtomicUsize) -> Option<()> {
    let mut reader = BufReader::new(stream.try_clone().ok()?);
    let mut stream = stream;
    loop {
        let (head, body) = request(&mut reader)?;
        let answer = match (head.starts_with("POST"), first.get(count.load(Ordering::SeqCst))) {
            (false, _) => "HTTP/1.1 405 Method Not Allowed\r\ncontent-length: 0\r\n\r\n".to_owned(),
            (true, Some(first)) => format!("HTTP/1.1 {first}\r\ncontent-length: 0\r\n\r\n"),
            (true, None) => answer(&body),
        };
        if head.starts_with("POST") {
            count.fetch_add(1, Ordering::SeqCst);
        }
        stream.write_all(answer.as_bytes()).ok()?;
    }
}

fn request(reader: &mut BufReader<TcpStream>) -> Option<(String, Value)> {
    let mut head = String::new();
    let mut length = 0;
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).ok()? == 0 {
            return None;
        }
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().ok()?;
        }
        if line == "\r\n" {
            break;
        }
        head += &line;
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some((head, serde_json::from_slice(&body).unwrap_or(Value::Null)))
}

fn answer(message: &Value) -> String {
    let result = match message["method"].as_str() {
        Some("initialize") => {
            json!({"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": {"name": "t", "version": "1"}})
        }
        Some("tools/list") => {
            json!({"tools": [{"name": "one", "inputSchema": {"type": "object"}}]})
        }
        Some(method) if message.get("id").is_some() => {
            let error = json!({"code": -32601, "message": format!("no {method}")});
            return reply(&json!({"jsonrpc": "2.0", "id": message["id"], "error": error}));
        }
        _ => return "HTTP/1.1 202 Accepted\r\ncontent-length: 0\r\n\r\n".to_owned(),
    };
    reply(&json!({"jsonrpc": "2.0", "id": message["id"], "result": result}))
}

fn reply(body: &Value) -> String {
    let body = body.to_string();
    format!(
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    )
}

fn refresh(address: &str) -> Outcome {
    let world =
        World::project().file("toolscout.toml", &format!("[servers.far]\nurl = \"{address}\"\n"));
    world.var("TOOLSCOUT_TRUST", "1").run(&["-v", "--log-format", "json", "server", "refresh"])
}

fn retries(outcome: &Outcome) -> Vec<u64> {
    let lines = outcome.err.lines().filter_map(|it| serde_json::from_str::<Value>(it).ok());
    let events = lines.filter(|it| it["event"] == "retry" || it["fields"]["event"] == "retry");
    let delay = |it: Value| it["delay_ms"].as_u64().or(it["fields"]["delay_ms"].as_u64());
    events.filter_map(delay).collect()
}

/// O-09: busy twice, then there: found at the third time, after waits that grow.
#[test]
fn a_server_that_is_busy_for_a_moment_is_asked_again() {
    const BUSY: &str = "503 Service Unavailable\r\nretry-after: 0";
    let (address, asked) = serve(&[BUSY, BUSY]);
    let outcome = refresh(&address).exits(0);
    assert!(outcome.out.contains("far: 1 tool"), "{outcome:?}");
    let waits = retries(&outcome);
    assert!(waits.len() == 2 && waits[0] < waits[1], "{waits:?} in {}", outcome.err);
    assert!(asked.load(Ordering::SeqCst) > 3);
}

/// O-09: who is not logged in is not let in by asking again.
#[test]
fn a_server_that_wants_a_login_is_asked_once() {
    let (address, asked) = serve(&["401 Unauthorized\r\nwww-authenticate: Bearer"; 9]);
    let outcome = refresh(&address).exits(3);
    assert!(retries(&outcome).is_empty(), "{outcome:?}");
    assert_eq!(asked.load(Ordering::SeqCst), 1, "{outcome:?}");
}

/// O-09: a server that wants to be left alone for longer than the discovery may take is left alone.
#[test]
fn a_server_that_asks_for_a_long_rest_gets_it() {
    let (address, asked) = serve(&["429 Too Many Requests\r\nretry-after: 3000"; 9]);
    let outcome = refresh(&address).exits(3);
    assert!(retries(&outcome).is_empty(), "{outcome:?}");
    assert_eq!(asked.load(Ordering::SeqCst), 1, "{outcome:?}");
}
