//! `run`: the dispatcher for any form of a tool's name.

use super::tool_command::ToolCommand;
use crate::{AppError, Command, RunCx};
use toolscout_core::BoxFuture;
use toolscout_surface::cli::{
    self, CommandSpec, OptionSpec, PositionalSpec, UsageError, UsageErrors,
};
use toolscout_surface::codes::Exit;
use toolscout_workspace::{refuse_quarantined, resolve_cached};

pub(super) struct RunCommand;

impl Command for RunCommand {
    fn spec(&self) -> CommandSpec {
        CommandSpec::new("run", "Run a tool")
            .positional(
                PositionalSpec::new(
                    "TOOL",
                    "The tool: tool, source/tool, source:tool or source__tool",
                )
                .required(),
            )
            .positional(
                PositionalSpec::new(
                    "ARGS",
                    "Arguments of the tool; see `toolscout run TOOL --help`",
                )
                .many(),
            )
            .option(OptionSpec::help("Show help, or the help of TOOL"))
            .stop_at_positional()
            .example("toolscout run word-count --text 'one two'")
            .example("toolscout run local/word-count --help")
    }

    fn answers_help(&self) -> bool {
        true
    }

    fn run<'a>(&'a self, cx: &'a RunCx) -> BoxFuture<'a, Result<Exit, AppError>> {
        Box::pin(async {
            let wants_help = cx.parsed.switch("help");
            let Some((name, args)) = cx.parsed.positionals.split_first() else {
                if wants_help {
                    return cx.print_help(self.spec()).map(|()| Exit::Done);
                }
                let missing =
                    UsageErrors::from(UsageError::MissingArgument { name: "TOOL".to_owned() });
                return Err(missing.into());
            };
            let ran = dispatch(cx, name, args, wants_help).await;
            let is_taken = cx.commands().find(name).is_some();
            let typed = if is_taken { format!("run {name}") } else { name.clone() };
            ran.map_err(|error| error.with_command_help(cx.program(), &typed))
        })
    }
}

async fn dispatch(
    cx: &RunCx,
    name: &str,
    args: &[String],
    wants_help: bool,
) -> Result<Exit, AppError> {
    let gateway = cx.tools().discovered_gateway().await?;
    let name = &*cx.tools().canonical_name(&gateway.full_snapshot(), name);
    // Help and dry runs must not start anything.
    let tool = if wants_help || cx.options().command.only_reads || cx.options().switch("dry-run") {
        resolve_cached(gateway, &gateway.view(&cx.request()).await, name)?
    } else {
        gateway.find(name, &cx.request()).await?
    };
    refuse_quarantined(&tool)?;
    let command = ToolCommand::new(tool, cx.options().locale());
    if wants_help {
        return cx.print_help(command.spec()).map(|()| Exit::Done);
    }
    let parsed = cli::parse(&command.spec(), args)?;
    if command.wants_help(&parsed) {
        return cx.print_help(command.spec()).map(|()| Exit::Done);
    }
    command.call(cx, &parsed).await
}
