//! What a bare `toolscout` shows: what there is, what is wrong, and what to type next.

use crate::plugins::discovery::Place;
use crate::{AppError, Command, RunCx};
use toolscout_core::{BoxFuture, Level, escape};
use toolscout_gateway::Snapshot;
use toolscout_source::folder::DefaultRoot;
use toolscout_surface::cli::{CommandSpec, OptionSpec};
use toolscout_surface::codes::Exit;
use toolscout_surface::ops::list::{self, counted};

pub(super) struct Overview;

/// More than a screenful helps nobody.
const SHOWN: usize = 20;

impl Command for Overview {
    fn spec(&self) -> CommandSpec {
        CommandSpec::new("overview", "Show what there is, what is wrong, and what to type next")
            .option(OptionSpec::help("Show this help"))
    }

    fn is_hidden(&self) -> bool {
        true
    }

    fn run<'a>(&'a self, cx: &'a RunCx) -> BoxFuture<'a, Result<Exit, AppError>> {
        Box::pin(async {
            let problems = cx.tools().discover(|_| ()).await?.iter().filter(|it| it.level == Level::Warning).count();
            let snapshot = cx.tools().gateway().snapshot();
            let text = if snapshot.is_empty() { nothing(cx)? } else { page(&snapshot, problems, cx.program()) };
            cx.print(&text).map(|()| Exit::Done)
        })
    }
}

/// What to do first. Where there is no project, a file in `tools/` alone would not be found.
fn nothing(cx: &RunCx) -> Result<String, AppError> {
    let program = cx.program();
    let mut text = "No tools yet.\n\n".to_owned();
    if Place::of(cx.options(), cx.surroundings())?.root.is_none() {
        let markers = DefaultRoot::MARKERS.join(", ");
        text += &format!(
            "This is no project: no folder from here upward holds one of {markers}.\nMake it one:\n  touch toolscout.toml\n\n"
        );
    }
    Ok(text
        + &format!("Put a script or a `*.tool.toml` into `tools/`, then try:\n  {program} tools\n  {program} doctor\n"))
}

fn page(snapshot: &Snapshot, problems: usize, program: &str) -> String {
    let mut text = String::new();
    for (source, _) in snapshot.sources() {
        let tools: Vec<_> = snapshot.tools().filter(|it| it.id.source == *source).collect();
        if tools.is_empty() {
            continue;
        }
        text += &format!("{source} ({})\n", counted(tools.len(), "tool"));
        for tool in tools.iter().take(SHOWN) {
            text += &format!("  {:<20} {}\n", escape::line(tool.id.name.as_str()), list::about(tool));
        }
        if tools.len() > SHOWN {
            text += &format!("  … and {} more: {program} tools\n", tools.len() - SHOWN);
        }
    }
    if problems > 0 {
        text += &format!("\n{}: {program} doctor\n", counted(problems, "problem"));
    }
    text + &format!("\nNext:\n  {program} TOOL --help\n  {program} search WORDS\n  {program} --help\n")
}
