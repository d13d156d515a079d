//! A client that connects to the program over HTTP and reads its stderr.

use crate::servers::fixture::signal;
use crate::world::World;
use rustix::process::Signal;
use serde_json::{Value, json};
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::ops::Deref;
use std::path::PathBuf;
use std::process::{Child, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

/// Longer than any response takes.
const PATIENCE: Duration = Duration::from_secs(30);

/// A client for one address.
pub(crate) struct Client {
    pub(crate) addr: String,
}

/// `serve --http` on a free port. Dropping it stops the process.
pub(crate) struct Web {
    child: Child,
    client: Client,
    stderr_lines: Receiver<String>,
    /// The file of the agents' token.
    token_file: PathBuf,
    /// The stderr output up to the message that it listens.
    pub(crate) startup_output: String,
}

/// An HTTP response.
#[derive(Debug)]
pub(crate) struct HttpResponse {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

/// A session of the legacy era.
pub(crate) struct Session<'a> {
    client: &'a Client,
    path: String,
    headers: Vec<String>,
    next: u64,
}

impl Web {
    /// Starts the program with these arguments, and waits until it listens.
    pub(crate) fn start(world: &World, args: &[&str]) -> Self {
        Self::start_at(world, "127.0.0.1:0", args)
    }

    /// As [`Web::start`], at this address.
    pub(crate) fn start_at(world: &World, addr: &str, args: &[&str]) -> Self {
        let args: Vec<&str> =
            ["serve", "--http", addr].into_iter().chain(args.iter().copied()).collect();
        let mut command = world.command(&args);
        let mut child = command
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("start the program");
        let (sender, stderr_lines) = channel();
        let err = BufReader::new(child.stderr.take().expect("stderr is piped"));
        std::thread::spawn(move || {
            err.lines().map_while(Result::ok).try_for_each(|line| sender.send(line))
        });
        let (mut output, mut addr) = (String::new(), None);
        while addr.is_none() {
            let line = stderr_lines
                .recv_timeout(PATIENCE)
                .unwrap_or_else(|_| panic!("the server never listened: {output}"));
            addr = line
                .strip_prefix("listening on http://")
                .and_then(|rest| rest.strip_suffix("/mcp"))
                .map(str::to_owned);
            output += &format!("{line}\n");
        }
        Self {
            child,
            client: Client { addr: addr.unwrap_or_default() },
            stderr_lines,
            token_file: world.temp_dir().join("state/agent.token"),
            startup_output: output,
        }
    }

    /// As [`Web::start`], with `--auth none`.
    pub(crate) fn open(world: &World, args: &[&str]) -> Self {
        let args: Vec<&str> = ["--auth", "none"].into_iter().chain(args.iter().copied()).collect();
        Self::start(world, &args)
    }

    /// The agents' token, which the first start created.
    pub(crate) fn token(&self) -> String {
        fs::read_to_string(&self.token_file).expect("a token").trim().to_owned()
    }

    /// Waits until stderr contains this text.
    pub(crate) fn wait_for_stderr(&self, text: &str) -> String {
        loop {
            let line = self
                .stderr_lines
                .recv_timeout(PATIENCE)
                .unwrap_or_else(|_| panic!("the server never printed `{text}`"));
            if line.contains(text) {
                return line;
            }
        }
    }

    /// The stderr output since then.
    pub(crate) fn new_stderr(&self) -> Vec<String> {
        self.stderr_lines.try_iter().collect()
    }

    /// The id of the process.
    pub(crate) fn process(&self) -> u32 {
        self.child.id()
    }

    /// Waits until the process ends; returns the exit code.
    pub(crate) fn exit_code(mut self) -> Option<i32> {
        self.child.wait().expect("the process exits").code()
    }

    /// Sends this signal; returns the exit code.
    pub(crate) fn ends(mut self, by: Signal) -> Option<i32> {
        signal(self.child.id(), by);
        self.child.wait().expect("the process exits").code()
    }
}

impl Deref for Web {
    type Target = Client;

    fn deref(&self) -> &Client {
        &self.client
    }
}

impl Client {
    /// Posts a message. Each header is a whole line.
    pub(crate) fn post(&self, path: &str, headers: &[&str], body: &Value) -> HttpResponse {
        self.send("POST", path, headers, &body.to_string())
    }

    pub(crate) fn send(
        &self,
        method: &str,
        path: &str,
        headers: &[&str],
        body: &str,
    ) -> HttpResponse {
        Self::receive(self.begin(method, path, headers, body))
    }

    /// Sends a request; [`Client::receive`] reads the response.
    pub(crate) fn begin(
        &self,
        method: &str,
        path: &str,
        headers: &[&str],
        body: &str,
    ) -> TcpStream {
        let mut stream = TcpStream::connect(&self.addr).expect("the server listens");
        stream.set_read_timeout(Some(PATIENCE)).expect("a time");
        let has =
            |name: &str| headers.iter().any(|header| header.to_ascii_lowercase().starts_with(name));
        let host = if has("host:") { String::new() } else { format!("Host: {}\r\n", self.addr) };
        let headers: String = headers.iter().map(|header| format!("{header}\r\n")).collect();
        let usual = "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\nConnection: close\r\n";
        let length = body.len();
        let head = format!(
            "{method} {path} HTTP/1.1\r\n{host}{usual}{headers}Content-Length: {length}\r\n\r\n"
        );
        stream.write_all(format!("{head}{body}").as_bytes()).expect("send a request");
        stream
    }

    pub(crate) fn receive(mut stream: TcpStream) -> HttpResponse {
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).expect("an answer");
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let (head, body) =
            text.split_once("\r\n\r\n").unwrap_or_else(|| panic!("no answer: {text:?}"));
        let status = head.split(' ').nth(1).and_then(|part| part.parse().ok()).expect("a status");
        let is_chunked = head.to_ascii_lowercase().contains("transfer-encoding: chunked");
        let body = if is_chunked { joined(body) } else { body.to_owned() };
        HttpResponse { status, head: head.to_owned(), body }
    }

    /// Opens a session of the legacy era at this path.
    pub(crate) fn session(&self, path: &str, headers: &[&str]) -> Session<'_> {
        self.session_of(path, headers, json!({}))
    }

    /// As [`Client::session`], for a client with these capabilities.
    pub(crate) fn session_of(
        &self,
        path: &str,
        headers: &[&str],
        capabilities: Value,
    ) -> Session<'_> {
        let mut session = Session {
            client: self,
            path: path.to_owned(),
            headers: headers.iter().map(|header| (*header).to_owned()).collect(),
            next: 1,
        };
        let hello = json!({"protocolVersion": "2025-11-25", "capabilities": capabilities, "clientInfo": {"name": "t", "version": "1"}});
        let answer = session.send_request("initialize", hello);
        assert_eq!(answer.status, 200, "{answer:?}");
        let id =
            answer.header("mcp-session-id").unwrap_or_else(|| panic!("no session: {answer:?}"));
        session.headers.push(format!("Mcp-Session-Id: {id}"));
        session
    }
}

impl<'a> Session<'a> {
    /// A session that was opened elsewhere, with its headers.
    pub(crate) fn with_headers(client: &'a Client, path: &str, headers: &[String]) -> Self {
        Self { client, path: path.to_owned(), headers: headers.to_vec(), next: 1_000 }
    }
}

impl Session<'_> {
    /// The same session, at another replica.
    pub(crate) fn at<'a>(&self, client: &'a Client) -> Session<'a> {
        let Self { path, headers, next, .. } = self;
        Session { client, path: path.clone(), headers: headers.clone(), next: *next + 1_000 }
    }

    /// The headers of its requests.
    pub(crate) fn headers(&self) -> Vec<&str> {
        self.headers.iter().map(String::as_str).collect()
    }

    /// Sends a message that is not a request.
    pub(crate) fn post(&self, message: &Value) -> HttpResponse {
        self.client.post(&self.path, &self.headers(), message)
    }

    /// Sends a request without a body; [`Client::receive`] reads the response.
    pub(crate) fn begin_method(&self, method: &str, more: &[&str]) -> TcpStream {
        let headers = [self.headers(), more.to_vec()].concat();
        self.client.begin(method, &self.path, &headers, "")
    }

    pub(crate) fn send_request(&mut self, method: &str, params: Value) -> HttpResponse {
        Client::receive(self.begin(method, params))
    }

    /// Sends a request; [`Client::receive`] reads the response.
    pub(crate) fn begin(&mut self, method: &str, params: Value) -> TcpStream {
        let headers: Vec<&str> = self.headers.iter().map(String::as_str).collect();
        let message =
            json!({"jsonrpc": "2.0", "id": self.next, "method": method, "params": params});
        self.next += 1;
        self.client.begin("POST", &self.path, &headers, &message.to_string())
    }

    /// The complete response to a request.
    pub(crate) fn answer(&mut self, method: &str, params: Value) -> Value {
        let answer = self.send_request(method, params);
        assert_eq!(answer.status, 200, "{answer:?}");
        answer.message()
    }

    pub(crate) fn listed(&mut self) -> Vec<String> {
        let list = self.answer("tools/list", json!({}));
        let tools = list["result"]["tools"].as_array().unwrap_or_else(|| panic!("no list: {list}"));
        tools.iter().map(|tool| tool["name"].as_str().unwrap_or("?").to_owned()).collect()
    }

    /// The result of a tool call.
    pub(crate) fn call(&mut self, name: &str, arguments: Value) -> Value {
        self.answer("tools/call", json!({"name": name, "arguments": arguments}))["result"].clone()
    }

    /// The text of the first content block of a tool result.
    pub(crate) fn text(&mut self, name: &str, arguments: Value) -> String {
        let result = self.call(name, arguments);
        result["content"][0]["text"]
            .as_str()
            .unwrap_or_else(|| panic!("no text: {result}"))
            .to_owned()
    }
}

impl HttpResponse {
    pub(crate) fn header(&self, name: &str) -> Option<String> {
        let mut lines = self.head.lines().filter_map(|line| line.split_once(": "));
        lines.find(|(item, _)| item.eq_ignore_ascii_case(name)).map(|(_, value)| value.to_owned())
    }

    /// The message of the response: its JSON body, or the last event of a stream.
    pub(crate) fn message(&self) -> Value {
        let last = self.body.lines().filter_map(|line| line.strip_prefix("data: ")).next_back();
        let text = last.unwrap_or(&self.body);
        serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}

fn joined(mut chunks: &str) -> String {
    let mut body = String::new();
    while let Some((length, rest)) = chunks.split_once("\r\n") {
        let length = usize::from_str_radix(length.trim(), 16).unwrap_or(0);
        if length == 0 {
            break;
        }
        body += &rest[..length];
        chunks = rest[length..].trim_start_matches("\r\n");
    }
    body
}

impl Drop for Web {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
