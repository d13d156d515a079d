//! `serve`: offers the tools of a project to agents, over MCP.

mod pipes;
mod startup;

use crate::config::Config;
use crate::plugins::servers::{ServerSet, keep};
use crate::{AppError, Command, Plugin, RunCx, Setup};
use std::time::Duration;
use toolscout_core::{BoxFuture, Caller, Cx, SourceId, Store};
use toolscout_surface::cli::{CommandSpec, OptionSpec};
use toolscout_surface::codes::Exit;
use toolscout_surface::mcp::{MetaTools, Remembered, Server, Terms, stdio};

/// How often to look for what nobody came back for.
const TIDY: Duration = Duration::from_secs(60);

/// Adds the command `serve`.
#[derive(Default)]
pub struct Serve;

impl Plugin for Serve {
    fn id(&self) -> &str {
        "serve"
    }

    fn requires(&self) -> Vec<&str> {
        vec!["discovery"]
    }

    fn wants(&self) -> Vec<&str> {
        vec!["servers", "review"]
    }

    fn setup<'a>(&'a self, cx: &'a mut Setup) -> BoxFuture<'a, Result<(), AppError>> {
        Box::pin(async { cx.add_command(ServeCommand) })
    }
}

struct ServeCommand;

impl Command for ServeCommand {
    fn spec(&self) -> CommandSpec {
        CommandSpec::new("serve", "Offer the tools to an agent, over MCP on standard input and output")
            .option(
                OptionSpec::text("meta-tools", "When tool_search and execute_tool are offered: auto, always or never")
                    .value("WHEN"),
            )
            .option(OptionSpec::switch("strict-hidden", "Run what is not listed by execute_tool only"))
            .option(OptionSpec::text("transparent", "Show this one server as if it was asked directly").value("SERVER"))
            .option(OptionSpec::help("Show this help"))
            .note("An agent sees `tool_search` and `execute_tool`, and what is listed besides. No server starts before one of its tools is called.")
            .example("toolscout serve")
    }

    fn run<'a>(&'a self, cx: &'a RunCx) -> BoxFuture<'a, Result<Exit, AppError>> {
        Box::pin(serve(cx))
    }
}

async fn serve(cx: &RunCx) -> Result<Exit, AppError> {
    let terms = terms(cx)?;
    if cx.only_would("offer the tools of this project on standard input and output") {
        return Ok(Exit::Done);
    }
    let set = ServerSet::of(cx.options(), cx.surroundings())?;
    cx.tools().known().await?;
    let names = Remembered::kept(cx.surroundings().store(), &set.partition);
    let server = Server::new(cx.tools().shared_gateway(), terms, names);
    let (input, output) = pipes::standard();
    let serving = stdio::serve(server.clone(), input, output, terminated());
    tokio::select! {
        ended = serving => ended.map_err(|cause| AppError::Io { what: "read standard input".to_owned(), cause })?,
        never = beside(cx, &set, &server) => match never {},
    }
    Ok(Exit::Done)
}

/// All that goes on beside the conversation; each part is polled only when it has something to do.
async fn beside(cx: &RunCx, set: &ServerSet, server: &Server) -> std::convert::Infallible {
    use futures_util::StreamExt;
    use futures_util::stream::FuturesUnordered;
    let request = cx.request();
    let parts: [BoxFuture<'_, ()>; 4] = [
        Box::pin(async {
            cx.tools().gateway().watch(&request).await;
        }),
        Box::pin(startup::discover(cx, set)),
        Box::pin(keep(cx, set)),
        Box::pin(async {
            loop {
                tokio::time::sleep(TIDY).await;
                server.tidy();
            }
        }),
    ];
    let mut parts: FuturesUnordered<_> = parts.into_iter().collect();
    while parts.next().await.is_some() {}
    std::future::pending().await
}

fn terms(cx: &RunCx) -> Result<Terms, AppError> {
    let config = Config::of(cx.options(), cx.surroundings())?;
    let store = cx.surroundings().store();
    // Without a key that survives, what clients carry for us is good for as long as this process is there.
    let key = store.key().or_else(|_| toolscout_core::MemoryStore::default().key());
    let key = key.map_err(|error| AppError::invalid(error.to_string(), "try again"))?;
    let mut terms =
        Terms::new("toolscout", env!("CARGO_PKG_VERSION"), blake3::derive_key("toolscout request state", &key));
    let word = cx.parsed.text("meta-tools").map(str::to_owned).or(config.settings.meta_tools.clone());
    if let Some(word) = word {
        terms.meta_tools = MetaTools::from_word(&word).ok_or_else(|| {
            AppError::invalid(format!("`{word}` is no way to offer tools"), "one of auto, always, never")
        })?;
    }
    terms.strict_hidden = cx.parsed.switch("strict-hidden");
    if let Some(id) = cx.parsed.text("transparent") {
        let set = ServerSet::of(cx.options(), cx.surroundings())?;
        set.source(id)?;
        terms.transparent = SourceId::new(id).ok();
    }
    terms.request = Cx { caller: Caller::Mcp, asker: None, ..cx.request() };
    Ok(terms)
}

/// Waits until we are told to end.
async fn terminated() {
    #[cfg(unix)]
    if let Ok(mut signal) = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate()) {
        signal.recv().await;
        return;
    }
    std::future::pending().await
}
