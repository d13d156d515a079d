//! Measures the duration of tool calls through a bare pipe or through the toolscout client. `cargo
//! xtask bench calls` runs it.
//!
//! `call_overhead pipe SERVER ARG…` or `call_overhead client SERVER ARG…` starts the server, which
//! has a tool `echo`. For each number N on standard input it makes N calls in sequence and prints
//! one line with the nanoseconds of each call.

#![expect(clippy::print_stdout, reason = "prints the measurements")]

use serde_json::{Map, json};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};
use tokio::runtime::{Builder, Runtime};
use toolscout::core::{Caller, Cx, SourceId, ToolCall, ToolId, ToolName};
use toolscout::mcp_client::client::McpClient;
use toolscout::mcp_client::{ConfigText, ConnectContext, Program, ServerConfig, ServerTransport};

// The same allocator as in the `toolscout` binary.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

type Failure = Box<dyn std::error::Error>;

/// The text that each call sends and expects back.
const TEXT: &str = "the quick brown fox jumps over the lazy dog";
const LONG: Duration = Duration::from_secs(60);

fn main() -> Result<(), Failure> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [way, server, arguments @ ..] = &words[..] else {
        return Err("usage: call_overhead pipe|client SERVER ARG…".into());
    };
    match way.as_str() {
        "pipe" => {
            let mut pipe = Pipe::open(server, arguments)?;
            answer_numbers(|| pipe.call())?;
            pipe.close()
        }
        "client" => {
            let talk = Talk::open(server, arguments)?;
            answer_numbers(|| talk.call())?;
            talk.close();
            Ok(())
        }
        _ => Err(format!("`{way}` is neither pipe nor client").into()),
    }
}

fn answer_numbers(mut call: impl FnMut() -> Result<Duration, Failure>) -> Result<(), Failure> {
    for line in std::io::stdin().lines() {
        let count: usize = line?.trim().parse()?;
        let times = (0..count)
            .map(|_| Ok(call()?.as_nanos().to_string()))
            .collect::<Result<Vec<_>, Failure>>()?;
        println!("{}", times.join(" "));
    }
    Ok(())
}

/// The baseline: writes a line to the server and reads a line, without a client.
struct Pipe {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    calls: u64,
    line: String,
}

impl Pipe {
    fn open(server: &str, arguments: &[String]) -> Result<Self, Failure> {
        let mut command = Command::new(server);
        let mut child =
            command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let input = child.stdin.take().ok_or("no input")?;
        let output = BufReader::new(child.stdout.take().ok_or("no output")?);
        let mut pipe = Self { child, input, output, calls: 0, line: String::new() };
        let about = json!({"name": "pipe", "version": "0"});
        let params =
            json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": about});
        pipe.exchange(
            &json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params})
                .to_string(),
        )?;
        writeln!(
            pipe.input,
            "{}",
            json!({"jsonrpc": "2.0", "method": "notifications/initialized"})
        )?;
        Ok(pipe)
    }

    fn call(&mut self) -> Result<Duration, Failure> {
        self.calls += 1;
        let params = json!({"name": "echo", "arguments": {"text": TEXT}});
        let message =
            json!({"jsonrpc": "2.0", "id": self.calls, "method": "tools/call", "params": params});
        let time = self.exchange(&message.to_string())?;
        expect_text(&self.line)?;
        Ok(time)
    }

    fn exchange(&mut self, message: &str) -> Result<Duration, Failure> {
        let message = format!("{message}\n");
        self.line.clear();
        let start = Instant::now();
        self.input.write_all(message.as_bytes())?;
        self.output.read_line(&mut self.line)?;
        Ok(start.elapsed())
    }

    fn close(mut self) -> Result<(), Failure> {
        drop(self.input);
        self.child.wait()?;
        Ok(())
    }
}

/// The toolscout client, on the same kind of runtime as in the `toolscout` binary.
struct Talk {
    runtime: Runtime,
    client: McpClient,
    call: ToolCall,
    cx: Cx,
}

impl Talk {
    fn open(server: &str, arguments: &[String]) -> Result<Self, Failure> {
        let text = |text: &String| ConfigText::new(text.as_str(), None);
        let program = Program {
            command: ConfigText::new(server, None),
            args: arguments.iter().map(text).collect(),
            ..Program::default()
        };
        let id = SourceId::new("measured")?;
        let server = ServerConfig::new(id.clone(), ServerTransport::Stdio(program));
        let dial = ConnectContext::new(std::env::current_dir()?);
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let client = runtime.block_on(McpClient::connect(&server, &dial, Instant::now() + LONG))?;
        let arguments = Map::from_iter([("text".to_owned(), TEXT.into())]);
        let call = ToolCall::new(ToolId::new(id, ToolName::new("echo")?), arguments);
        Ok(Self { runtime, client, call, cx: Cx::new(Caller::Cli) })
    }

    fn call(&self) -> Result<Duration, Failure> {
        let (call, deadline) = (&self.call, Instant::now() + LONG);
        let start = Instant::now();
        let calling = self.client.call_tool(call, None, &self.cx, deadline);
        let result = self.runtime.block_on(calling)?;
        let time = start.elapsed();
        expect_text(result.as_str())?;
        Ok(time)
    }

    fn close(self) {
        self.runtime.block_on(self.client.close());
    }
}

fn expect_text(answer: &str) -> Result<(), Failure> {
    if answer.contains(TEXT) { Ok(()) } else { Err(format!("the server answered {answer}").into()) }
}
