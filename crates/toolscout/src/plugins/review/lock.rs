//! `lock` and `verify`: writes down which definitions a project was made with, and compares.

use crate::config::edit::overwrite;
use crate::plugins::discovery::Place;
use crate::plugins::servers::ServerSet;
use crate::{AppError, Command, RunCx};
use std::path::PathBuf;
use toolscout_core::{BoxFuture, SourceId, escape};
use toolscout_gateway::pins::{Drift, Lock};
use toolscout_source::mcp::entry_of;
use toolscout_surface::cli::{CommandSpec, OptionSpec};
use toolscout_surface::codes::Exit;
use toolscout_surface::ops::list::counted;

pub(super) struct LockCommand;
pub(super) struct VerifyCommand;

const FILE: &str = "toolscout.lock";

impl Command for LockCommand {
    fn spec(&self) -> CommandSpec {
        CommandSpec::new("lock", "Write down all definitions, to commit and to compare with")
            .option(OptionSpec::help("Show this help"))
            .note("Writes `toolscout.lock` in the project's root: one line a tool, sorted.")
            .example("toolscout lock")
    }

    fn run<'a>(&'a self, cx: &'a RunCx) -> BoxFuture<'a, Result<Exit, AppError>> {
        Box::pin(async {
            let gateway = cx.tools().known_quietly().await?;
            let set = ServerSet::of(cx.options(), cx.surroundings())?;
            let lock = Lock::of(&gateway.whole_snapshot(), |it| entry(&set, it));
            if cx.options().switch("dry-run") {
                return cx.print(&lock.to_text()).map(|()| Exit::Done);
            }
            let file = file(cx)?;
            overwrite(&file, &lock.to_text())?;
            cx.say(&format!("Wrote {} to {}\n", counted(lock.tools.len(), "tool"), file.display()));
            Ok(Exit::Done)
        })
    }
}

impl Command for VerifyCommand {
    fn spec(&self) -> CommandSpec {
        CommandSpec::new("verify", "Compare all definitions with `toolscout.lock`")
            .option(OptionSpec::help("Show this help"))
            .note("Exits with 1 if anything differs. Compares what is remembered: `toolscout server refresh` first asks the servers.")
            .example("toolscout server refresh && toolscout verify")
    }

    fn run<'a>(&'a self, cx: &'a RunCx) -> BoxFuture<'a, Result<Exit, AppError>> {
        Box::pin(async {
            let file = file(cx)?;
            let text = std::fs::read_to_string(&file).map_err(|cause| AppError::Said {
                kind: toolscout_core::ErrorKind::NotFound,
                message: format!("could not read `{}`: {cause}", file.display()),
                hint: Some("`toolscout lock` writes it".to_owned()),
            })?;
            let lock = Lock::parse(&text)
                .map_err(|it| AppError::invalid(format!("`{}`: {it}", file.display()), "toolscout lock"))?;
            let gateway = cx.tools().known_quietly().await?;
            let set = ServerSet::of(cx.options(), cx.surroundings())?;
            let drifts = lock.verify(&gateway.whole_snapshot(), |it| entry(&set, it));
            if drifts.is_empty() {
                cx.say(&format!("{} as locked\n", counted(lock.tools.len(), "tool")));
                return Ok(Exit::Done);
            }
            cx.print(&drifts.iter().map(line).collect::<String>())?;
            cx.say("  hint: look at them, then write the lock anew: toolscout lock\n");
            Ok(Exit::Failed)
        })
    }
}

fn line(drift: &Drift) -> String {
    let (word, what) = match drift {
        Drift::Added { tool } => ("added", tool.to_string()),
        Drift::Removed { tool } => ("removed", tool.to_string()),
        Drift::Changed { tool, .. } => ("changed", tool.to_string()),
        Drift::Reconfigured { source } => ("reconfigured", source.to_string()),
        _ => ("different", String::new()),
    };
    format!("{word}: {}\n", escape::line(&what))
}

fn entry(set: &ServerSet, source: &SourceId) -> Option<String> {
    set.configured.iter().find(|it| it.server.id == *source).map(|it| entry_of(&it.server))
}

fn file(cx: &RunCx) -> Result<PathBuf, AppError> {
    Ok(Place::of(cx.options(), cx.surroundings())?.project().join(FILE))
}
