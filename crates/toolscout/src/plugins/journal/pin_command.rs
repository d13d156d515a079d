//! `suggest pins`: which tools agents would better see without searching.

use super::{Journal, flush};
use crate::{AppError, Command, RunCx};
use toolscout_core::BoxFuture;
use toolscout_surface::cli::{CommandSpec, OptionSpec, PositionalSpec};
use toolscout_surface::codes::Exit;
use toolscout_surface::ops::stats as text;
use toolscout_surface::output::Format;

pub(super) struct SuggestCommand;
pub(super) struct PinsCommand;

impl Command for SuggestCommand {
    fn spec(&self) -> CommandSpec {
        CommandSpec::new("suggest", "Say what would save tokens, by what has happened")
            .positional(PositionalSpec::new("SUBJECT", "What to say something about").choices(["pins"]))
            .option(OptionSpec::help("Show this help"))
            .note("`toolscout suggest SUBJECT --help` says more about each.")
            .example("toolscout suggest pins")
    }

    fn run<'a>(&'a self, cx: &'a RunCx) -> BoxFuture<'a, Result<Exit, AppError>> {
        Box::pin(async {
            cx.print_help(self.spec())?;
            Ok(Exit::Done)
        })
    }
}

impl Command for PinsCommand {
    fn spec(&self) -> CommandSpec {
        CommandSpec::new("suggest pins", "Say which tools agents would better see without searching")
            .option(OptionSpec::text("since", "Only what happened since then: 2h, 7d, 2026-07-28").value("TIME"))
            .option(OptionSpec::help("Show this help"))
            .note("Counts the answers of searches that were only needed to find a tool, against its definition in every session. Changes nothing.")
            .example("toolscout suggest pins --since 30d")
    }

    fn run<'a>(&'a self, cx: &'a RunCx) -> BoxFuture<'a, Result<Exit, AppError>> {
        Box::pin(async {
            flush(cx);
            cx.tools().known_quietly().await?;
            let pins = Journal::pins(cx, cx.parsed.text("since"))?;
            match cx.options().format() {
                Format::Text => cx.print(&text::pins(&pins))?,
                format => cx.print_value(&pins, format)?,
            }
            Ok(Exit::Done)
        })
    }
}
