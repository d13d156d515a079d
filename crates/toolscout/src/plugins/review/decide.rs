//! `approve` and `reject`: a person's word about a definition, or about one call.

use super::page;
use super::shown::Shown;
use crate::{AppError, Command, RunCx};
use toolscout_core::{BoxFuture, ErrorKind, ToolId, escape};
use toolscout_gateway::Gateway;
use toolscout_surface::cli::{CommandSpec, OptionSpec, PositionalSpec};
use toolscout_surface::codes::Exit;
use toolscout_surface::ops::list::counted;
use toolscout_surface::output::Format;

pub(super) struct ApproveCommand;
pub(super) struct RejectCommand;

impl Command for ApproveCommand {
    fn spec(&self) -> CommandSpec {
        CommandSpec::new("approve", "Say yes to a held tool, or to a call that waits")
            .positional(PositionalSpec::new("WHAT", "A tool, or the id of a question; lists what waits if left out"))
            .option(OptionSpec::help("Show this help"))
            .note("A yes to a tool is to what `toolscout review` last showed of it. A yes to a call is good for that very call, once, within five minutes.")
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
    let (word, verb) = if yes { ("Approved", "approve") } else { ("Rejected", "reject") };
    if is_question(gateway, what)? {
        if cx.only_would(&format!("{verb} the call {what}")) {
            return Ok(Exit::Done);
        }
        let answered = gateway.answer_approval(what, yes, &cx.request())?;
        cx.say(&format!("{word} this call of {}\n", escape::line(&answered.tool.to_string())));
        return Ok(Exit::Done);
    }
    let id = known(gateway, what)?;
    let name = id.to_string();
    if cx.only_would(&format!("{verb} {}", escape::line(&name))) {
        return Ok(Exit::Done);
    }
    match yes {
        true if !approve(cx, gateway, &id).await? => return Ok(Exit::Done),
        true => {}
        false => gateway.reject(&id, None, &cx.request())?,
    }
    cx.say(&format!("{word} {}\n", escape::line(&name)));
    Ok(Exit::Done)
}

/// Approves what the person was shown. If that was nothing yet, shows it now, and asks them if they are there; says
/// whether they still want to.
async fn approve(cx: &RunCx, gateway: &Gateway, id: &ToolId) -> Result<bool, AppError> {
    let shown = Shown::of(cx, &id.source)?;
    let held = gateway.held().into_iter().find(|it| it.id == *id);
    let seen = match (shown.digest(id), held) {
        (None, Some(held)) => {
            cx.print(&page::one(&held))?;
            shown.note([&held]);
            if cx.environment().is_interactive() && !cx.environment().ask("Approve it?").await {
                return Ok(false);
            }
            Some(held.digest)
        }
        (seen, _) => seen,
    };
    gateway.approve(id, seen, &cx.request())?;
    Ok(true)
}

fn is_question(gateway: &Gateway, what: &str) -> Result<bool, AppError> {
    Ok(gateway.pending()?.iter().any(|it| it.id == what))
}

/// The tool that is meant; one that is disabled can be decided about, too.
fn known(gateway: &Gateway, what: &str) -> Result<ToolId, AppError> {
    if let Ok(tool) = gateway.whole_snapshot().resolve(what) {
        return Ok(tool.id.clone());
    }
    let found = gateway.resolve(what).map_err(|error| match error.kind() {
        ErrorKind::NotFound => AppError::Said {
            kind: ErrorKind::NotFound,
            message: format!("`{}` is neither a tool nor a question that waits", escape::line(what)),
            hint: Some("`toolscout approve` lists what waits, `toolscout review` what is held".to_owned()),
        },
        _ => error.into(),
    });
    found.map(|it| it.id.clone())
}

async fn list(cx: &RunCx) -> Result<Exit, AppError> {
    let gateway = cx.tools().known_quietly().await?;
    let pending = gateway.pending()?;
    if cx.options().format() != Format::Text {
        return cx.print_value(&pending, cx.options().format()).map(|()| Exit::Done);
    }
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
