//! `server show`: all there is to know about one server.

use super::ServerSet;
use super::list::{asks_each_time, state_of, view};
use crate::{AppError, Command, RunCx};
use toolscout_core::door::Policy;
use toolscout_core::{BoxFuture, redact};
use toolscout_mcp_client::{Program, Server, ServerState, Staleness, Transport};
use toolscout_surface::cli::{CommandSpec, OptionSpec, PositionalSpec};
use toolscout_surface::codes::Exit;
use toolscout_surface::ops::servers::{self, CatalogEntry, ServerDetail};
use toolscout_surface::output::Format;

pub(super) struct ShowCommand;

impl Command for ShowCommand {
    fn spec(&self) -> CommandSpec {
        CommandSpec::new("server show", "Show all that is known about a server")
            .positional(PositionalSpec::new("ID", "Which server").required())
            .option(OptionSpec::help("Show this help"))
            .example("toolscout server show files --json")
    }

    fn run<'a>(&'a self, cx: &'a RunCx) -> BoxFuture<'a, Result<Exit, AppError>> {
        Box::pin(async {
            let set = ServerSet::of(cx.options(), cx.surroundings())?;
            let configured = set.find(&cx.parsed.positionals[0])?;
            let state = state_of(&set, configured, &cx.request())?;
            let server = &configured.server;
            let view = view(configured, state.as_ref());
            let gateway = cx.tools().known_quietly().await?;
            let snapshot = gateway.snapshot();
            let own = snapshot.tools().filter(|it| it.id.source == server.id);
            let policy = |name: &str| server.policies.get(name).or(server.policies.get("*")).copied().map(Policy::word);
            let tools = own.map(|it| CatalogEntry::new(it, view.status, policy(it.id.name.as_str()))).collect();
            let known = state.as_ref().and_then(|it| it.record.tools.as_ref());
            let detail = ServerDetail {
                runs: runs(server),
                configured_in: Some(configured.file.display().to_string()),
                since: state.as_ref().and_then(|it| it.since).map(|it| it.to_string()),
                stale_because: state.as_ref().and_then(because),
                protocol: known.map(|it| it.era.version().to_owned()),
                process: state.as_ref().and_then(|it| it.process),
                excluded: known.map_or_else(Vec::new, |it| it.excluded.clone()),
                tools,
                view,
            };
            match cx.options().format() {
                Format::Text => cx.print(&servers::page(&detail))?,
                format => cx.print_value(&detail, format)?,
            }
            Ok(Exit::Done)
        })
    }
}

/// What is run or reached: references as written, and nothing that looks like a secret somebody wrote there.
fn runs(server: &Server) -> String {
    let written = match &server.transport {
        Transport::Stdio(Program { command, args, .. }) => {
            let words = std::iter::once(command).chain(args).map(|it| it.written());
            words.collect::<Vec<_>>().join(" ")
        }
        Transport::Http(endpoint) => match endpoint.url.written().split_once('?') {
            Some((place, _)) => format!("{place}?{}", redact::REDACTED),
            None => endpoint.url.written().to_owned(),
        },
    };
    redact::text(&written)
}

fn because(state: &ServerState) -> Option<&'static str> {
    Some(match state.staleness? {
        Staleness::Old if asks_each_time(state) => "it wants to be asked before each use",
        Staleness::Reconfigured => "it is configured differently since",
        Staleness::Failed => "the last discovery failed",
        Staleness::Vanished => "it suddenly listed no tools",
        Staleness::Old => "its list is older than it is good for",
    })
}
