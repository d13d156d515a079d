//! `audit`: shows what was called and decided, and whether the record of it is as it was written.

use super::{Journal, flush, is_on};
use crate::{AppError, Command, RunCx};
use toolscout_core::{BoxFuture, escape};
use toolscout_surface::cli::{CommandSpec, OptionSpec, PositionalSpec};
use toolscout_surface::codes::Exit;
use toolscout_surface::ops::journal as text;
use toolscout_surface::output::Format;
use toolscout_telemetry::audit::{AuditQuery, DEFAULT_LIMIT, KINDS};

pub(super) struct AuditCommand;
pub(super) struct ShowCommand;
pub(super) struct VerifyCommand;

impl Command for AuditCommand {
    fn spec(&self) -> CommandSpec {
        CommandSpec::new("audit", "Show what was called and decided, and check that nobody has changed it")
            .positional(PositionalSpec::new("ACTION", "What to do; `show` if left out").choices(["show", "verify"]))
            .option(OptionSpec::help("Show this help"))
            .note("`toolscout audit ACTION --help` says more about each.")
            .example("toolscout audit show --since 1d")
            .example("toolscout audit verify")
    }

    fn run<'a>(&'a self, cx: &'a RunCx) -> BoxFuture<'a, Result<Exit, AppError>> {
        Box::pin(async { show(cx, &AuditQuery::default()) })
    }
}

impl Command for ShowCommand {
    fn spec(&self) -> CommandSpec {
        CommandSpec::new("audit show", "Show what was called and decided, the newest last")
            .option(
                OptionSpec::text("limit", "At most this many records")
                    .short('n')
                    .value("N")
                    .default(DEFAULT_LIMIT.to_string()),
            )
            .option(OptionSpec::text("kind", "Only records of this kind").value("KIND").choices(KINDS).repeat())
            .option(OptionSpec::text("since", "Only what happened since then: 2h, 7d, 2026-07-28").value("TIME"))
            .option(OptionSpec::help("Show this help"))
            .note("Of all projects and clients of yours. Secrets are hidden, and results are not kept.")
            .example("toolscout audit show --since 1d --kind decision")
            .example("toolscout audit show --limit 500 --json")
    }

    fn run<'a>(&'a self, cx: &'a RunCx) -> BoxFuture<'a, Result<Exit, AppError>> {
        Box::pin(async {
            let kinds = cx.parsed.texts("kind");
            let page = AuditQuery {
                limit: Some(limit(cx)?),
                kind: (!kinds.is_empty()).then(|| kinds.join(",")),
                since: cx.parsed.text("since").map(str::to_owned),
                before: None,
            };
            show(cx, &page)
        })
    }
}

fn limit(cx: &RunCx) -> Result<usize, AppError> {
    let Some(text) = cx.parsed.text("limit") else { return Ok(DEFAULT_LIMIT) };
    text.parse().map_err(|_| AppError::invalid(format!("`{}` is no number", escape::line(text)), "--limit 100"))
}

fn show(cx: &RunCx, page: &AuditQuery) -> Result<Exit, AppError> {
    flush(cx);
    let found = Journal::audit(cx.surroundings(), page)?;
    found.notes.iter().for_each(|it| cx.say(&format!("note: {it}\n")));
    match cx.options().format() {
        Format::Text => {
            cx.print(&text::page(&found))?;
            if found.entries.is_empty() {
                cx.say("Nothing is on record.\n");
            }
        }
        format => cx.print_value(&found, format)?,
    }
    if !is_on(cx) {
        cx.say("note: nothing is written down now; see `journal` in the configuration, or TOOLSCOUT_NO_JOURNAL\n");
    }
    Ok(Exit::Done)
}

impl Command for VerifyCommand {
    fn spec(&self) -> CommandSpec {
        CommandSpec::new("audit verify", "Check that the record was not changed, from its first line to its last")
            .option(OptionSpec::help("Show this help"))
            .note("Exits with 1, and says where, if something was changed, taken out, put in or cut off.")
            .example("toolscout audit verify")
    }

    fn run<'a>(&'a self, cx: &'a RunCx) -> BoxFuture<'a, Result<Exit, AppError>> {
        Box::pin(async {
            flush(cx);
            let verified = Journal::verify(cx.surroundings())?;
            match cx.options().format() {
                Format::Text => cx.print(&text::verification(&verified))?,
                format => cx.print_value(&verified, format)?,
            }
            Ok(if verified.sound { Exit::Done } else { Exit::Failed })
        })
    }
}
