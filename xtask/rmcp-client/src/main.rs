//! Measures tool calls through the plain client of the official SDK.
//!
//! `rmcp-client SERVER ARG…` starts the server, which has a tool `echo`. For each number on
//! standard input it prints one line: the nanoseconds of that many sequential calls.
//! `call_overhead` is the same for our client.

use rmcp::model::CallToolRequestParams;
use rmcp::service::RunningService;
use rmcp::transport::TokioChildProcess;
use rmcp::{RoleClient, ServiceExt};
use serde_json::{Map, Value};
use std::time::{Duration, Instant};
use tokio::process::Command;
use tokio::runtime::{Builder, Runtime};

// The same allocator and runtime as in the measurement of our client.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

type Failure = Box<dyn std::error::Error>;

/// The text to send, which must be echoed.
const TEXT: &str = "the quick brown fox jumps over the lazy dog";

fn main() -> Result<(), Failure> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [server, arguments @ ..] = &words[..] else { return Err("usage: rmcp-client SERVER ARG…".into()) };
    let runtime = Builder::new_current_thread().enable_all().build()?;
    let client = runtime.block_on(open(server, arguments))?;
    for line in std::io::stdin().lines() {
        let count: usize = line?.trim().parse()?;
        let call = |_| Ok(call(&runtime, &client)?.as_nanos().to_string());
        println!("{}", (0..count).map(call).collect::<Result<Vec<_>, Failure>>()?.join(" "));
    }
    runtime.block_on(client.cancel())?;
    Ok(())
}

async fn open(server: &str, arguments: &[String]) -> Result<RunningService<RoleClient, ()>, Failure> {
    let mut command = Command::new(server);
    command.args(arguments);
    Ok(().serve(TokioChildProcess::new(command)?).await?)
}

fn call(runtime: &Runtime, client: &RunningService<RoleClient, ()>) -> Result<Duration, Failure> {
    let arguments = Map::from_iter([("text".to_owned(), Value::from(TEXT))]);
    let params = CallToolRequestParams::new("echo").with_arguments(arguments);
    let start = Instant::now();
    let result = runtime.block_on(client.call_tool(params))?;
    let time = start.elapsed();
    if serde_json::to_string(&result)?.contains(TEXT) { Ok(time) } else { Err(format!("the server answered {result:?}").into()) }
}
