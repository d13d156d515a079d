//! A client over HTTP, in either era, that says who it is in headers; one connection for all it says.

use serde_json::{Value, json};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

const PATIENCE: Duration = Duration::from_secs(60);

/// A connection, which any number of clients may share, as they do behind a proxy.
pub(crate) struct Visitor {
    addr: SocketAddr,
    stream: BufReader<TcpStream>,
    next: u64,
}

/// An answer over HTTP.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: String,
}

impl Answer {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(it, _)| it == name).map(|(_, value)| value.as_str())
    }

    /// The last message in it, be it alone or in a stream of events.
    pub(crate) fn message(&self) -> Value {
        let of_events = self.body.lines().rev().find_map(|it| it.strip_prefix("data: "));
        serde_json::from_str(of_events.unwrap_or(&self.body)).unwrap_or_default()
    }
}

impl Visitor {
    pub(crate) fn new(addr: SocketAddr) -> io::Result<Self> {
        Ok(Self { addr, stream: connect(addr)?, next: 0 })
    }

    /// A request of the modern era, which stands alone.
    pub(crate) fn modern(
        &mut self,
        who: &[(&str, &str)],
        method: &str,
        mut params: Value,
    ) -> io::Result<Answer> {
        let meta = &mut params["_meta"];
        meta["io.modelcontextprotocol/protocolVersion"] = "2026-07-28".into();
        if meta["io.modelcontextprotocol/clientCapabilities"].is_null() {
            meta["io.modelcontextprotocol/clientCapabilities"] = json!({});
        }
        let name = params["name"].as_str().map(str::to_owned);
        let mut headers = vec![("MCP-Protocol-Version", "2026-07-28"), ("Mcp-Method", method)];
        headers.extend(name.as_deref().map(|it| ("Mcp-Name", it)));
        headers.extend(who);
        self.post(&headers, method, params)
    }

    /// Begins a session of the old era; gives its name.
    pub(crate) fn greet(&mut self, who: &[(&str, &str)]) -> io::Result<String> {
        let client = json!({"name": "visitor", "version": "1"});
        let hello =
            json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client});
        let answer = self.post(who, "initialize", hello)?;
        let session = answer.header("mcp-session-id").map(str::to_owned);
        session.ok_or_else(|| io::Error::other(format!("no session: {answer:?}")))
    }

    /// A request in a session of the old era.
    pub(crate) fn legacy(
        &mut self,
        who: &[(&str, &str)],
        session: &str,
        method: &str,
        params: Value,
    ) -> io::Result<Answer> {
        let headers: Vec<_> = [("Mcp-Session-Id", session), ("MCP-Protocol-Version", "2025-11-25")]
            .iter()
            .chain(who)
            .copied()
            .collect();
        self.post(&headers, method, params)
    }

    fn post(
        &mut self,
        headers: &[(&str, &str)],
        method: &str,
        params: Value,
    ) -> io::Result<Answer> {
        self.next += 1;
        let body = json!({"jsonrpc": "2.0", "id": self.next, "method": method, "params": params})
            .to_string();
        let mut text = format!(
            "POST /mcp HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\n\
             Accept: application/json, text/event-stream\r\nContent-Length: {}\r\n",
            self.addr,
            body.len()
        );
        headers.iter().for_each(|(name, value)| text += &format!("{name}: {value}\r\n"));
        text += "\r\n";
        text += &body;
        self.stream.get_mut().write_all(text.as_bytes())?;
        let answer = read(&mut self.stream)?;
        if answer.header("connection").is_some_and(|it| it.eq_ignore_ascii_case("close")) {
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

fn read(stream: &mut BufReader<TcpStream>) -> io::Result<Answer> {
    let first = line(stream)?;
    let status = first.split(' ').nth(1).and_then(|it| it.parse().ok());
    let status = status.ok_or_else(|| io::Error::other(format!("no answer: {first}")))?;
    let mut headers = Vec::new();
    while let Some((name, value)) = line(stream)?.split_once(':') {
        headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
    }
    let mut answer = Answer { status, headers, body: String::new() };
    let mut body = Vec::new();
    match (
        answer.header("transfer-encoding"),
        answer.header("content-length").and_then(|it| it.parse().ok()),
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
