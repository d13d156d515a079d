//! The command line: a command per tool, the dispatcher, and the read-only commands.

mod complete;
mod learning;
mod manual;
mod overview;
mod run;
mod tool_command;

use crate::progress::DiscoveryProgress;
use crate::{AfterSetup, AppError, Plugin, Setup};
use std::sync::Arc;
use toolscout_core::event::Observer;

/// Adds `tools`, `search`, `describe`, `run`, `export`, `completion`, `man`, and a command
/// per tool.
#[derive(Debug, Clone, Copy, Default)]
pub struct Cli;

impl Plugin for Cli {
    fn id(&self) -> &str {
        "cli"
    }

    fn wants(&self) -> Vec<&str> {
        vec!["registry", "discovery", "opencode"]
    }

    fn setup(&self, cx: &mut Setup) -> Result<(), AppError> {
        cx.add_option(learning::no_learn())?;
        cx.rule(learning::rule);
        cx.decorate(learning::FlushLearning);
        cx.add_observer(|startup| {
            let environment = startup.environment.clone();
            let is_shown = environment.progress().is_shown();
            Ok(is_shown.then(|| Arc::new(DiscoveryProgress(environment)) as Arc<dyn Observer>))
        });
        cx.add_command(overview::Overview)?;
        cx.add_command(run::RunCommand)?;
        cx.add_command(complete::CompletionCommand)?;
        cx.add_command(manual::ManualCommand)?;
        cx.add_command(manual::TopicCommand)?;
        cx.add_command(complete::CompleteCommand)
    }

    fn after_setup(&self, cx: &AfterSetup) -> Result<(), AppError> {
        cx.add_commands(tool_command::ToolCommands::new(cx))
    }
}
