//! An HTTP client of either protocol era that identifies its callers with headers, over one
//! connection.

use serde_json::{Value, json};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

const PATIENCE: Duration = Duration::from_secs(60);

/// A connection that several callers can share, as they do behind a proxy.
pub(crate) struct HttpClient {
    addr: SocketAddr,
    stream: BufReader<TcpStream>,
    next: u64,
}

/// An HTTP response.
#[derive(Debug)]
pub(crate) struct HttpResponse {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: String,
}

impl HttpResponse {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(header, _)| header == name).map(|(_, value)| value.as_str())
    }

    /// The last message of the response, which is JSON or a stream of events.
    pub(crate) fn message(&self) -> Value {
        let of_events = self.body.lines().rev().find_map(|line| line.strip_prefix("data: "));
        serde_json::from_str(of_events.unwrap_or(&self.body)).unwrap_or_default()
    }
}

impl HttpClient {
    pub(crate) fn new(addr: SocketAddr) -> io::Result<Self> {
        Ok(Self { addr, stream: connect(addr)?, next: 0 })
    }

    /// Sends a request of the modern era, which needs no session.
    pub(crate) fn modern(
        &mut self,
        caller: &[(&str, &str)],
        method: &str,
        mut params: Value,
    ) -> io::Result<HttpResponse> {
        let meta = &mut params["_meta"];
        meta["io.modelcontextprotocol/protocolVersion"] = "2026-07-28".into();
        if meta["io.modelcontextprotocol/clientCapabilities"].is_null() {
            meta["io.modelcontextprotocol/clientCapabilities"] = json!({});
        }
        let name = params["name"].as_str().map(str::to_owned);
        let mut headers = vec![("MCP-Protocol-Version", "2026-07-28"), ("Mcp-Method", method)];
        headers.extend(name.as_deref().map(|name| ("Mcp-Name", name)));
        headers.extend(caller);
        self.post(&headers, method, params)
    }

    /// Opens a session of the legacy era; returns its id.
    pub(crate) fn greet(&mut self, caller: &[(&str, &str)]) -> io::Result<String> {
        let client = json!({"name": "visitor", "version": "1"});
        let hello =
            json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client});
        let answer = self.post(caller, "initialize", hello)?;
        let session = answer.header("mcp-session-id").map(str::to_owned);
        session.ok_or_else(|| io::Error::other(format!("no session: {answer:?}")))
    }

    /// Sends a request in a session of the legacy era.
    pub(crate) fn legacy(
        &mut self,
        caller: &[(&str, &str)],
        session: &str,
        method: &str,
        params: Value,
    ) -> io::Result<HttpResponse> {
        let headers: Vec<_> = [("Mcp-Session-Id", session), ("MCP-Protocol-Version", "2025-11-25")]
            .iter()
            .chain(caller)
            .copied()
            .collect();
        self.post(&headers, method, params)
    }

    fn post(
        &mut self,
        headers: &[(&str, &str)],
        method: &str,
        params: Value,
    ) -> io::Result<HttpResponse> {
        self.next += 1;
        let body = json!({"jsonrpc": "2.0", "id": self.next, "method": method, "params": params});
        self.send("POST", "/mcp", headers, &body.to_string())
    }

    /// Sends a request to this path, and waits for the response.
    pub(crate) fn send(
        &mut self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &str,
    ) -> io::Result<HttpResponse> {
        let mut text = format!(
            "{method} {path} HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\n\
             Accept: application/json, text/event-stream\r\nContent-Length: {}\r\n",
            self.addr,
            body.len()
        );
        headers.iter().for_each(|(name, value)| text += &format!("{name}: {value}\r\n"));
        text += "\r\n";
        text += body;
        self.stream.get_mut().write_all(text.as_bytes())?;
        let answer = read(&mut self.stream)?;
        if answer.header("connection").is_some_and(|header| header.eq_ignore_ascii_case("close")) {
            self.stream = connect(self.addr)?;
        }
        Ok(answer)
    }
}

fn connect(addr: SocketAddr) -> io::Result<BufReader<TcpStream>> {
    let stream = TcpStream::connect(addr)?;
    stream.set_nodelay(true)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    Ok(BufReader::new(stream))
}

fn read(stream: &mut BufReader<TcpStream>) -> io::Result<HttpResponse> {
    let first = line(stream)?;
    let status = first.split(' ').nth(1).and_then(|part| part.parse().ok());
    let status = status.ok_or_else(|| io::Error::other(format!("no answer: {first}")))?;
    let mut headers = Vec::new();
    while let Some((name, value)) = line(stream)?.split_once(':') {
        headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
    }
    let mut answer = HttpResponse { status, headers, body: String::new() };
    let mut body = Vec::new();
    match (
        answer.header("transfer-encoding"),
        answer.header("content-length").and_then(|header| header.parse().ok()),
    ) {
        (Some("chunked"), _) => loop {
            let size = usize::from_str_radix(&line(stream)?, 16).map_err(io::Error::other)?;
            take(stream, size, &mut body)?;
            line(stream)?;
            if size == 0 {
                break;
            }
        },
        (_, size) => take(stream, size.unwrap_or(0), &mut body)?,
    }
    answer.body = String::from_utf8(body).map_err(io::Error::other)?;
    Ok(answer)
}

fn line(stream: &mut BufReader<TcpStream>) -> io::Result<String> {
    let mut line = String::new();
    match stream.read_line(&mut line)? {
        0 => Err(io::ErrorKind::UnexpectedEof.into()),
        _ => Ok(line.trim_end().to_owned()),
    }
}

fn take(stream: &mut BufReader<TcpStream>, size: usize, into: &mut Vec<u8>) -> io::Result<()> {
    let before = into.len();
    into.resize(before + size, 0);
    stream.read_exact(&mut into[before..])
}
