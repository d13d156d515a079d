//! `review`: shows the definitions that wait for a person, and accepts all of a source's.

use super::page::{self, HeldView};
use super::shown::{self, Shown};
use crate::{AppError, Command, RunCx};
use toolscout_core::{BoxFuture, Diagnostic, DiagnosticKind, ErrorKind, SourceId, escape};
use toolscout_gateway::{Error, Gateway};
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
            let problems = cx.tools().discover_quietly().await?;
            let gateway = cx.tools().gateway();
            match cx.parsed.text("accept") {
                Some(source) => accept(cx, gateway, source),
                None => show(cx, gateway, problems, cx.parsed.positionals.first().map(String::as_str)),
            }
        })
    }
}

fn accept(cx: &RunCx, gateway: &Gateway, source: &str) -> Result<Exit, AppError> {
    let source = SourceId::new(source).map_err(|it| AppError::invalid(it.to_string(), "toolscout server list"))?;
    let shown = Shown::of(cx, &source)?;
    let mut held = gateway.held().into_iter().filter(|it| it.id.source == source);
    // Who was shown something, and says yes to all, says yes to that.
    if let Some(changed) = held.find(|it| shown.digest(&it.id).is_some_and(|seen| seen != it.digest)) {
        return Err(Error::ChangedAgain { tool: changed.id }.into());
    }
    if cx.only_would(&format!("approve all tools of {source}")) {
        return Ok(Exit::Done);
    }
    let released = gateway.accept_all(&source, &cx.request())?;
    cx.say(&format!("Approved {} of {source}\n", counted(released, "tool")));
    Ok(Exit::Done)
}

fn show(cx: &RunCx, gateway: &Gateway, problems: &[Diagnostic], only: Option<&str>) -> Result<Exit, AppError> {
    let mut held = gateway.held();
    if let Some(name) = only {
        let named = gateway.whole_snapshot().resolve(name).ok().map(|it| it.id.clone());
        let is_source = gateway.sources().iter().any(|it| it.id().as_str() == name);
        if named.is_none() && !is_source {
            let message = format!("`{}` is neither a source nor a tool", escape::line(name));
            let hint = Some("`toolscout review` shows all that is held".to_owned());
            return Err(AppError::Said { kind: ErrorKind::NotFound, message, hint });
        }
        held.retain(|it| it.id.source.as_str() == name || Some(&it.id) == named.as_ref());
    }
    // Where what was approved cannot be relied on, why that is, and what to do, is said once for all tools of the source.
    let is_in_doubt = |it: &&Diagnostic| {
        it.kind == DiagnosticKind::Quarantined
            && held.iter().any(|held| held.since.is_none() && it.source.as_ref() == Some(&held.id.source))
    };
    problems.iter().filter(is_in_doubt).for_each(|it| cx.tools().warn(it));
    match cx.options().format() {
        Format::Text if held.is_empty() => cx.say("Nothing is held.\n"),
        Format::Text => {
            cx.print(&page::all(&held))?;
            cx.say("\n  hint: toolscout approve TOOL, toolscout reject TOOL, or toolscout review --accept SOURCE\n");
        }
        format => cx.print_value(&held.iter().map(HeldView::from).collect::<Vec<_>>(), format)?,
    }
    shown::note(cx, &held)?;
    Ok(Exit::Done)
}
