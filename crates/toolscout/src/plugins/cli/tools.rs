//! `tools`: which tools there are.

use crate::{AppError, Command, RunCx};
use toolscout_core::{BoxFuture, Found};
use toolscout_surface::cli::{CommandSpec, OptionSpec, PositionalSpec};
use toolscout_surface::codes::Exit;
use toolscout_surface::ops::list::{self, ToolView};
use toolscout_surface::output::Format;

pub(super) struct ToolsCommand;

impl Command for ToolsCommand {
    fn spec(&self) -> CommandSpec {
        CommandSpec::new("tools", "List tools")
            .positional(PositionalSpec::new("ACTION", "`list` shows each with its source").choices(["list"]))
            .option(OptionSpec::switch("stream", "Print one JSON object a line, as tools are found"))
            .option(OptionSpec::help("Show this help"))
            .example("toolscout tools")
            .example("toolscout tools list")
            .example("toolscout tools --json")
    }

    fn run<'a>(&'a self, cx: &'a RunCx) -> BoxFuture<'a, Result<Exit, AppError>> {
        Box::pin(async {
            if cx.parsed.switch("stream") {
                return stream(cx).await;
            }
            let snapshot = &cx.tools().known().await?.snapshot();
            match (cx.options().format(), cx.parsed.positionals.first()) {
                (Format::Text, Some(_)) => cx.print(&list::qualified_lines(snapshot))?,
                (Format::Text, None) => cx.print(&list::lines(snapshot))?,
                (format, _) => cx.print_value(&list::views(snapshot), format)?,
            }
            Ok(Exit::Done)
        })
    }
}

/// Prints tools while slower roots are still being searched.
async fn stream(cx: &RunCx) -> Result<Exit, AppError> {
    let mut failed = None;
    let print = |found: &Found| {
        if let (Found::Tool(tool), None) = (found, &failed) {
            let line = serde_json::to_string(&ToolView::from(tool.as_ref())).unwrap_or_default();
            failed = cx.print(&(line + "\n")).err();
        }
    };
    cx.tools().discover(print).await?;
    failed.map_or(Ok(Exit::Done), Err)
}
