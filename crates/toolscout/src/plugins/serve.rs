//! `serve`: offers the tools of a project to agents, over MCP.

mod live;
mod mcp_servers;
mod pipes;
mod reload_requests;
mod settings;
mod startup;
mod stdio_sessions;
mod stopping;
mod web;

use crate::{AppError, Command, Plugin, RunCx, Setup};
use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use mcp_servers::{McpServers, Selection};
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;
use toolscout_core::BoxFuture;
use toolscout_core::event::Observer;
use toolscout_gateway::RankingProfile;
use toolscout_surface::cli::{CommandSpec, OptionSpec};
use toolscout_surface::codes::Exit;
use toolscout_surface::mcp::{Server, stdio};
use toolscout_workspace::EventBroadcast;
use toolscout_workspace::host::become_host;
use web::Web;

/// How often sessions without a client are removed.
const TIDY: Duration = Duration::from_secs(60);

/// Adds the command `serve`.
///
/// It serves all registered sources. With `Discovery` it follows the configuration, with `Servers`
/// the configured servers, and with `Review` the policies.
#[derive(Default)]
pub struct Serve;

impl Plugin for Serve {
    fn id(&self) -> &str {
        "serve"
    }

    fn wants(&self) -> Vec<&str> {
        vec!["discovery", "servers", "review"]
    }

    fn setup(&self, cx: &mut Setup) -> Result<(), AppError> {
        let events = EventBroadcast::default();
        cx.parts.events = Some(events.clone());
        cx.add_observer(|startup| {
            Ok(startup.options.command.serves.then(|| Arc::new(events) as Arc<dyn Observer>))
        });
        cx.add_command(ServeCommand)
    }
}

struct ServeCommand;

impl Command for ServeCommand {
    fn spec(&self) -> CommandSpec {
        CommandSpec::new("serve", "Serve the tools to agents over MCP")
            .option(OptionSpec::text("http", "Listen on this address instead of standard input and output").value("ADDR"))
            .option(
                OptionSpec::text("auth", "Authentication: token, none or jwt")
                    .value("HOW")
                    .choices(["token", "none", "jwt"]),
            )
            .option(OptionSpec::text("issuer", "URL of the issuer of the tokens, for --auth jwt").value("URL"))
            .option(OptionSpec::text("audience", "Public URL of this server, for --auth jwt").value("URL"))
            .option(OptionSpec::text("allow-host", "Additional allowed host name of this machine").value("HOST").repeat())
            .option(OptionSpec::text("allow-origin", "Additional allowed Origin").value("ORIGIN").repeat())
            .option(OptionSpec::text("profile", "Offer what this profile says, and nothing else").value("NAME"))
            .option(
                OptionSpec::text("meta-tools", "When to offer tool_search and execute_tool")
                    .value("WHEN")
                    .choices(["auto", "always", "never"]),
            )
            .option(
                OptionSpec::text("ranking", "Ranking profile of tool_search")
                    .value("HOW")
                    .choices(RankingProfile::ALL.iter().map(ToString::to_string)),
            )
            .option(OptionSpec::switch("strict-hidden", "Run unlisted tools through execute_tool only"))
            .option(OptionSpec::text("transparent", "Serve this one server as if the client were connected to it directly").value("SERVER"))
            .option(OptionSpec::help("Show this help"))
            .note("An agent sees `tool_search`, `execute_tool` and listed tools. No server starts before one of its tools is called.")
            .example("toolscout serve")
            .example("toolscout serve --profile work")
            .example("toolscout serve --http 127.0.0.1:7420")
    }

    fn run<'a>(&'a self, cx: &'a RunCx) -> BoxFuture<'a, Result<Exit, AppError>> {
        Box::pin(async { serve(cx, Web::of(cx)?).await })
    }
}

/// Serves the UI, and agents as well. Without `insists`, any other port may be used.
pub(crate) async fn page(cx: &RunCx, port: u16, insists: bool) -> Result<Exit, AppError> {
    serve(cx, Some(Web::of_page(port, insists))).await
}

async fn serve(cx: &RunCx, web: Option<Web>) -> Result<Exit, AppError> {
    let mcp = Arc::new(McpServers::new(cx, Selection::of(cx, web.is_some()))?);
    let place =
        web.as_ref().map_or("standard input and output".to_owned(), |it| it.addr().to_string());
    if cx.only_would(&format!("offer the tools of this project on {place}")) {
        return Ok(Exit::Done);
    }
    cx.workspace().keep_writing_journal();
    cx.workspace().set_served(mcp.served_gateway());
    // Weak, to avoid a cycle: the servers hold the operations, and those hold the workspace, which
    // is flushed when it is dropped.
    let servers = Arc::downgrade(&mcp);
    cx.workspace().set_reloader(Box::new(move || {
        let servers = servers.upgrade();
        Box::pin(async move {
            match servers {
                Some(servers) => servers.reload().await,
                None => Ok(()),
            }
        })
    }));
    // Each process runs its own servers, so that one agent's effects on a server do not reach
    // another agent.
    cx.workspace().configured_servers().iter().for_each(|it| it.run_here());
    cx.tools().known().await?;
    cx.environment().drain_when_interrupted();
    let serving: BoxFuture<'_, Result<(), AppError>> = match &web {
        Some(web) => {
            let listener = web.bind(cx, &projects).await?;
            Box::pin(async {
                web::serve(listener, &projects).await;
                Ok(())
            })
        }
        None => Box::pin(over_pipes(cx, mcp.server(None))),
    };
    tokio::select! {
        ended = serving => ended?,
        never = beside(cx, &mcp) => match never {},
    }
    Ok(Exit::Done)
}

async fn over_pipes(cx: &RunCx, server: Option<Arc<Server>>) -> Result<(), AppError> {
    let Some(server) = server else { return Ok(()) };
    let (input, output) = pipes::standard();
    let mut record = None;
    let begun = |session| record = stdio_sessions::record(cx, &session);
    let ended = stdio::serve(server, input, output, stopping::stop_requested(), begun).await;
    drop(record);
    ended.map_err(|cause| AppError::Io { action: "read standard input".to_owned(), cause })
}

/// The background work of a process that serves; each part is polled only when it has something to
/// do.
async fn beside(cx: &RunCx, mcp: &McpServers) -> Infallible {
    let (request, operations) = (cx.request(), cx.operations());
    let mut parts: FuturesUnordered<BoxFuture<'_, ()>> = FuturesUnordered::new();
    parts.push(Box::pin(async {
        mcp.gateway().watch(&request).await;
    }));
    parts.push(Box::pin(async {
        mcp.gateway().embed_in_background().await;
    }));
    parts.push(Box::pin(tidy(mcp)));
    if cx.workspace().parts.configuration {
        parts.push(Box::pin(async {
            live::follow(cx, mcp, mark).await;
        }));
    }
    if cx.workspace().configured_servers().is_some() {
        parts.push(Box::pin(become_host(cx.workspace(), &operations)));
    }
    while parts.next().await.is_some() {}
    std::future::pending().await
}

async fn tidy(mcp: &McpServers) {
    loop {
        tokio::time::sleep(TIDY).await;
        mcp.all().iter().for_each(|item| item.remove_expired());
    }
}
