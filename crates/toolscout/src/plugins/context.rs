//! `context`: what to tell a model about tools, for its system prompt.

use crate::{AppError, Command, Plugin, RunCx, Setup};
use std::fs::File;
use std::io::{self, Read};
use std::path::PathBuf;
use toolscout_core::BoxFuture;
use toolscout_core::event::{ContextUse, EventKind};
use toolscout_surface::cli::{CommandSpec, OptionSpec};
use toolscout_surface::codes::Exit;
use toolscout_surface::context::{self, Summary, Wish};
use toolscout_surface::output::Format;

/// Bytes of a prompt; what has more is another file than somebody meant.
const LARGEST: u64 = 16 << 20;

/// Adds `context`.
#[derive(Debug, Clone, Copy, Default)]
pub struct Context;

impl Plugin for Context {
    fn id(&self) -> &str {
        "context"
    }

    fn requires(&self) -> Vec<&str> {
        vec!["discovery"]
    }

    fn setup<'a>(&'a self, cx: &'a mut Setup) -> BoxFuture<'a, Result<(), AppError>> {
        Box::pin(async { cx.add_command(ContextCommand) })
    }
}

struct ContextCommand;

impl Command for ContextCommand {
    fn spec(&self) -> CommandSpec {
        CommandSpec::new("context", "Say in a few lines what tools there are, for a system prompt")
            .option(OptionSpec::integer("budget", "Take at most this many tokens (default: 500)").value("TOKENS"))
            .option(OptionSpec::text("prompt", "Print this prompt first; `-` reads standard input").value("FILE"))
            .option(OptionSpec::help("Show this help"))
            .note("No server is started, and no schema is shown. Which tools are named is in `[context]` of toolscout.toml.")
            .example("toolscout context")
            .example("toolscout context --budget 200")
            .example("toolscout context --prompt system.md")
    }

    fn run<'a>(&'a self, cx: &'a RunCx) -> BoxFuture<'a, Result<Exit, AppError>> {
        Box::pin(async {
            let wish = Wish { budget: budget(cx)?, ..wish(cx)? };
            let base = match cx.parsed.text("prompt") {
                Some(file) => Some(read(cx, file).await?),
                None => None,
            };
            let summary = wish.summary(&cx.tools().known().await?.snapshot());
            cx.request().emit(|| {
                let (tools, tokens) = (summary.tools, summary.tokens);
                EventKind::ContextUse(ContextUse { what: "context", tools, tokens, ..ContextUse::default() })
            });
            if summary.text.is_empty() {
                cx.say("note: nothing can be said in so few tokens\n  hint: toolscout context --budget 100\n");
            }
            print(cx, base.as_deref(), &summary)?;
            Ok(Exit::Done)
        })
    }
}

/// What is configured about telling models.
fn wish(cx: &RunCx) -> Result<Wish, AppError> {
    let config = cx.workspace().config();
    let usual = Wish::default();
    Ok(Wish { essential: config.settings.context.essential.clone().unwrap_or(usual.essential), ..usual })
}

fn print(cx: &RunCx, base: Option<&str>, summary: &Summary) -> Result<(), AppError> {
    match (cx.options().format(), base) {
        (Format::Text, None) => cx.print(&(summary.text.clone() + "\n")),
        (Format::Text, Some(base)) => cx.print(&(context::prompt(base, &summary.text) + "\n")),
        (format, None) => cx.print_value(summary, format),
        (format, Some(base)) => {
            let mut value = serde_json::to_value(summary).unwrap_or_default();
            value["prompt"] = context::prompt(base, &summary.text).into();
            cx.print_value(&value, format)
        }
    }
}

fn budget(cx: &RunCx) -> Result<usize, AppError> {
    let Some(text) = cx.parsed.text("budget") else { return Ok(context::BUDGET) };
    let wrong = || AppError::invalid("--budget is no number of tokens", "toolscout context --budget 500");
    text.parse().ok().filter(|it| *it > 0).ok_or_else(wrong)
}

async fn read(cx: &RunCx, file: &str) -> Result<String, AppError> {
    let path = (file != "-").then(|| cx.environment().cwd().join(file));
    let named = path.clone().unwrap_or_else(|| PathBuf::from("standard input"));
    // Standard input may take as long as it likes, and an interruption must still get through.
    let bytes = tokio::task::spawn_blocking(move || {
        let mut bytes = Vec::new();
        let read = match path {
            Some(path) => File::open(path)?.take(LARGEST + 1).read_to_end(&mut bytes),
            None => io::stdin().take(LARGEST + 1).read_to_end(&mut bytes),
        };
        read.map(|_| bytes)
    });
    let bytes = bytes.await.unwrap_or_else(|error| Err(io::Error::other(error)));
    let bytes = bytes.map_err(AppError::io("read", &named))?;
    let hint = "--prompt takes a text of at most 16 MiB";
    if bytes.len() as u64 > LARGEST {
        return Err(AppError::invalid(format!("`{}` is too large for a prompt", named.display()), hint));
    }
    String::from_utf8(bytes).map_err(|_| AppError::invalid(format!("`{}` is not UTF-8", named.display()), hint))
}
