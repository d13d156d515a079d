//! `tools`: which tools there are.

use crate::{AppError, Command, RunCx};
use toolscout_core::door::Policy;
use toolscout_core::{BoxFuture, DiscoveryItem, ReviewMode, Tool};
use toolscout_surface::cli::{CommandSpec, OptionSpec, PositionalSpec};
use toolscout_surface::codes::Exit;
use toolscout_surface::ops::list::{self, ToolView};
use toolscout_surface::output::{Format, json};

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
                (Format::Text, None) => cx.print(&list::lines(snapshot, cx.environment().width()))?,
                (format, _) => cx.print_value(&list::views(snapshot), format)?,
            }
            Ok(Exit::Done)
        })
    }
}

/// Prints tools while slower roots are still being searched. Those that are reviewed come last, as the review leaves them.
async fn stream(cx: &RunCx) -> Result<Exit, AppError> {
    let gateway = cx.tools().gateway();
    let sources = gateway.sources();
    let reviewed: Vec<_> = sources.iter().filter(|it| it.review() != ReviewMode::Unneeded).collect();
    let is_reviewed = |tool: &Tool| reviewed.iter().any(|it| *it.id() == tool.id.source);
    let mut failed = None;
    let mut print = |tool: &Tool| {
        if failed.is_none() {
            failed = cx.print(&(json::compact(&ToolView::from(tool)) + "\n")).err();
        }
    };
    let watch = |found: &DiscoveryItem| match found {
        DiscoveryItem::Tool(tool) if !is_reviewed(tool) && gateway.decision(tool).policy != Policy::Disable => {
            print(tool)
        }
        _ => {}
    };
    cx.tools().discover(watch).await?;
    gateway.snapshot().tools().filter(|it| is_reviewed(it)).for_each(|it| print(it));
    failed.map_or(Ok(Exit::Done), Err)
}
