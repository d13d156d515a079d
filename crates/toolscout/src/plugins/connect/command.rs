//! `connect`: writes this program into a client's configuration.

use super::launch;
use crate::plugins::import::{self, client_folders, counted};
use crate::{AppError, Command, RunCx};
use toolscout_config::ConfigScope;
use toolscout_config::connect::{ClientStatus, ClientTarget, ConnectPlan, client_status};
use toolscout_config::import::{CLIENTS, ClientFormat, OwnProgram, named};
use toolscout_core::{BoxFuture, escape};
use toolscout_surface::cli::{CommandSpec, OptionSpec, PositionalSpec, UsageError, UsageErrors};
use toolscout_surface::codes::Exit;
use toolscout_surface::output::Format;
use toolscout_workspace::config;

pub(super) struct ConnectCommand;

impl Command for ConnectCommand {
    fn spec(&self) -> CommandSpec {
        let names = CLIENTS.iter().map(|it| it.name);
        CommandSpec::new("connect", "Make a program use this one as its MCP server")
            .positional(PositionalSpec::new("CLIENT", "Which program").choices(names))
            .option(scope_option())
            .option(OptionSpec::switch("take", "Move its other servers to our configuration"))
            .option(OptionSpec::switch("list", "Show which programs are there, and which are connected"))
            .option(OptionSpec::help("Show this help"))
            .note("The file as it was is kept, and `disconnect` puts it back.")
            .example("toolscout connect cursor")
            .example("toolscout connect claude-desktop --take")
            .example("toolscout connect --list")
    }

    fn run<'a>(&'a self, cx: &'a RunCx) -> BoxFuture<'a, Result<Exit, AppError>> {
        Box::pin(async {
            if cx.parsed.switch("list") {
                return list(cx).map(|()| Exit::Done);
            }
            let client = client(cx)?;
            let config = cx.workspace().config();
            let (folders, own) = (client_folders(cx, &config), OwnProgram::running(cx.program()));
            let target = ClientTarget { client, scope: scope(cx), folders: &folders, own: &own };
            let launch = launch(cx, client.is_desktop)?;
            let plan = ConnectPlan::new(target, &launch, cx.parsed.switch("take"), &config)?;
            if let Some(moves) = &plan.moves {
                cx.print(&import::page(moves))?;
            }
            if cx.options().switch("dry-run") { show(cx, &plan) } else { write(cx, &plan) }
        })
    }
}

/// `--project` is taken: it says which project.
pub(super) fn scope_option() -> OptionSpec {
    OptionSpec::text("scope", "In the file for everywhere, or in that of this project")
        .value("SCOPE")
        .choices(["user", "project"])
        .default("user")
}

pub(super) fn scope(cx: &RunCx) -> ConfigScope {
    match cx.parsed.text("scope") {
        Some("project") => ConfigScope::Project,
        _ => ConfigScope::User,
    }
}

pub(super) fn client(cx: &RunCx) -> Result<&'static ClientFormat, AppError> {
    let named = cx.parsed.positionals.first().and_then(|it| named(it));
    named.ok_or_else(|| UsageErrors::from(UsageError::MissingArgument { name: "CLIENT".to_owned() }).into())
}

fn show(cx: &RunCx, plan: &ConnectPlan) -> Result<Exit, AppError> {
    let text = serde_json::to_string_pretty(&plan.document).unwrap_or_default();
    cx.print(&format!("{}\n", escape::text(&text)))?;
    if let Some(moves) = &plan.moves {
        let (moved, target) = (counted(moves.moved().len()), moves.target.file.display());
        cx.say(&format!("Would move {moved} to {target}\n"));
    }
    cx.say(&format!("Would write this into {}\n", plan.path.display()));
    Ok(Exit::Done)
}

fn write(cx: &RunCx, plan: &ConnectPlan) -> Result<Exit, AppError> {
    let (title, path) = (plan.title, escape::line(&plan.path.display().to_string()).into_owned());
    if plan.changes_nothing() {
        cx.say(&format!("{title} was connected already: {path}\n"));
        return Ok(Exit::Done);
    }
    let added = plan.apply(&config::editor(cx.environment()), &*cx.environment().store())?;
    import::has_added_all(cx, &added)?;
    if let Some(moves) = plan.moves.as_ref().filter(|it| !it.moved().is_empty()) {
        cx.say(&format!("Moved {} to {}\n", counted(moves.moved().len()), moves.target.file.display()));
    }
    cx.say(&format!("Connected {title}: {path}\n  hint: start {title} anew\n"));
    Ok(Exit::Done)
}

/// `connect --list`: the clients that are installed, and which of them are connected.
fn list(cx: &RunCx) -> Result<(), AppError> {
    let statuses = client_status(&client_folders(cx, &cx.workspace().config()), &OwnProgram::running(cx.program()));
    let text = |status: &ClientStatus| {
        let path = status.path.as_ref().map(|it| it.display().to_string()).unwrap_or_default();
        format!("{:<16}{:<12}{}", status.client, status.state, escape::line(&path)).trim_end().to_owned() + "\n"
    };
    match cx.options().format() {
        Format::Text => cx.print(&statuses.iter().map(text).collect::<String>()),
        format => cx.print_value(&statuses, format),
    }
}
