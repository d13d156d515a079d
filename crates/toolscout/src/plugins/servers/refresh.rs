//! `server refresh`: asks servers anew what tools they have.

use super::ServerSet;
use crate::error::login;
use crate::plugins::search;
use crate::{AppError, Command, RunCx};
use std::sync::Arc;
use toolscout_core::{BoxFuture, ProblemKind, SourceError, escape, redact};
use toolscout_mcp_client::{Discovered, McpSource, refresh_all};
use toolscout_surface::cli::{CommandSpec, OptionSpec, PositionalSpec};
use toolscout_surface::codes::Exit;
use toolscout_surface::ops::list::counted;

pub(super) struct RefreshCommand;

/// How wide the bar is, in characters.
const BAR: usize = 24;

impl Command for RefreshCommand {
    fn spec(&self) -> CommandSpec {
        CommandSpec::new("server refresh", "Ask servers anew what tools they have")
            .positional(PositionalSpec::new("ID", "Which servers; all that are enabled if left out").many())
            .option(OptionSpec::help("Show this help"))
            .note("Waits until all have answered or failed, and prints a line for each. Exits with 3 if one failed.")
            .example("toolscout server refresh")
            .example("toolscout server refresh files github")
    }

    fn run<'a>(&'a self, cx: &'a RunCx) -> BoxFuture<'a, Result<Exit, AppError>> {
        Box::pin(async {
            let set = ServerSet::of(cx.options(), cx.surroundings())?;
            let ids = &cx.parsed.positionals;
            let sources: Vec<_> = match ids.is_empty() {
                true => set.sources.clone(),
                false => ids.iter().map(|it| set.source(it).cloned()).collect::<Result<_, _>>()?,
            };
            if ids.is_empty() && !cx.options().switch("dry-run") {
                forget_absent(&set)?;
            }
            if sources.is_empty() {
                cx.say("No server is enabled.\n  hint: `toolscout server add ID -- COMMAND` adds one\n");
                return Ok(Exit::Done);
            }
            let named: Vec<_> = sources.iter().map(|it| it.server().id.as_str()).collect();
            if cx.only_would(&format!("start and ask {}", named.join(", "))) {
                return Ok(Exit::Done);
            }
            let failed = refresh(cx, &sources).await?;
            Ok(if failed == 0 { Exit::Done } else { Exit::Unavailable })
        })
    }
}

/// Asks these servers, shows how far that is, and lets the gateway see what is new; says how many failed.
pub(super) async fn refresh(cx: &RunCx, sources: &[Arc<McpSource>]) -> Result<usize, AppError> {
    let mut failed = 0;
    let mut done = 0;
    let mut broken = None;
    let bar = |done| bar(cx, done, sources.len());
    bar(0);
    refresh_all(sources, &cx.request(), |source, answer| {
        done += 1;
        failed += usize::from(answer.is_err());
        clear(cx);
        if let Err(error) = cx.print(&line(source, answer)) {
            broken = Some(error);
        }
        bar(done);
    })
    .await;
    clear(cx);
    // What was found is approved, or held, as soon as it is known; nobody else will say that something is.
    let news = cx.tools().discover_quietly_again().await?;
    news.iter().filter(|it| it.kind == ProblemKind::Held).for_each(|it| cx.tools().warn(it));
    search::study(cx).await;
    broken.map_or(Ok(failed), Err)
}

fn line(source: &McpSource, answer: &Result<Discovered, SourceError>) -> String {
    let id = &source.server().id;
    match answer {
        Ok(found) => {
            let excluded = match found.excluded {
                0 => String::new(),
                count => format!(", {} left out", counted(count, "definition")),
            };
            format!("{id}: {}{excluded} ({:.1} s)\n", counted(found.tools, "tool"), found.took.as_secs_f64())
        }
        Err(error) => {
            let login = login(error).map(|it| format!("; log in with: {it}")).unwrap_or_default();
            format!("{id}: failed: {}{login}\n", escape::line(&redact::text(&reason(error))))
        }
    }
}

/// Without the source's name, which stands before it already.
fn reason(error: &SourceError) -> String {
    match error {
        SourceError::Spawn { program, reason, .. } => format!("could not run `{program}`: {reason}"),
        SourceError::TimedOut { what, limit, .. } => {
            format!("timeout: {what} took longer than {}", toolscout_core::spoken(*limit))
        }
        SourceError::Protocol { reason, .. } | SourceError::Refused { reason } => reason.clone(),
        SourceError::Unavailable { what, .. } | SourceError::Login { what, .. } | SourceError::Busy { what, .. } => {
            what.clone()
        }
        other => other.to_string(),
    }
}

/// Servers that are no longer configured, or not enabled, are no longer remembered.
fn forget_absent(set: &ServerSet) -> Result<(), AppError> {
    let Some(shared) = &set.shared else { return Ok(()) };
    let unkept = |it: toolscout_core::StoreError| AppError::Said {
        kind: toolscout_core::ErrorKind::Unavailable,
        message: it.to_string(),
        hint: None,
    };
    for id in shared.records().servers().map_err(unkept)? {
        if !set.sources.iter().any(|it| it.server().id == id) {
            let removed = shared.records().remove(&id).map_err(unkept)?;
            tracing::info!(event = "tools_removed", server = %id, removed);
        }
    }
    Ok(())
}

fn bar(cx: &RunCx, done: usize, all: usize) {
    if shows_bar(cx) && done < all {
        let full = BAR * done / all.max(1);
        cx.say(&format!("\r[{}{}] {done}/{all}", "#".repeat(full), ".".repeat(BAR - full)));
    }
}

fn clear(cx: &RunCx) {
    if shows_bar(cx) {
        cx.say("\r\x1b[K");
    }
}

fn shows_bar(cx: &RunCx) -> bool {
    cx.surroundings().is_interactive() && !cx.options().switch("quiet")
}
