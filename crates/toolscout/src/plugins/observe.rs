//! `observe`: passes an agent's messages through unchanged, and records the tools that they name.

use crate::{AppError, Command, Environment, Plugin, RunCx, Setup};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;
use toolscout_catalog::findings::{self, ToolNameIndex};
use toolscout_config::Config;
use toolscout_core::event::{DiscoveryEvent, EventKind};
use toolscout_core::{BoxFuture, Cx, ErrorKind, Source, SourceId, Tool, ToolId};
use toolscout_source::observed::{Observed, ObservedSource, SeenTool, TranscriptObserver};
use toolscout_surface::cli::{CommandSpec, OptionSpec};
use toolscout_surface::codes::Exit;

/// Adds `observe`, and the source `observed` if tools were recorded.
#[derive(Debug, Clone, Copy, Default)]
pub struct Observe;

impl Plugin for Observe {
    fn id(&self) -> &str {
        "observe"
    }

    fn requires(&self) -> Vec<&str> {
        vec!["discovery"]
    }

    fn setup(&self, cx: &mut Setup) -> Result<(), AppError> {
        cx.add_source(|startup| {
            if startup.options.text("tools-from").is_some() {
                return Ok(None);
            }
            let source = ObservedSource::new(observed(&startup.environment, &startup.config));
            Ok(source.map(|source| Arc::new(source) as Arc<dyn Source>))
        });
        cx.add_command(ObserveCommand)
    }
}

struct ObserveCommand;

impl Command for ObserveCommand {
    fn spec(&self) -> CommandSpec {
        CommandSpec::new("observe", "Record the tools in an agent's messages, and pass the messages on")
            .option(OptionSpec::text("server", "Server for tools whose message names none").value("NAME"))
            .option(OptionSpec::switch("forget", "Forget the observed tools of this project, and read no input"))
            .option(OptionSpec::help("Show this help"))
            .note("Reads one message per line from standard input and writes it unchanged to standard output. The tools are listed and found as `observed/…`.")
            .example("claude -p 'What is new?' --output-format stream-json --verbose | toolscout observe")
            .example("toolscout observe --server rube < messages.jsonl > /dev/null")
    }

    fn run<'a>(&'a self, cx: &'a RunCx) -> BoxFuture<'a, Result<Exit, AppError>> {
        Box::pin(async {
            let server = cx.parsed.text("server").map(str::to_owned);
            if server.as_deref().is_some_and(|server| SeenTool::new(Some(server), "tool").is_none())
            {
                let message = "--server must be a name of at most 128 bytes without `/`";
                return Err(AppError::invalid(message, "toolscout observe --server rube"));
            }
            let observed = observed(cx.environment(), &cx.workspace().config());
            if cx.parsed.switch("forget") {
                if !cx.only_would("forget the observed tools") {
                    observed.clear().map_err(store_failed)?;
                }
                return Ok(Exit::Done);
            }
            let environment = cx.workspace().environment.clone();
            // On its own thread, so that an interrupt is handled.
            let passed =
                tokio::task::spawn_blocking(move || forward(&environment, server.as_deref())).await;
            let seen = passed.unwrap_or_else(|error| Err(read_failed(io::Error::other(error))))?;
            register(seen, &observed, &cx.request())?;
            Ok(Exit::Done)
        })
    }
}

fn observed(environment: &Environment, config: &Config) -> Observed {
    Observed::new(environment.store(), config.partition())
}

/// Copies standard input to standard output. A reader that closes the pipe ends it, as with `cat`.
fn forward(environment: &Environment, server: Option<&str>) -> Result<Vec<SeenTool>, AppError> {
    let mut observer = TranscriptObserver::new(server);
    let input = input().map_err(read_failed)?;
    environment.write(|out| observer.forward(input, out))?;
    Ok(observer.finish())
}

/// The raw file descriptor: the buffer of the standard library would add a copy.
#[cfg(unix)]
fn input() -> io::Result<std::fs::File> {
    use std::os::fd::AsFd;
    io::stdin().as_fd().try_clone_to_owned().map(std::fs::File::from)
}

#[cfg(not(unix))]
fn input() -> io::Result<io::Stdin> {
    Ok(io::stdin())
}

/// Records the observed tools and emits an event; does nothing if there are none.
fn register(seen: Vec<SeenTool>, observed: &Observed, cx: &Cx) -> Result<(), AppError> {
    let tools: Vec<_> = seen.into_iter().filter_map(harmless).collect();
    if tools.is_empty() {
        return Ok(());
    }
    observed.add(&tools).map_err(store_failed)?;
    let mut by_server: BTreeMap<&str, usize> = BTreeMap::new();
    for tool in &tools {
        *by_server.entry(tool.server.as_deref().unwrap_or("observed")).or_default() += 1;
    }
    let servers: Value = by_server.keys().copied().collect();
    tracing::info!(event = "tools_registered", count = tools.len(), servers = %servers, byServer = %json!(by_server));
    if let Ok(source) = SourceId::new("observed") {
        let names = || {
            tools
                .iter()
                .filter_map(|tool| tool.tool_name())
                .map(|tool_name| tool_name.to_string())
                .collect()
        };
        let what = || DiscoveryEvent {
            source,
            names: names(),
            was_uncached: true,
            changed: true,
            error: None,
        };
        cx.emit(|| EventKind::Discovery(what()));
    }
    Ok(())
}

/// The tool without unreviewed instructions: the stream is not reviewed, so a description with
/// severe findings is dropped, and so is a tool whose name has them.
fn harmless(seen: SeenTool) -> Option<SeenTool> {
    let is_severe = |seen_tool: &SeenTool| {
        let (Ok(source), Some(name)) = (SourceId::new("observed"), seen_tool.tool_name()) else {
            return true;
        };
        let mut tool = Tool::new(ToolId::new(source, name));
        tool.description = Some(seen_tool.description.clone());
        tool.input_schema = seen_tool.input_schema.clone();
        findings::is_severe(&findings::scan(&tool, &ToolNameIndex::default()))
    };
    if !is_severe(&seen) {
        return Some(seen);
    }
    Some(seen.without_details()).filter(|value| !is_severe(value))
}

fn read_failed(cause: io::Error) -> AppError {
    AppError::Io { action: "read standard input".to_owned(), cause }
}

fn store_failed(error: toolscout_core::StoreError) -> AppError {
    AppError::Message { kind: ErrorKind::Unavailable, message: error.to_string(), hint: None }
}
