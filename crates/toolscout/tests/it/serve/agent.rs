//! A client that starts the program and talks to it over pipes.

use crate::world::World;
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

/// More than anything here takes; who waits longer waits for ever.
const PATIENCE: Duration = Duration::from_secs(30);

/// A client over pipes; the program is ended with it.
pub(crate) struct Agent {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    next: u64,
    /// What came and was not yet looked at.
    heard: VecDeque<Value>,
    era: Era,
}

#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Era {
    Legacy,
    Modern,
}

impl Agent {
    /// Starts `serve` with these arguments, and says nothing yet.
    pub(crate) fn start(world: &World, args: &[&str]) -> Self {
        let args: Vec<&str> = ["serve"].into_iter().chain(args.iter().copied()).collect();
        Self::of(world.command(&args))
    }

    /// Starts any program that speaks MCP on its pipes, and says nothing yet.
    pub(crate) fn of(mut command: Command) -> Self {
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
        Self { child, input, lines, next: 1, heard: VecDeque::new(), era: Era::Legacy }
    }

    /// A client of the old era that has greeted, and can do nothing of its own.
    pub(crate) fn legacy(world: &World, args: &[&str]) -> Self {
        Self::able(world, args, json!({}))
    }

    /// A client of the old era that can do this.
    pub(crate) fn able(world: &World, args: &[&str], capabilities: Value) -> Self {
        Self::start(world, args).greeting(capabilities)
    }

    /// The same, of the old era and able to do this, having greeted.
    pub(crate) fn greeting(self, capabilities: Value) -> Self {
        let mut agent = self;
        agent.request("initialize", json!({"protocolVersion": "2025-11-25", "capabilities": capabilities, "clientInfo": {"name": "test", "version": "1"}}));
        agent.notify("notifications/initialized", json!({}));
        agent
    }

    /// A client of the modern era, which greets nobody.
    pub(crate) fn modern(world: &World, args: &[&str]) -> Self {
        let mut agent = Self::start(world, args);
        agent.era = Era::Modern;
        agent
    }

    /// Sends a line as it is.
    pub(crate) fn send(&mut self, line: &str) {
        let input = self.input.as_mut().expect("it was not ended");
        input
            .write_all(format!("{line}\n").as_bytes())
            .and_then(|()| input.flush())
            .expect("send a line");
    }

    pub(crate) fn notify(&mut self, method: &str, params: Value) {
        self.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}).to_string());
    }

    /// Sends a request; its answer is for [`Agent::answer`].
    pub(crate) fn ask(&mut self, method: &str, mut params: Value) -> u64 {
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

    /// The whole answer to a request.
    pub(crate) fn answer(&mut self, id: u64) -> Value {
        self.next_that(|it| it["id"] == id && it.get("method").is_none())
    }

    /// The result of a request; a fault is a failure.
    pub(crate) fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.ask(method, params);
        let answer = self.answer(id);
        assert!(answer.get("error").is_none(), "{method}: {answer}");
        answer["result"].clone()
    }

    /// The fault that a request leads to.
    pub(crate) fn fault(&mut self, method: &str, params: Value) -> Value {
        let id = self.ask(method, params);
        let answer = self.answer(id);
        assert!(answer.get("result").is_none(), "{method}: {answer}");
        answer["error"].clone()
    }

    pub(crate) fn call(&mut self, name: &str, arguments: Value) -> Value {
        self.request("tools/call", json!({"name": name, "arguments": arguments}))
    }

    /// The text of the first block of what a tool says.
    pub(crate) fn text(&mut self, name: &str, arguments: Value) -> String {
        let result = self.call(name, arguments);
        result["content"][0]["text"]
            .as_str()
            .unwrap_or_else(|| panic!("no text: {result}"))
            .to_owned()
    }

    /// The names that are listed, in their order.
    pub(crate) fn listed(&mut self) -> Vec<String> {
        let list = self.request("tools/list", json!({}));
        let tools = list["tools"].as_array().expect("a list");
        tools.iter().map(|it| it["name"].as_str().expect("a name").to_owned()).collect()
    }

    /// The next request or notification of this method, whatever else comes before it.
    pub(crate) fn told(&mut self, method: &str) -> Value {
        self.next_that(|it| it["method"] == method)
    }

    /// Everything of this method that has come so far.
    pub(crate) fn heard(&mut self, method: &str) -> Vec<Value> {
        while let Ok(line) = self.lines.try_recv() {
            self.heard.push_back(parsed(&line));
        }
        self.heard.iter().filter(|it| it["method"] == method).cloned().collect()
    }

    pub(crate) fn next_that(&mut self, is_it: impl Fn(&Value) -> bool) -> Value {
        if let Some(at) = self.heard.iter().position(&is_it) {
            return self.heard.remove(at).expect("it is there");
        }
        loop {
            let line = self
                .lines
                .recv_timeout(PATIENCE)
                .unwrap_or_else(|error| panic!("{error}; heard {:?}", self.heard));
            let message = parsed(&line);
            if is_it(&message) {
                return message;
            }
            self.heard.push_back(message);
        }
    }

    pub(crate) fn process(&self) -> u32 {
        self.child.id()
    }

    /// Has nothing more to say; gives the exit code and everything that still came.
    pub(crate) fn end(mut self) -> (i32, Vec<Value>) {
        drop(self.input.take());
        let mut rest: Vec<_> = self.heard.drain(..).collect();
        while let Ok(line) = self.lines.recv_timeout(PATIENCE) {
            rest.push(parsed(&line));
        }
        let status = self.child.wait().expect("it ends");
        (status.code().unwrap_or(-1), rest)
    }
}

/// Nothing but protocol comes out, so every line is one message.
fn parsed(line: &str) -> Value {
    let message: Value =
        serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
    assert_eq!(message["jsonrpc"], "2.0", "{line}");
    message
}

impl Drop for Agent {
    fn drop(&mut self) {
        drop(self.input.take());
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
