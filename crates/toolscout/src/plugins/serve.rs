//! `serve`: offers the tools of a project to agents, over MCP.

mod fleet_listener;
mod live;
mod mcp_servers;
mod pipes;
mod placed_calls;
mod projects;
mod reload_requests;
mod replicas;
mod seen_files;
mod settings;
mod shared_decisions;
mod startup;
mod stdio_log;
mod stdio_sessions;
mod stopping;
mod web;

use crate::{AppError, Command, Plugin, RunCx, Setup};
use fleet_listener::FleetNode;
use futures_util::StreamExt;
use futures_util::future::join_all;
use futures_util::stream::FuturesUnordered;
use mcp_servers::McpServers;
use projects::Project;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;
use toolscout_core::event::Observer;
use toolscout_core::{BoxFuture, ErrorKind};
use toolscout_fleet::FleetError;
use toolscout_gateway::{LoadingMark, RankingProfile};
use toolscout_surface::cli::{CommandSpec, OptionSpec, PositionalSpec};
use toolscout_surface::codes::Exit;
use toolscout_surface::http;
use toolscout_surface::mcp::{Server, stdio};
use toolscout_workspace::host::become_host;
use toolscout_workspace::{CommandTraits, EventBroadcast};
use web::Web;

/// How often what belongs to clients that are gone is removed.
const TIDY: Duration = Duration::from_secs(5);

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
        cx.parts.page_links = cx.once_per_process();
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
            .option(OptionSpec::text("projects", "Serve these projects as well, each at its own path").value("DIR").repeat())
            .option(OptionSpec::text("profile", "Offer only the tools of this profile").value("NAME"))
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
            .option(OptionSpec::switch("silent", "Print nothing to standard error, except an error that ends the program"))
            .option(OptionSpec::switch("log-stdio", "Log the messages over standard input and output to standard error, with secrets redacted").conflicts("http"))
            .option(OptionSpec::text("log-stdio-to", "Log these messages to this file").value("FILE").conflicts("http"))
            .option(OptionSpec::help("Show this help"))
            .note("An agent sees `tool_search`, `execute_tool` and listed tools. No server starts before one of its tools is called.")
            .positional(PositionalSpec::new("DIR", "More projects, after --projects").many())
            .example("toolscout serve")
            .example("toolscout serve --profile work")
            .example("toolscout serve --http 127.0.0.1:7420")
            .example("toolscout serve --http 127.0.0.1:7420 --projects ../shop ../blog")
    }

    fn traits(&self) -> CommandTraits {
        CommandTraits::serving()
    }

    fn run<'a>(&'a self, cx: &'a RunCx) -> BoxFuture<'a, Result<Exit, AppError>> {
        Box::pin(async {
            if cx.parsed.switch("silent") {
                cx.environment().silence();
            }
            serve(cx, Web::of(cx)?).await
        })
    }
}

/// Serves the UI, and agents as well. If the port is not fixed, any other one may be used.
pub(crate) async fn serve_ui(cx: &RunCx, port: u16, is_fixed: bool) -> Result<Exit, AppError> {
    serve(cx, Some(Web::of_ui(port, is_fixed))).await
}

async fn serve(cx: &RunCx, web: Option<Web>) -> Result<Exit, AppError> {
    let mut projects = projects::open(cx, web.is_some())?;
    let place =
        web.as_ref().map_or("standard input and output".to_owned(), |web| web.addr().to_string());
    let what = match projects.len() {
        1 => "this project".to_owned(),
        several => format!("{several} projects"),
    };
    if cx.only_would(&format!("serve the tools of {what} on {place}")) {
        return Ok(Exit::Done);
    }
    let mut marks = Vec::new();
    let mut started = Vec::new();
    for (index, project) in projects.into_iter().enumerate() {
        match project.start().await {
            Ok(mark) => {
                marks.push(mark);
                started.push(project);
            }
            Err(error) if index == 0 => return Err(error),
            // The other projects are served without it.
            Err(error) => projects::skipped(cx, &project.folder(), &error.to_string()),
        }
    }
    projects = started;
    cx.environment().drain_when_interrupted();
    let fleet = match cx.environment().fleet() {
        None => None,
        Some(Ok(fleet)) => Some(fleet.clone()),
        Some(Err(error)) => return Err(fleet_failure(error)),
    };
    let serving: BoxFuture<'_, Result<(), AppError>> = match &web {
        Some(web) => {
            let listener = web.bind(cx, &projects).await?;
            let node = match &fleet {
                Some(fleet) => {
                    let (fleet, limits) = (fleet.clone(), listener.limits());
                    Some(FleetNode::open(cx, fleet, limits, web.is_for_agents()).await?)
                }
                None => None,
            };
            Box::pin(async {
                web::serve(listener, &projects, node).await;
                Ok(())
            })
        }
        None => Box::pin(over_pipes(cx, projects[0].mcp.server(None))),
    };
    let background = join_all(
        projects
            .iter()
            .zip(marks)
            .map(|(project, mark)| run_background_work(&project.cx, &project.mcp, mark)),
    );
    let ended = tokio::select! {
        ended = serving => ended,
        _ = background => Ok(()),
    };
    join_all(projects.iter().map(Project::close)).await;
    if let Some(fleet) = &fleet {
        fleet.leave();
    }
    ended.map(|()| Exit::Done)
}

/// A replica that cannot use the fleet's state must not serve without it.
fn fleet_failure(error: &FleetError) -> AppError {
    AppError::unavailable(error.to_string(), error.hint().unwrap_or("toolscout fleet status"))
}

fn listener_error(error: http::Error) -> AppError {
    let kind = match error {
        http::Error::Bind { .. } => ErrorKind::Unavailable,
        _ => ErrorKind::Invalid,
    };
    AppError::Message { kind, message: error.to_string(), hint: None }
}

async fn over_pipes(cx: &RunCx, server: Option<Arc<Server>>) -> Result<(), AppError> {
    let Some(server) = server else { return Ok(()) };
    let (input, output) = pipes::standard();
    let (input, output) = stdio_log::logged(cx, input, output)?;
    let mut record = None;
    let begun = |session| record = stdio_sessions::record(cx, &session);
    let ended = stdio::serve(server, input, output, stopping::stop_requested(), begun).await;
    drop(record);
    ended.map_err(|cause| AppError::Io { action: "read standard input".to_owned(), cause })
}

/// The background work of a process that serves; each part is polled only when it has something to
/// do.
async fn run_background_work(cx: &RunCx, mcp: &McpServers, mark: LoadingMark) -> Infallible {
    let (request, operations) = (cx.request(), cx.operations());
    let mut parts: FuturesUnordered<BoxFuture<'_, ()>> = FuturesUnordered::new();
    parts.push(Box::pin(async {
        mcp.gateway().watch(&request).await;
    }));
    parts.push(Box::pin(async {
        mcp.gateway().embed_in_background().await;
    }));
    parts.push(Box::pin(tidy(mcp)));
    parts.push(Box::pin(async {
        shared_decisions::follow(cx, mcp).await;
    }));
    if let Some(journal) = &cx.workspace().parts.journal {
        parts.push(Box::pin(journal.ship_in_background(cx.environment())));
    }
    parts.push(Box::pin(async {
        let workspace = cx.workspace();
        workspace.registrations.follow(mcp.gateway(), || workspace.servers()).await;
    }));
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
        for server in mcp.all() {
            server.remove_expired();
            server.end_subscriptions().await;
        }
    }
}
