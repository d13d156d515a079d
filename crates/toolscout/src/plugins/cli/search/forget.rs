//! `search forget`: erases what was learned.

use super::learned::About;
use super::{or_question, search};
use crate::{AppError, Command, RunCx};
use toolscout_core::BoxFuture;
use toolscout_surface::cli::{CommandSpec, OptionSpec};
use toolscout_surface::codes::Exit;
use toolscout_surface::ops::list::counted;
use toolscout_surface::output::Format;

pub(in crate::plugins::cli) struct ForgetCommand;

impl Command for ForgetCommand {
    fn spec(&self) -> CommandSpec {
        or_question(CommandSpec::new("search forget", "Erase what was learned from questions and calls"))
            .option(OptionSpec::text("tool", "Only about this tool").value("NAME").conflicts("all"))
            .option(OptionSpec::switch("all", "All of it"))
            .option(OptionSpec::switch("yes", "Do it without asking").short('y'))
            .option(OptionSpec::help("Show this help"))
            .example("toolscout search forget --tool github/create_issue")
            .example("toolscout search forget --all --yes")
    }

    fn run<'a>(&'a self, cx: &'a RunCx) -> BoxFuture<'a, Result<Exit, AppError>> {
        Box::pin(async {
            if !cx.parsed.positionals.is_empty() {
                return search(cx, &format!("forget {}", cx.parsed.positionals.join(" "))).await;
            }
            forget(cx).await
        })
    }
}

async fn forget(cx: &RunCx) -> Result<Exit, AppError> {
    if cx.parsed.text("tool").is_none() && !cx.parsed.switch("all") {
        return Err(AppError::invalid("it is not said what to forget", "--tool NAME, or --all"));
    }
    let about = About::of(cx).await?;
    let what = match about.lessons(cx)?.len() {
        // What was asked a moment ago may be there all the same.
        0 if about.words().is_empty() => "what was asked lately".to_owned(),
        0 => {
            cx.say(&about.nothing());
            return Ok(Exit::Done);
        }
        count => counted(count, "question") + &about.words(),
    };
    if cx.only_would(&format!("forget {what}")) {
        return Ok(Exit::Done);
    }
    let is_wanted = match cx.options().format() {
        _ if cx.parsed.switch("yes") => true,
        // Who reads JSON is no person.
        Format::Text => cx.environment().ask(&format!("Forget {what}?")).await,
        _ => false,
    };
    if !is_wanted {
        cx.say(&format!("Would forget {what}\n  hint: --yes does it\n"));
        return Ok(Exit::Done);
    }
    cx.tools().gateway().forget_lessons(&what, &cx.request(), |it| about.is_meant(it))?;
    cx.say(&format!("Forgot {what}\n"));
    Ok(Exit::Done)
}
