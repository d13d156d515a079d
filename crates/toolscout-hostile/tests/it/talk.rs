//! A conversation with one hostile server, and its log.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use tempfile::TempDir;

pub(crate) fn program() -> Command {
    Command::new(env!("CARGO_BIN_EXE_toolscout-hostile"))
}

/// A running server; killed on drop.
pub(crate) struct Talk {
    pub(crate) child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    folder: TempDir,
    asked: u64,
}

impl Talk {
    /// Starts the server with these options.
    pub(crate) fn with(words: &str) -> Self {
        let folder = TempDir::new().unwrap();
        let mut command = program();
        command
            .arg("--log")
            .arg(folder.path().join("log"))
            .args(["--ttl", "20"])
            .args(words.split_whitespace());
        // Discarded, because some modes flood stderr.
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().unwrap());
        Self { child, input, output, folder, asked: 0 }
    }

    /// Sends a request of the stateless era, under the next id.
    pub(crate) fn ask(&mut self, method: &str, mut params: Value) -> &mut Self {
        params["_meta"] = json!({ "io.modelcontextprotocol/protocolVersion": "2026-07-28" });
        self.ask_as_of_old(method, params)
    }

    pub(crate) fn ask_as_of_old(&mut self, method: &str, params: Value) -> &mut Self {
        self.asked += 1;
        let message =
            json!({ "jsonrpc": "2.0", "id": self.asked, "method": method, "params": params });
        self.say(&message.to_string())
    }

    pub(crate) fn say(&mut self, line: &str) -> &mut Self {
        writeln!(self.input.as_mut().unwrap(), "{line}").unwrap();
        self
    }

    pub(crate) fn line(&mut self) -> String {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        line
    }

    pub(crate) fn answer(&mut self) -> Value {
        let line = self.line();
        serde_json::from_str(&line).unwrap_or_else(|err| panic!("{err}: {line}"))
    }

    /// Closes its input, and returns the rest of its output.
    pub(crate) fn rest(&mut self) -> String {
        self.input = None;
        let mut rest = Vec::new();
        self.output.read_to_end(&mut rest).unwrap();
        String::from_utf8_lossy(&rest).into_owned()
    }

    pub(crate) fn ended(&mut self) -> ExitStatus {
        self.input = None;
        self.child.wait().unwrap()
    }

    /// The logged events of this kind so far.
    pub(crate) fn events(&self, event: &str) -> Vec<Value> {
        let log = std::fs::read_to_string(self.folder.path().join("log")).unwrap();
        let events = log.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        events.filter(|value| value["ev"] == event).collect()
    }

    /// The port that the server prints.
    pub(crate) fn port(&mut self) -> u16 {
        let line = self.line();
        line.trim()
            .strip_prefix("listening 127.0.0.1:")
            .unwrap_or_else(|| panic!("{line}"))
            .parse()
            .unwrap()
    }
}

impl Drop for Talk {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Posts a message on a new connection, and returns the response: at most `limit` bytes.
pub(crate) fn post(port: u16, message: &Value, limit: u64) -> String {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    let body = message.to_string();
    write!(
        stream,
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    )
    .unwrap();
    stream.shutdown(std::net::Shutdown::Write).unwrap();
    let mut answer = Vec::new();
    // A reset also ends the response.
    let _ = stream.take(limit).read_to_end(&mut answer);
    String::from_utf8_lossy(&answer).into_owned()
}

pub(crate) fn names(result: &Value) -> Vec<&str> {
    result["tools"].as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect()
}
