//! `approve` and `reject`: a person's word about a definition, or about one call.

use super::page;
use crate::{AppError, Command, RunCx};
use toolscout_core::{BoxFuture, ErrorKind};
use toolscout_gateway::Gateway;
use toolscout_surface::cli::{CommandSpec, OptionSpec, PositionalSpec};
use toolscout_surface::codes::Exit;
use toolscout_surface::ops::list::counted;

pub(super) struct ApproveCommand;
pub(super) struct RejectCommand;

impl Command for ApproveCommand {
    fn spec(&self) -> CommandSpec {
        CommandSpec::new("approve", "Say yes to a held tool, or to a call that waits")
            .positional(PositionalSpec::new("WHAT", "A tool, or the id of a question; lists what waits if left out"))
            .option(OptionSpec::help("Show this help"))
            .note("A yes to a call is good for that very call, once, within five minutes.")
            .example("toolscout approve github/create_issue")
    }

    fn run<'a>(&'a self, cx: &'a RunCx) -> BoxFuture<'a, Result<Exit, AppError>> {
        Box::pin(async {
            match cx.parsed.positionals.first() {
                Some(what) => decide(cx, what, true).await,
                None => list(cx).await,
            }
        })
    }
}

impl Command for RejectCommand {
    fn spec(&self) -> CommandSpec {
        CommandSpec::new("reject", "Say no to a tool, or to a call that waits")
            .positional(PositionalSpec::new("WHAT", "A tool, or the id of a question").required())
            .option(OptionSpec::help("Show this help"))
            .note("A tool that was rejected stays held until somebody approves it.")
            .example("toolscout reject github/create_issue")
    }

    fn run<'a>(&'a self, cx: &'a RunCx) -> BoxFuture<'a, Result<Exit, AppError>> {
        Box::pin(decide(cx, &cx.parsed.positionals[0], false))
    }
}

async fn decide(cx: &RunCx, what: &str, yes: bool) -> Result<Exit, AppError> {
    let gateway = cx.tools().known_quietly().await?;
    let word = if yes { "Approved" } else { "Rejected" };
    if is_question(gateway, what)? {
        let settled = gateway.settle(what, yes, &cx.request())?;
        cx.say(&format!("{word} this call of {}\n", toolscout_core::escape::line(&settled.question.tool.to_string())));
        return Ok(Exit::Done);
    }
    let tool = gateway.resolve(what).map_err(|error| match error.kind() {
        ErrorKind::NotFound => AppError::Said {
            kind: ErrorKind::NotFound,
            message: format!("`{}` is neither a tool nor a question that waits", toolscout_core::escape::line(what)),
            hint: Some("`toolscout approve` lists what waits, `toolscout review` what is held".to_owned()),
        },
        _ => error.into(),
    })?;
    match yes {
        true => gateway.approve(&tool.id, Some(tool.digest()))?,
        false => gateway.reject(&tool.id)?,
    }
    cx.say(&format!("{word} {}\n", toolscout_core::escape::line(&tool.id.to_string())));
    Ok(Exit::Done)
}

fn is_question(gateway: &Gateway, what: &str) -> Result<bool, AppError> {
    Ok(gateway.pending()?.iter().any(|it| it.question.id == what))
}

async fn list(cx: &RunCx) -> Result<Exit, AppError> {
    let gateway = cx.tools().known_quietly().await?;
    let pending = gateway.pending()?;
    let held = gateway.held().len();
    if pending.is_empty() && held == 0 {
        cx.say("Nothing waits for an answer.\n");
        return Ok(Exit::Done);
    }
    cx.print(&pending.iter().map(page::pending).collect::<String>())?;
    if held > 0 {
        cx.say(&format!("{} held for review: toolscout review\n", counted(held, "tool")));
    }
    Ok(Exit::Done)
}
