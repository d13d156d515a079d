//! `trust`: says that a folder's tools may be started for agents, and asked what they are.

use crate::{AppError, Command, RunCx};
use std::path::PathBuf;
use toolscout_core::BoxFuture;
use toolscout_surface::cli::{CommandSpec, OptionSpec, PositionalSpec};
use toolscout_surface::codes::Exit;
use toolscout_workspace::Trust;

pub(super) struct TrustCommand;

impl Command for TrustCommand {
    fn spec(&self) -> CommandSpec {
        CommandSpec::new("trust", "Trust a project's folder, so that its tools may be started")
            .positional(PositionalSpec::new("DIR", "The folder; the project's root if left out"))
            .option(OptionSpec::switch("list", "Show the trusted folders"))
            .option(OptionSpec::switch("remove", "Trust the folder no longer"))
            .option(OptionSpec::help("Show this help"))
            .note("Until then a folder's files are read and never started, unless you run a tool yourself.")
            .example("toolscout trust")
            .example("toolscout trust --list")
    }

    fn run<'a>(&'a self, cx: &'a RunCx) -> BoxFuture<'a, Result<Exit, AppError>> {
        Box::pin(async {
            let trust = Trust::new(cx.environment(), cx.options()).folders;
            if cx.parsed.switch("list") {
                let lines =
                    trust.list().map_err(AppError::not_stored)?.into_iter().map(|it| format!("{}\n", it.display()));
                return cx.print(&lines.collect::<String>()).map(|()| Exit::Done);
            }
            let folder = folder(cx)?;
            let shown = folder.display();
            if cx.parsed.switch("remove") {
                if cx.only_would(&format!("no longer trust {shown}")) {
                    return Ok(Exit::Done);
                }
                let was = trust.remove(&folder).map_err(AppError::not_stored)?;
                cx.request().decided("trust", &shown, "removed");
                let said =
                    if was { format!("No longer trusted: {shown}\n") } else { format!("Was not trusted: {shown}\n") };
                cx.say(&said);
                return Ok(Exit::Done);
            }
            if !folder.is_dir() {
                return Err(AppError::invalid(format!("`{shown}` is not a folder"), "toolscout trust DIR"));
            }
            if cx.only_would(&format!("trust {shown}")) {
                return Ok(Exit::Done);
            }
            let real = trust.add(&folder).map_err(AppError::not_stored)?;
            cx.request().decided("trust", real.display(), "added");
            cx.say(&format!("Trusted: {}\n", real.display()));
            Ok(Exit::Done)
        })
    }
}

fn folder(cx: &RunCx) -> Result<PathBuf, AppError> {
    let place = cx.workspace().config();
    Ok(match cx.parsed.positionals.first() {
        Some(given) => cx.environment().cwd().join(given),
        None => place.project_folder().to_owned(),
    })
}
