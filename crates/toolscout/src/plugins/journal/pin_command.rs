//! `suggest pins`: which tools agents would better see without searching.

use super::stats_command::number;
use super::{Journal, flush};
use crate::{AppError, Command, RunCx};
use toolscout_core::{BoxFuture, escape};
use toolscout_surface::cli::{CommandSpec, OptionSpec, PositionalSpec};
use toolscout_surface::codes::Exit;
use toolscout_surface::ops::list::counted;
use toolscout_surface::ops::stats::{PinSuggestion, Pins};
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
                Format::Text => cx.print(&page(&pins))?,
                format => cx.print_value(&pins, format)?,
            }
            Ok(Exit::Done)
        })
    }
}

fn page(pins: &Pins) -> String {
    let sessions = counted(pins.sessions as usize, "session");
    if pins.pins.is_empty() {
        return format!("Nothing to pin: in {sessions} of this project, no list would save what it costs.\n");
    }
    let mut out = format!("By {sessions} of this project, in tokens a session, at most:\n");
    pins.pins.iter().for_each(|it| out += &row(it));
    if let Some((file, line)) = pins.file.as_ref().zip(pins.line.as_ref()) {
        out += &format!("\nTo list them, write into {}:\n  {}\n", escape::line(file), escape::line(line));
    }
    out
}

fn row(pin: &PinSuggestion) -> String {
    let PinSuggestion { tool, searches, search_tokens, definition_tokens, saves_tokens, .. } = pin;
    let [saved, spared, cost] = [*saves_tokens, *search_tokens as i64, *definition_tokens as i64].map(number);
    format!(
        "  {} saves {saved}: {searches} searches less ({spared}), its definition more ({cost})\n",
        escape::line(tool)
    )
}
