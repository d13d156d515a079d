//! The output of `toolscout` without a command: the tools, the problems, and the next steps.

use crate::{AppError, Command, RunCx};
use toolscout_core::{BoxFuture, DiagnosticLevel, escape};
use toolscout_folder::DefaultRoot;
use toolscout_gateway::Snapshot;
use toolscout_mcp_client::DiscoveryStatus;
use toolscout_surface::cli::{CommandSpec, OptionSpec};
use toolscout_surface::codes::Exit;
use toolscout_surface::output::{counted, tools};
use toolscout_workspace::available_setup;

pub(super) struct Overview;

/// The maximum number of tools shown, about a screenful.
const SHOWN: usize = 20;

impl Command for Overview {
    fn spec(&self) -> CommandSpec {
        CommandSpec::new("overview", "Show tools, servers, problems and what to type next")
            .option(OptionSpec::help("Show this help"))
    }

    fn is_hidden(&self) -> bool {
        true
    }

    fn run<'a>(&'a self, cx: &'a RunCx) -> BoxFuture<'a, Result<Exit, AppError>> {
        Box::pin(async {
            let problems = cx
                .tools()
                .discover(|_| ())
                .await?
                .iter()
                .filter(|item| item.level == DiagnosticLevel::Warning)
                .count();
            let snapshot = cx.tools().gateway().snapshot();
            let servers = servers(cx)?;
            if snapshot.is_empty() && servers.is_none() {
                return first_steps(cx).await;
            }
            cx.print(&page(cx, &snapshot, servers, problems)).map(|()| Exit::Done)
        })
    }
}

/// Without tools and servers: the next steps. At a terminal, `init` continues if it has something
/// to set up; it shows its plan and asks.
async fn first_steps(cx: &RunCx) -> Result<Exit, AppError> {
    let init = cx.commands().find("init");
    let setup = init.and_then(|init| Some((init, available_setup(cx.workspace())?)));
    let continues = setup.is_some() && cx.environment().is_interactive();
    let summary = setup.as_ref().map(|(_, summary)| summary.as_str());
    let (servers, folder) = (server_steps(cx, summary), folder_steps(cx));
    cx.print(&format!("No tools yet.\n\n{servers}{folder}"))?;
    match setup {
        Some((init, _)) if continues => {
            cx.print("\n")?;
            init.run(cx).await
        }
        _ => Ok(Exit::Done),
    }
}

/// The next steps for servers; empty if the program does not support them.
fn server_steps(cx: &RunCx, setup: Option<&str>) -> String {
    let program = cx.program();
    let add = format!("  {program} server add ID -- COMMAND\n");
    match setup {
        Some(summary) => format!(
            "Your MCP clients have servers. To {summary}:\n  {program} init\n\nTo add another server:\n{add}\n"
        ),
        None if cx.commands().find("server").is_some() => {
            format!("To add an MCP server:\n{add}\n")
        }
        None => String::new(),
    }
}

/// The next steps for files. Without a project, a file in `tools/` alone would not be found.
fn folder_steps(cx: &RunCx) -> String {
    let program = cx.program();
    let mut text = String::new();
    if cx.workspace().config().root.is_none() {
        let markers = DefaultRoot::MARKERS.join(", ");
        text += &format!(
            "This is not a project: no folder from here upward has one of {markers}.\nTo make it one:\n  touch toolscout.toml\n\n"
        );
    }
    text + &format!(
        "To make a script a tool, put it or a `*.tool.toml` into `tools/`, then try:\n  {program} tools\n  {program} doctor\n"
    )
}

/// The number of servers and of failed servers; `None` if there are none, or if the program does
/// not support them.
fn servers(cx: &RunCx) -> Result<Option<String>, AppError> {
    if !cx.workspace().parts.servers {
        return Ok(None);
    }
    let set = cx.workspace().servers();
    let states = set.sources.iter().filter_map(|source| source.state(&cx.request()).ok());
    let failed = states.filter(|state| state.record.status == DiscoveryStatus::Failed).count();
    let failed = if failed > 0 { format!(", {failed} failed") } else { String::new() };
    let all = set.configured.len();
    Ok((all > 0)
        .then(|| format!("{}{failed}: {} server list", counted(all, "server"), cx.program())))
}

fn page(cx: &RunCx, snapshot: &Snapshot, servers: Option<String>, problems: usize) -> String {
    let program = cx.program();
    let mut text = String::new();
    for (source, _) in snapshot.sources() {
        let tools: Vec<_> = snapshot.tools().filter(|tool| tool.id.source == *source).collect();
        if tools.is_empty() {
            continue;
        }
        let heading = format!("{source} ({})", counted(tools.len(), "tool"));
        text += &format!("{}\n", cx.environment().style().bold(&heading));
        for tool in tools.iter().take(SHOWN) {
            let before = format!("  {:<20} ", escape::line(tool.id.name.as_str()));
            text +=
                &format!("{before}{}\n", tools::in_brief(tool, cx.environment().width(), &before));
        }
        if tools.len() > SHOWN {
            text += &format!("  … and {} more: {program} tools\n", tools.len() - SHOWN);
        }
    }
    let problems =
        (problems > 0).then(|| format!("{}: {program} doctor", counted(problems, "problem")));
    let lines: Vec<_> = servers.into_iter().chain(problems).collect();
    if !lines.is_empty() {
        text += &format!("\n{}\n", lines.join("\n"));
    }
    text + &format!(
        "\nNext:\n  {program} TOOL --help\n  {program} search WORDS\n  {program} --help\n"
    )
}
