//! `review`: shows the definitions that wait for a person, and accepts all of a source's.

use super::page::{self, HeldView};
use crate::{AppError, Command, RunCx};
use toolscout_core::{BoxFuture, SourceId};
use toolscout_surface::cli::{CommandSpec, OptionSpec, PositionalSpec};
use toolscout_surface::codes::Exit;
use toolscout_surface::ops::list::counted;
use toolscout_surface::output::Format;

pub(super) struct ReviewCommand;

impl Command for ReviewCommand {
    fn spec(&self) -> CommandSpec {
        CommandSpec::new("review", "Show tools that are held until a person has looked at them")
            .positional(PositionalSpec::new("NAME", "Only this source, or this tool"))
            .option(OptionSpec::text("accept", "Approve all that this source has now").value("SOURCE"))
            .option(OptionSpec::help("Show this help"))
            .note("A tool is held when its definition has changed, when its text looks as if it were meant to instruct a model, or when nobody has approved its source.")
            .example("toolscout review")
            .example("toolscout review --accept github")
    }

    fn run<'a>(&'a self, cx: &'a RunCx) -> BoxFuture<'a, Result<Exit, AppError>> {
        Box::pin(async {
            let gateway = cx.tools().known_quietly().await?;
            if let Some(source) = cx.parsed.text("accept") {
                let source =
                    SourceId::new(source).map_err(|it| AppError::invalid(it.to_string(), "toolscout server list"))?;
                let released = gateway.accept_all(&source)?;
                cx.say(&format!("Approved {} of {source}\n", counted(released, "tool")));
                return Ok(Exit::Done);
            }
            let wanted = cx.parsed.positionals.first();
            let is_wanted = |id: String, source: &str| wanted.is_none_or(|it| *it == id || it == source);
            let mut held = gateway.held();
            held.retain(|it| is_wanted(it.id.to_string(), it.id.source.as_str()));
            match cx.options().format() {
                Format::Text if held.is_empty() => cx.say("Nothing is held.\n"),
                Format::Text => {
                    cx.print(&held.iter().map(page::held).collect::<Vec<_>>().join("\n"))?;
                    cx.say("\n  hint: toolscout approve TOOL, toolscout reject TOOL, or toolscout review --accept SOURCE\n");
                }
                format => cx.print_value(&held.iter().map(HeldView::from).collect::<Vec<_>>(), format)?,
            }
            Ok(Exit::Done)
        })
    }
}
