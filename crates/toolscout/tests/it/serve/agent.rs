//! A client that starts the program and communicates over stdio.

use crate::world::World;
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

/// Longer than any response takes. A test that waits longer would wait forever.
const PATIENCE: Duration = Duration::from_secs(30);

/// A client over stdio. Dropping it kills the program.
pub(crate) struct Agent {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    next: u64,
    /// Received messages that no test has read yet.
    received: VecDeque<Value>,
    era: Era,
}

#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Era {
    Legacy,
    Modern,
}

impl Agent {
    /// Starts `serve` with these arguments, and sends nothing yet.
    pub(crate) fn start(world: &World, args: &[&str]) -> Self {
        let args: Vec<&str> = ["serve"].into_iter().chain(args.iter().copied()).collect();
        Self::spawn(world.command(&args))
    }

    /// Starts any program that speaks MCP over stdio, and sends nothing yet.
    pub(crate) fn spawn(mut command: Command) -> Self {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::inherit());
        let mut child = command.spawn().expect("start the program");
        let (sender, lines) = channel();
        let output = BufReader::new(child.stdout.take().expect("its output"));
        std::thread::spawn(move || {
            for line in output.lines() {
                let Ok(line) = line else { return };
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        let input = child.stdin.take();
        Self { child, input, lines, next: 1, received: VecDeque::new(), era: Era::Legacy }
    }

    /// An initialized client of the legacy era without capabilities.
    pub(crate) fn legacy(world: &World, args: &[&str]) -> Self {
        Self::able(world, args, json!({}))
    }

    /// An initialized client of the legacy era with these capabilities.
    pub(crate) fn able(world: &World, args: &[&str], capabilities: Value) -> Self {
        Self::start(world, args).greeting(capabilities)
    }

    /// Initializes this client as one of the legacy era with these capabilities.
    pub(crate) fn greeting(self, capabilities: Value) -> Self {
        let mut agent = self;
        agent.request("initialize", json!({"protocolVersion": "2025-11-25", "capabilities": capabilities, "clientInfo": {"name": "test", "version": "1"}}));
        agent.notify("notifications/initialized", json!({}));
        agent
    }

    /// A client of the modern era, which needs no `initialize`.
    pub(crate) fn modern(world: &World, args: &[&str]) -> Self {
        let mut agent = Self::start(world, args);
        agent.era = Era::Modern;
        agent
    }

    /// Sends a line unchanged.
    pub(crate) fn send(&mut self, line: &str) {
        let input = self.input.as_mut().expect("the input is open");
        input
            .write_all(format!("{line}\n").as_bytes())
            .and_then(|()| input.flush())
            .expect("send a line");
    }

    pub(crate) fn notify(&mut self, method: &str, params: Value) {
        self.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}).to_string());
    }

    /// Sends a request; [`Agent::answer`] waits for the response.
    pub(crate) fn send_request(&mut self, method: &str, mut params: Value) -> u64 {
        let id = self.next;
        self.next += 1;
        if self.era == Era::Modern {
            let meta = &mut params["_meta"];
            meta["io.modelcontextprotocol/protocolVersion"] = "2026-07-28".into();
            if meta["io.modelcontextprotocol/clientCapabilities"].is_null() {
                meta["io.modelcontextprotocol/clientCapabilities"] = json!({});
            }
        }
        self.send(
            &json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string(),
        );
        id
    }

    /// The complete response to a request.
    pub(crate) fn answer(&mut self, id: u64) -> Value {
        self.next_matching(|value| value["id"] == id && value.get("method").is_none())
    }

    /// The result of a request; an error fails the test.
    pub(crate) fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.send_request(method, params);
        let answer = self.answer(id);
        assert!(answer.get("error").is_none(), "{method}: {answer}");
        answer["result"].clone()
    }

    /// The error of a request.
    pub(crate) fn request_error(&mut self, method: &str, params: Value) -> Value {
        let id = self.send_request(method, params);
        let answer = self.answer(id);
        assert!(answer.get("result").is_none(), "{method}: {answer}");
        answer["error"].clone()
    }

    pub(crate) fn call(&mut self, name: &str, arguments: Value) -> Value {
        self.request("tools/call", json!({"name": name, "arguments": arguments}))
    }

    /// The text of the first content block of a tool result.
    pub(crate) fn text(&mut self, name: &str, arguments: Value) -> String {
        let result = self.call(name, arguments);
        result["content"][0]["text"]
            .as_str()
            .unwrap_or_else(|| panic!("no text: {result}"))
            .to_owned()
    }

    /// The names of the listed tools, in order.
    pub(crate) fn listed(&mut self) -> Vec<String> {
        let list = self.request("tools/list", json!({}));
        let tools = list["tools"].as_array().expect("a list");
        tools.iter().map(|tool| tool["name"].as_str().expect("a name").to_owned()).collect()
    }

    /// Waits for the next request or notification of this method, and skips others.
    pub(crate) fn wait_for(&mut self, method: &str) -> Value {
        self.next_matching(|value| value["method"] == method)
    }

    /// All messages of this method received so far.
    pub(crate) fn received(&mut self, method: &str) -> Vec<Value> {
        while let Ok(line) = self.lines.try_recv() {
            self.received.push_back(parsed(&line));
        }
        self.received.iter().filter(|item| item["method"] == method).cloned().collect()
    }

    pub(crate) fn next_matching(&mut self, matches: impl Fn(&Value) -> bool) -> Value {
        if let Some(at) = self.received.iter().position(&matches) {
            return self.received.remove(at).expect("the position is valid");
        }
        loop {
            let line = self
                .lines
                .recv_timeout(PATIENCE)
                .unwrap_or_else(|error| panic!("{error}; received {:?}", self.received));
            let message = parsed(&line);
            if matches(&message) {
                return message;
            }
            self.received.push_back(message);
        }
    }

    pub(crate) fn process(&self) -> u32 {
        self.child.id()
    }

    /// Closes standard input; returns the exit code and all remaining messages.
    pub(crate) fn end(mut self) -> (i32, Vec<Value>) {
        drop(self.input.take());
        let mut rest: Vec<_> = self.received.drain(..).collect();
        while let Ok(line) = self.lines.recv_timeout(PATIENCE) {
            rest.push(parsed(&line));
        }
        let status = self.child.wait().expect("the process exits");
        (status.code().unwrap_or(-1), rest)
    }
}

/// The output contains only protocol messages, one per line.
fn parsed(line: &str) -> Value {
    let message: Value =
        serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
    let messages = message.as_array().map_or(std::slice::from_ref(&message), Vec::as_slice);
    for message in messages {
        assert_eq!(message["jsonrpc"], "2.0", "{message}");
    }
    message
}

impl Drop for Agent {
    fn drop(&mut self) {
        drop(self.input.take());
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
