//! `server host`: runs the servers of a project for other commands, until it is interrupted.

use crate::{AppError, Command, RunCx};
use futures_util::stream::select_all;
use toolscout_core::{BoxFuture, Source};
use toolscout_surface::cli::{CommandSpec, OptionSpec};
use toolscout_surface::codes::Exit;
use toolscout_surface::operation::UnavailableServers;
use toolscout_workspace::CommandTraits;
use toolscout_workspace::host::HostListener;

pub(super) struct HostCommand;

impl Command for HostCommand {
    fn spec(&self) -> CommandSpec {
        CommandSpec::new("server host", "Host this project's servers for other commands, until interrupted")
            .option(OptionSpec::help("Show this help"))
            .note("A server starts when it is first called, and stays for the next call. `toolscout run` uses the servers of this process.")
            .example("toolscout server host &")
    }

    fn traits(&self) -> CommandTraits {
        CommandTraits {
            runs_servers: true,
            unavailable_servers: UnavailableServers::Warn,
            ..CommandTraits::default()
        }
    }

    fn run<'a>(&'a self, cx: &'a RunCx) -> BoxFuture<'a, Result<Exit, AppError>> {
        Box::pin(async {
            let place = cx.workspace().config();
            if cx.only_would(&format!("host the servers of {}", place.project_folder().display())) {
                return Ok(Exit::Done);
            }
            let listener = HostListener::bind(cx.environment(), place.project_folder())?;
            cx.workspace().start_journal_writer();
            let set = cx.workspace().servers();
            cx.tools().discovered_gateway().await?;
            cx.say("Hosting the servers of this project. Press Ctrl-C to stop.\n");
            let changes = select_all(set.sources.iter().map(|source| source.changes()));
            let operations = cx.operations();
            tokio::select! {
                ended = listener.serve(cx.workspace(), &operations, Box::pin(changes)) => match ended? {},
                never = cx.tools().gateway().embed_in_background() => match never {},
            }
        })
    }
}
