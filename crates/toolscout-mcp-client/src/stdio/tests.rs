//! 1. Messages are lines; a line over the limit ends the connection and frees its memory.
//! 2. A blocked pipe delays only its own server.
//! 3. An exit is noticed at once, with its reason.
//! 4. No process of a server remains after closing, dropping, leaving the group, or a killed
//!    toolscout.
//! 5. A server sees few variables, no files but its own three, and starts in the right folder.

#[cfg(target_os = "linux")]
mod confinement;
mod lines;
mod pipes;
mod shutdown;
mod starting;

use super::super::client::McpClient;
use super::super::limits::Limits;
use super::super::{
    ClientError, ConfigText, ConnectContext, Program, ServerConfig, ServerTransport,
};
use serde_json::Value;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tempfile::TempDir;
use toolscout_core::{Caller, Cx, SourceId, ToolCall, ToolId, ToolName};

/// The common part of all shell servers: `on` is called for each line, with `$method`, `$id` and
/// `$line`.
const PRELUDE: &str = r#"
reply() { printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$1"; }
refuse() { printf '{"jsonrpc":"2.0","id":%s,"error":{"code":%s,"message":"%s"}}\n' "$id" "$1" "$2"; }
discovered='{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}}'
tools='{"tools":[{"name":"echo","inputSchema":{"type":"object"}}]}'
said() { reply '{"content":[{"type":"text","text":"'"$1"'"}]}'; }
usual() {
    case $method in
        server/discover) reply "$discovered" ;;
        tools/list) reply "$tools" ;;
        tools/call) said hello ;;
    esac
}
on() { usual; }
serve() {
    while read -r line; do
        [ -z "$LOG" ] || printf '%s\n' "$line" >> "$LOG"
        id=${line#*'"id":'}; id=${id%%[,\}]*}
        method=${line#*'"method":"'}; method=${method%%'"'*}
        on
    done
}
"#;

/// A folder, and servers that are shell scripts.
pub(in super::super) struct Shell {
    folder: TempDir,
    pub(in super::super) context: ConnectContext,
}

impl Shell {
    pub(in super::super) fn new() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let mut context =
            ConnectContext::new(folder.path().canonicalize().expect("the folder exists"));
        context.limits =
            Arc::new(Limits { probe: Duration::from_millis(300), ..Limits::default() });
        Self { folder, context }
    }

    pub(in super::super) fn limits(&mut self, change: impl FnOnce(&mut Limits)) {
        change(Arc::make_mut(&mut self.context.limits));
    }

    pub(in super::super) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// A server that runs this script after the prelude.
    pub(in super::super) fn server(&self, script: &str) -> ServerConfig {
        let mut program = Program { command: "sh".into(), ..Program::default() };
        program.args = vec![
            "-c".into(),
            ConfigText::from(format!("{PRELUDE}{script}").replace("${", "$${").as_str()),
        ];
        program
            .env
            .insert("LOG".to_owned(), ConfigText::from(self.path("log").to_str().expect("plain")));
        ServerConfig::new(SourceId::new("sh").expect("an id"), ServerTransport::Stdio(program))
    }

    pub(in super::super) async fn connect(&self, script: &str) -> Result<McpClient, ClientError> {
        McpClient::connect(&self.server(script), &self.context, within(10_000)).await
    }

    /// The messages that the server has received so far.
    pub(in super::super) fn log(&self) -> Vec<Value> {
        let text = std::fs::read_to_string(self.path("log")).unwrap_or_default();
        text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
    }

    /// Reads a number from a file once it is written.
    async fn number(&self, name: &str) -> i32 {
        let file = self.path(name);
        let read = || {
            std::fs::read_to_string(&file)
                .ok()
                .filter(|text| text.ends_with('\n'))?
                .trim()
                .parse()
                .ok()
        };
        until(|| read().is_some()).await;
        read().expect("the file has a number")
    }
}

pub(in super::super) fn within(milliseconds: u64) -> Instant {
    Instant::now() + Duration::from_millis(milliseconds)
}

pub(in super::super) async fn call(
    client: &McpClient,
    arguments: Value,
    deadline: Instant,
) -> Result<Value, ClientError> {
    let name = ToolName::new("echo").expect("a name");
    let Value::Object(arguments) = arguments else { panic!("arguments are an object") };
    let call =
        ToolCall::new(ToolId::new(SourceId::new("sh").expect("an id"), name.clone()), arguments);
    let result = client.call_tool(&call, None, &Cx::new(Caller::Cli), deadline).await?;
    Ok(result.to_value())
}

/// Waits for the condition, for at most ten seconds.
pub(in super::super) async fn until(condition: impl Fn() -> bool) {
    let last = Instant::now() + Duration::from_secs(10);
    while !condition() {
        assert!(Instant::now() < last, "the condition is met in time");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// Whether a process exists and is not a zombie.
fn is_alive(process: i32) -> bool {
    let output =
        std::process::Command::new("ps").args(["-o", "stat=", "-p", &process.to_string()]).output();
    let state =
        String::from_utf8_lossy(&output.expect("`ps` is installed").stdout).trim().to_owned();
    !state.is_empty() && !state.starts_with('Z')
}

async fn wait_until_gone(process: i32) {
    until(|| !is_alive(process)).await;
}
