//! `server list`: which servers there are, and how they are.

use super::ServerSet;
use crate::config::Configured;
use crate::{AppError, Command, RunCx};
use serde::Deserialize;
use std::collections::HashMap;
use toolscout_core::{BoxFuture, Cx, Moment, RawJson, ToolName};
use toolscout_mcp_client::{KnownTools, McpSource, Server, ServerState, Staleness, ToolFilter};
use toolscout_source::layer::Filter;
use toolscout_surface::cli::{CommandSpec, OptionSpec, PositionalSpec};
use toolscout_surface::codes::Exit;
use toolscout_surface::ops::servers::{self, ServerView};
use toolscout_surface::output::Format;

/// `server` alone is `server list`; with a word it does not know, it says which there are.
pub(super) struct ServerCommand;

pub(super) struct ListCommand;

pub(super) const ACTIONS: [&str; 15] = [
    "add", "remove", "enable", "disable", "list", "show", "test", "refresh", "start", "stop", "restart", "logs",
    "login", "logout", "host",
];

impl Command for ServerCommand {
    fn spec(&self) -> CommandSpec {
        CommandSpec::new("server", "Add, show, test and steer MCP servers")
            .positional(PositionalSpec::new("ACTION", "What to do; `list` if left out").choices(ACTIONS))
            .option(OptionSpec::help("Show this help"))
            .note("`toolscout server ACTION --help` says more about each.")
            .example("toolscout server add files -- npx -y @modelcontextprotocol/server-filesystem .")
            .example("toolscout server list")
            .example("toolscout server refresh")
    }

    fn run<'a>(&'a self, cx: &'a RunCx) -> BoxFuture<'a, Result<Exit, AppError>> {
        Box::pin(list(cx))
    }
}

impl Command for ListCommand {
    fn spec(&self) -> CommandSpec {
        CommandSpec::new("server list", "Show all servers, and how they are")
            .option(OptionSpec::help("Show this help"))
            .note("Nothing is started for it: it shows what is remembered.")
            .example("toolscout server list --json")
    }

    fn run<'a>(&'a self, cx: &'a RunCx) -> BoxFuture<'a, Result<Exit, AppError>> {
        Box::pin(list(cx))
    }
}

async fn list(cx: &RunCx) -> Result<Exit, AppError> {
    let set = ServerSet::of(cx.options(), cx.surroundings())?;
    let hosted = match &set.control {
        Some(control) => control.states().await,
        None => HashMap::new(),
    };
    let mut views = Vec::new();
    for configured in &set.configured {
        let state = state_of(&set, configured, &cx.request())?;
        let mut view = view(configured, state.as_ref());
        if let Some(word) = hosted.get(view.id.as_str()) {
            view.state = word;
        }
        views.push(view);
    }
    match cx.options().format() {
        Format::Text if views.is_empty() => cx.say(
            "No servers yet.\n  hint: toolscout server add ID -- COMMAND, or take those of another program: toolscout import\n",
        ),
        Format::Text => cx.print(&servers::lines(&views, Moment::now()))?,
        format => cx.print_value(&views, format)?,
    }
    Ok(Exit::Done)
}

/// How a configured server is; none where nothing can be known of it.
pub(crate) fn state_of(set: &ServerSet, configured: &Configured, cx: &Cx) -> Result<Option<ServerState>, AppError> {
    let Some(shared) = &set.shared else { return Ok(None) };
    let running = set.sources.iter().find(|it| it.server().id == configured.server.id);
    let state = match running {
        Some(source) => source.state(cx)?,
        None => McpSource::new(configured.server.clone(), shared.clone()).state(cx)?,
    };
    Ok(Some(state))
}

/// As the list shows it.
pub(crate) fn view(configured: &Configured, state: Option<&ServerState>) -> ServerView {
    let server = &configured.server;
    let record = state.map(|it| &it.record);
    ServerView {
        id: server.id.to_string(),
        status: record.map_or("never", |it| it.status.word()),
        error: record.and_then(|it| it.error.clone()),
        stale: state.is_some_and(|it| it.staleness.is_some()),
        last_discovery: record.and_then(|it| it.last_discovery).map(|it| it.to_string()),
        tool_count: record.and_then(|it| it.tools.as_ref()).map_or(0, |it| usable(server, it)),
        state: match state {
            _ if !server.enabled => "disabled",
            Some(state) => state.state.word(),
            None => "configured",
        },
        transport: server.transport.word(),
        asked: record.and_then(|it| it.last_discovery),
        asks_each_time: state.is_some_and(asks_each_time),
    }
}

/// Whether its tools are stale for no other reason than that the server wants to be asked each time.
pub(super) fn asks_each_time(state: &ServerState) -> bool {
    let ttl = state.record.tools.as_ref().and_then(|it| it.ttl_ms);
    state.staleness == Some(Staleness::Old) && ttl == Some(0)
}

/// How many of its tools its entry does not filter out. What policies say of them is no matter of the server.
fn usable(server: &Server, known: &KnownTools) -> usize {
    #[derive(Deserialize)]
    struct Named {
        name: String,
    }
    if server.filter == ToolFilter::default() {
        return known.definitions.len();
    }
    let filter = Filter::patterns(server.filter.include.clone(), server.filter.exclude.clone());
    let is_usable = |raw: &&RawJson| {
        let name = serde_json::from_str::<Named>(raw.as_str()).ok().and_then(|it| ToolName::new(&it.name).ok());
        name.is_some_and(|it| filter.lets(&it))
    };
    known.definitions.iter().filter(is_usable).count()
}
