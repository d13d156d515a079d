//! The command line: a command per tool, the dispatcher, and the commands that read.

mod beyond;
mod complete;
mod describe;
mod export;
mod overview;
mod progress;
mod run;
mod search;
mod tool_command;
mod tools;

use crate::{AfterSetup, AppError, Plugin, Setup};
use toolscout_core::BoxFuture;

/// Adds `tools`, `search`, `describe`, `run`, `export`, `completion`, and a command per tool.
#[derive(Debug, Clone, Copy, Default)]
pub struct Cli;

impl Plugin for Cli {
    fn id(&self) -> &str {
        "cli"
    }

    fn wants(&self) -> Vec<&str> {
        vec!["registry", "discovery", "opencode"]
    }

    fn setup<'a>(&'a self, cx: &'a mut Setup) -> BoxFuture<'a, Result<(), AppError>> {
        cx.add_option(search::no_learn());
        cx.rule(search::rule);
        cx.decorate(search::Settle);
        Box::pin(async {
            cx.add_command(overview::Overview)?;
            cx.add_command(tools::ToolsCommand)?;
            cx.add_command(search::SearchCommand)?;
            cx.add_command(search::LearnedCommand)?;
            cx.add_command(search::ForgetCommand)?;
            cx.add_command(describe::DescribeCommand)?;
            cx.add_command(run::RunCommand)?;
            cx.add_command(export::ExportCommand)?;
            cx.add_command(complete::CompletionCommand)?;
            cx.add_command(complete::CompleteCommand)
        })
    }

    fn after_setup<'a>(&'a self, cx: &'a AfterSetup) -> BoxFuture<'a, Result<(), AppError>> {
        Box::pin(async { cx.add_commands(tool_command::ToolCommands::new(cx)) })
    }
}
