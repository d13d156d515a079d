//! `stats`: what tools have cost and saved, for people.

use super::{Journal, flush, is_on};
use crate::{AppError, Command, RunCx};
use toolscout_core::BoxFuture;
use toolscout_surface::cli::{CommandSpec, OptionSpec};
use toolscout_surface::codes::Exit;
use toolscout_surface::ops::stats as text;
use toolscout_surface::output::Format;

pub(super) struct StatsCommand;

impl Command for StatsCommand {
    fn spec(&self) -> CommandSpec {
        CommandSpec::new("stats", "Show what tools have cost and saved: tokens, searches, calls")
            .option(OptionSpec::text("since", "Only what happened since then: 2h, 7d, 2026-07-28").value("TIME"))
            .option(OptionSpec::help("Show this help"))
            .note(
                "Tokens are upper bounds, by the vocabulary of `o200k_base`. `--json` shows every client and session.",
            )
            .example("toolscout stats --since 7d")
    }

    fn run<'a>(&'a self, cx: &'a RunCx) -> BoxFuture<'a, Result<Exit, AppError>> {
        Box::pin(async {
            flush(cx);
            let stats = Journal::stats(cx.surroundings(), cx.parsed.text("since"))?;
            match cx.options().format() {
                Format::Text => cx.print(&text::page(&stats))?,
                format => cx.print_value(&stats, format)?,
            }
            if !is_on(cx) {
                cx.say(
                    "note: nothing is written down now; see `journal` in the configuration, or TOOLSCOUT_NO_JOURNAL\n",
                );
            }
            Ok(Exit::Done)
        })
    }
}
