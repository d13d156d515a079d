//! 1. A busy HTTP server is retried with backoff, and every delay is logged.
//! 2. A server that requires a login or requests a long delay is not retried.

use crate::world::{Outcome, World};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A server that gives these responses (status line and headers) to the first requests, and is a
/// legacy MCP server after that.
fn serve(first: &'static [&'static str]) -> (String, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("loopback works");
    let address = format!("http://{}/mcp", listener.local_addr().expect("an address"));
    let pending = Arc::new(AtomicUsize::new(0));
    let count = pending.clone();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let count = count.clone();
            std::thread::spawn(move || talk(stream, first, &count));
        }
    });
    (address, pending)
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
    let lines = outcome.err.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let events =
        lines.filter(|line| line["event"] == "retry" || line["fields"]["event"] == "retry");
    let delay = |value: Value| value["delay_ms"].as_u64().or(value["fields"]["delay_ms"].as_u64());
    events.filter_map(delay).collect()
}

/// O-09: the server is busy twice, and the third attempt succeeds. The delays grow.
#[test]
fn a_busy_server_is_retried() {
    const BUSY: &str = "503 Service Unavailable\r\nretry-after: 0";
    let (address, pending) = serve(&[BUSY, BUSY]);
    let outcome = refresh(&address).exits(0);
    assert!(outcome.out.contains("far: 1 tool"), "{outcome:?}");
    let waits = retries(&outcome);
    assert!(waits.len() == 2 && waits[0] < waits[1], "{waits:?} in {}", outcome.err);
    assert!(pending.load(Ordering::SeqCst) > 3);
}

/// O-09: a retry cannot succeed without a login.
#[test]
fn a_server_that_requires_login_is_not_retried() {
    let (address, pending) = serve(&["401 Unauthorized\r\nwww-authenticate: Bearer"; 9]);
    let outcome = refresh(&address).exits(3);
    assert!(retries(&outcome).is_empty(), "{outcome:?}");
    assert_eq!(pending.load(Ordering::SeqCst), 1, "{outcome:?}");
}

/// O-09: the requested delay is longer than the timeout of the discovery.
#[test]
fn a_long_retry_after_prevents_retries() {
    let (address, pending) = serve(&["429 Too Many Requests\r\nretry-after: 3000"; 9]);
    let outcome = refresh(&address).exits(3);
    assert!(retries(&outcome).is_empty(), "{outcome:?}");
    assert_eq!(pending.load(Ordering::SeqCst), 1, "{outcome:?}");
}
