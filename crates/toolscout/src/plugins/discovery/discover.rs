//! `discover`: looks at every source anew and says what it found.

use crate::plugins::registry::SavedTool;
use crate::{AppError, Command, RunCx};
use std::collections::BTreeMap;
use toolscout_core::{BoxFuture, DiagnosticLevel};
use toolscout_surface::cli::{CommandSpec, OptionSpec};
use toolscout_surface::codes::Exit;
use toolscout_surface::ops::list::counted;
use toolscout_surface::output::Format;
use toolscout_workspace::study_briefly;

pub(super) struct DiscoverCommand;

impl Command for DiscoverCommand {
    fn spec(&self) -> CommandSpec {
        CommandSpec::new("discover", "Look for tools, and say what was found")
            .option(OptionSpec::help("Show this help"))
            .note("With --json it prints everything that is known; --tools-from reads that back without looking again.")
            .example("toolscout discover")
            .example("toolscout discover --json > tools.json")
    }

    fn run<'a>(&'a self, cx: &'a RunCx) -> BoxFuture<'a, Result<Exit, AppError>> {
        Box::pin(async {
            let problems =
                cx.tools().discover(|_| ()).await?.iter().filter(|it| it.level == DiagnosticLevel::Warning).count();
            let snapshot = cx.tools().gateway().snapshot();
            study_briefly(cx.tools().gateway()).await;
            if cx.options().format() != Format::Text {
                let saved: Vec<_> = snapshot.tools().map(|it| SavedTool::from(it.as_ref())).collect();
                return cx.print_value(&saved, cx.options().format()).map(|()| Exit::Done);
            }
            let mut counts: BTreeMap<(&str, &str), usize> = BTreeMap::new();
            for tool in snapshot.tools() {
                *counts.entry((tool.id.source.as_str(), tool.status.word())).or_default() += 1;
            }
            let lines = counts.iter().map(|((source, status), count)| format!("{source}: {count} {status}\n"));
            cx.print(&lines.collect::<String>())?;
            cx.print(&format!("{}, {}\n", counted(snapshot.len(), "tool"), counted(problems, "problem")))?;
            Ok(Exit::Done)
        })
    }
}
