//! `disconnect`: takes this program out of a client's configuration.

use super::command::{client, scope, scope_option};
use crate::plugins::import::client_folders;
use crate::{AppError, Command, RunCx};
use toolscout_config::connect::{ClientTarget, DisconnectOutcome, DisconnectPlan};
use toolscout_config::import::{CLIENTS, OwnProgram};
use toolscout_core::{BoxFuture, escape};
use toolscout_surface::cli::{CommandSpec, OptionSpec, PositionalSpec};
use toolscout_surface::codes::Exit;

pub(super) struct DisconnectCommand;

impl Command for DisconnectCommand {
    fn spec(&self) -> CommandSpec {
        let names = CLIENTS.iter().map(|it| it.name);
        CommandSpec::new("disconnect", "Take this program out of another's configuration")
            .positional(PositionalSpec::new("CLIENT", "Which program").required().choices(names))
            .option(scope_option())
            .option(OptionSpec::switch("whole", "Put the whole file back as it was, whatever was changed since"))
            .option(OptionSpec::help("Show this help"))
            .note("A file that was changed since keeps the changes, and only loses our entry.")
            .example("toolscout disconnect cursor")
    }

    fn run<'a>(&'a self, cx: &'a RunCx) -> BoxFuture<'a, Result<Exit, AppError>> {
        Box::pin(async {
            let (client, store) = (client(cx)?, cx.environment().store());
            let config = cx.workspace().config();
            let (folders, own) = (client_folders(cx, &config), OwnProgram::running(cx.program()));
            let target = ClientTarget { client, scope: scope(cx), folders: &folders, own: &own };
            let plan = DisconnectPlan::new(target, cx.parsed.switch("whole"), &*store)?;
            let path = escape::line(&plan.path().display().to_string()).into_owned();
            cx.say(&if cx.options().switch("dry-run") {
                format!("Would take this program out of {path}\n")
            } else {
                words(plan.apply(&*store)?, client.title, &path)
            });
            Ok(Exit::Done)
        })
    }
}

fn words(done: DisconnectOutcome, title: &str, path: &str) -> String {
    match done {
        DisconnectOutcome::Restored => format!("Disconnected {title}: {path} is as it was\n"),
        DisconnectOutcome::Removed => format!("Disconnected {title}: {path} is gone, as before\n"),
        DisconnectOutcome::OnlyOurs => format!(
            "Disconnected {title}: {path} was changed since, so only our entry was taken out of it\n  \
             hint: --whole puts it back as it was before\n"
        ),
        DisconnectOutcome::WasNot => format!("{title} was not connected: {path}\n"),
    }
}
