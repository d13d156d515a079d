//! `describe`: all there is to know about one tool.

use super::beyond;
use super::tool_command::refuse_held;
use crate::{AppError, Command, RunCx};
use toolscout_core::BoxFuture;
use toolscout_surface::cli::{CommandSpec, OptionSpec, PositionalSpec};
use toolscout_surface::codes::Exit;
use toolscout_surface::ops::describe::Description;
use toolscout_surface::output::Format;

pub(super) struct DescribeCommand;

impl Command for DescribeCommand {
    fn spec(&self) -> CommandSpec {
        CommandSpec::new("describe", "Show all that is known about a tool")
            .positional(PositionalSpec::new("TOOL", "Its name, in any form").required())
            .option(OptionSpec::switch("all", "Also name the tools it hides"))
            .option(OptionSpec::help("Show this help"))
            .example("toolscout describe word-count")
            .example("toolscout describe local/word-count --json")
    }

    fn run<'a>(&'a self, cx: &'a RunCx) -> BoxFuture<'a, Result<Exit, AppError>> {
        Box::pin(async {
            let gateway = cx.tools().known().await?;
            let tool = beyond::resolve(cx, gateway, &cx.parsed.positionals[0]).await?;
            refuse_held(&tool)?;
            let mut description = Description::from(tool.as_ref());
            if cx.parsed.switch("all") {
                description = description.with_shadowed(gateway);
            }
            match cx.options().format() {
                Format::Text => cx.print(&description.lines())?,
                format => cx.print_value(&description, format)?,
            }
            Ok(Exit::Done)
        })
    }
}
