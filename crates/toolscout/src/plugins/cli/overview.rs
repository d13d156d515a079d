//! The output of `toolscout` without a command: the tools, the problems, and the next steps.

use crate::{AppError, Command, RunCx};
use toolscout_core::{BoxFuture, DiagnosticLevel, escape};
use toolscout_folder::DefaultRoot;
use toolscout_gateway::Snapshot;
use toolscout_mcp_client::DiscoveryStatus;
use toolscout_surface::cli::{CommandSpec, OptionSpec};
use toolscout_surface::codes::Exit;
use toolscout_surface::output::{counted, tools};

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
            let text = match snapshot.is_empty() && servers.is_none() {
                true => nothing(cx)?,
                false => page(cx, &snapshot, servers, problems),
            };
            cx.print(&text).map(|()| Exit::Done)
        })
    }
}

/// The first steps. Without a project, a file in `tools/` alone would not be found.
fn nothing(cx: &RunCx) -> Result<String, AppError> {
    let program = cx.program();
    let mut text = "No tools yet.\n\n".to_owned();
    if cx.workspace().config().root.is_none() {
        let markers = DefaultRoot::MARKERS.join(", ");
        text += &format!(
            "This is not a project: no folder from here upward has one of {markers}.\nTo make it one:\n  touch toolscout.toml\n\n"
        );
    }
    Ok(text
        + &format!(
            "Put a script or a `*.tool.toml` into `tools/`, then try:\n  {program} tools\n  {program} doctor\n"
        )
        + &servers_hint(cx))
}

/// The next steps for servers, if the program supports them.
fn servers_hint(cx: &RunCx) -> String {
    match cx.commands().find("server") {
        Some(_) => format!(
            "\nOr use MCP servers:\n  {program} import\n  {program} server add ID -- COMMAND\n",
            program = cx.program()
        ),
        None => String::new(),
    }
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
        text += &format!("{source} ({})\n", counted(tools.len(), "tool"));
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
