//! An HTTP server whose tool names the caller by the received token, and which records the tokens
//! that are used with each session.

use parking_lot::Mutex;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;

/// A server on loopback that runs until the process ends.
pub(crate) struct Vault {
    pub(crate) addr: SocketAddr,
    seen: Arc<Mutex<Seen>>,
}

/// What the server has received.
#[derive(Debug, Clone, Default)]
pub(crate) struct Seen {
    /// Requests by token.
    pub(crate) tokens: HashMap<String, usize>,
    /// Requests that named a session that was opened with another token.
    pub(crate) mixed: usize,
    /// Received headers that MCP clients do not send.
    pub(crate) passed_on: Vec<String>,
    sessions: Vec<String>,
}

impl Vault {
    pub(crate) fn open() -> std::io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let vault = Self { addr: listener.local_addr()?, seen: Arc::default() };
        let seen = vault.seen.clone();
        std::thread::spawn(move || {
            while let Ok((stream, _)) = listener.accept() {
                let seen = seen.clone();
                // An error means that the client closed the connection.
                std::thread::spawn(move || drop(handle_connection(stream, &seen)));
            }
        });
        Ok(vault)
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}/mcp", self.addr)
    }

    pub(crate) fn seen(&self) -> Seen {
        self.seen.lock().clone()
    }
}

fn handle_connection(stream: TcpStream, seen: &Mutex<Seen>) -> std::io::Result<()> {
    stream.set_nodelay(true)?;
    let mut input = BufReader::new(stream);
    loop {
        let mut headers = HashMap::new();
        let mut first = String::new();
        if input.read_line(&mut first)? == 0 {
            return Ok(());
        }
        loop {
            let mut line = String::new();
            input.read_line(&mut line)?;
            match line.trim_end().split_once(':') {
                Some((name, value)) => {
                    headers.insert(name.to_ascii_lowercase(), value.trim().to_owned())
                }
                None => break,
            };
        }
        let mut body =
            vec![0; headers.get("content-length").and_then(|it| it.parse().ok()).unwrap_or(0)];
        input.read_exact(&mut body)?;
        let message: Value = serde_json::from_slice(&body).unwrap_or_default();
        let (status, session, body) = answer(&first, &headers, &message, seen);
        let session =
            session.map(|session| format!("mcp-session-id: {session}\r\n")).unwrap_or_default();
        let head = format!(
            "HTTP/1.1 {status}\r\ncontent-type: application/json\r\n{session}content-length: {}\r\n\r\n",
            body.len()
        );
        input.get_mut().write_all((head + &body).as_bytes())?;
    }
}

/// The response to one request: its status, the session that it opens, and its body.
fn answer(
    line: &str,
    headers: &HashMap<String, String>,
    message: &Value,
    seen: &Mutex<Seen>,
) -> (&'static str, Option<usize>, String) {
    let token = headers.get("authorization").cloned().unwrap_or_default();
    // The name of the user, not the token, because the definitions of a server may be cached.
    let name = token.strip_prefix("Bearer secret-of-").unwrap_or("nobody we know").to_owned();
    let mut seen = seen.lock();
    *seen.tokens.entry(token.clone()).or_default() += 1;
    let named = headers
        .get("mcp-session-id")
        .and_then(|mcp_session_id| mcp_session_id.parse::<usize>().ok());
    if named.is_some_and(|value| seen.sessions.get(value) != Some(&token)) {
        seen.mixed += 1;
    }
    seen.passed_on.extend(headers.keys().filter(|key| key.starts_with("x-")).cloned());
    if message["id"].is_null() {
        let status =
            if line.starts_with("POST") { "202 Accepted" } else { "405 Method Not Allowed" };
        return (status, None, String::new());
    }
    let mut session = None;
    let result = match message["method"].as_str() {
        Some("initialize") => {
            session = Some(seen.sessions.len());
            seen.sessions.push(token);
            let server = json!({"name": "vault", "version": "1"});
            json!({"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": server})
        }
        Some("tools/list") => {
            let about = format!("Opens the vault of {name}");
            json!({"tools": [{"name": "open_vault", "description": about, "inputSchema": {"type": "object"}}]})
        }
        Some("tools/call") => {
            json!({"content": [{"type": "text", "text": format!("in it: what {name} has")}]})
        }
        _ => {
            let error = json!({"code": -32601, "message": "no such method"});
            return (
                "200 OK",
                None,
                json!({"jsonrpc": "2.0", "id": message["id"], "error": error}).to_string(),
            );
        }
    };
    (
        "200 OK",
        session,
        json!({"jsonrpc": "2.0", "id": message["id"], "result": result}).to_string(),
    )
}
