//! Embeds toolscout in another program, with its own roots, its own file type and its own command.
//!
//! The program is a task book. Every folder below `teams/` is a team, and a team writes its tasks
//! into a `tasks.txt`:
//!
//! ```text
//! # name: command    # what it does
//! disk: df -h /      # How full the disk is
//! ```
//!
//! Each task is a tool. It is therefore a command with help, and search finds it:
//!
//! ```text
//! cargo run --example embed -- tools
//! cargo run --example embed -- disk --help
//! cargo run --example embed -- teams
//! ```

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use toolscout::core::{
    BoxFuture, BoxStream, Diagnostic, DiagnosticKind, SourceError, Tool, ToolId, ToolName,
};
use toolscout::folder::recipe::{
    ArgumentPassing, CommandRecipe, DEFAULT_TIMEOUT_MS, Recipe, WorkingFolder,
};
use toolscout::folder::{Root, RootEntry, RootStrategy, RootVisit, ToolStrategy};
use toolscout::surface::cli::CommandSpec;
use toolscout::surface::codes::Exit;
use toolscout::{App, AppError, Command, Environment, RunCx, plugins};

fn main() -> ExitCode {
    toolscout::main(app(Environment::from_process()))
}

/// The program: the plugins of toolscout that it uses, and its own.
pub(crate) fn app(environment: Environment) -> Result<App, AppError> {
    let teams = environment.cwd().join("teams");
    App::builder("tasks")
        .about("Runs what the teams have written down")
        .plugin(plugins::Discovery::default().roots(Teams(teams)).tools(TaskLists))
        .plugin(plugins::Cli)
        .command(TeamsCommand)
        .environment(environment)
        .build()
}

/// The roots: every folder below this one, sorted by name. Each discovery lists them again, so a
/// new team is found at once.
struct Teams(PathBuf);

impl RootStrategy for Teams {
    fn roots(&self) -> BoxStream<'_, Result<Root, SourceError>> {
        let entries = std::fs::read_dir(&self.0).into_iter().flatten().flatten();
        let mut folders: Vec<PathBuf> =
            entries.map(|entry| entry.path()).filter(|path| path.is_dir()).collect();
        folders.sort();
        Box::pin(futures_util::stream::iter(
            folders.into_iter().map(|folder| Ok(Root::tools(folder))),
        ))
    }
}

/// The file type: each line of a team's `tasks.txt` is a tool. An invalid line is reported and does
/// not affect the other lines.
struct TaskLists;

impl ToolStrategy for TaskLists {
    fn tools<'a>(
        &'a self,
        root: &'a Root,
        visit: RootVisit,
    ) -> BoxStream<'a, Result<RootEntry, SourceError>> {
        let file = root.path.join("tasks.txt");
        let text = std::fs::read_to_string(&file).unwrap_or_default();
        let lines = text.lines().enumerate().map(|(at, line)| (at + 1, line.trim()));
        let entries: Vec<_> = lines
            .filter(|(_, line)| !line.is_empty() && !line.starts_with('#'))
            .map(|(number, line)| Ok(entry(&file, number, line, &visit)))
            .collect();
        Box::pin(futures_util::stream::iter(entries))
    }
}

fn entry(file: &Path, number: usize, line: &str, visit: &RootVisit) -> RootEntry {
    match task(file, line, visit) {
        Ok((tool, recipe)) => RootEntry::Tool(Box::new(tool), recipe),
        Err(reason) => {
            let message = format!("line {number}: {reason}");
            RootEntry::Diagnostic(
                Diagnostic::warning(DiagnosticKind::Broken, message)
                    .with_source(visit.source.clone())
                    .with_path(file),
            )
        }
    }
}

/// `name: command  # what it does`
fn task(file: &Path, line: &str, visit: &RootVisit) -> Result<(Tool, Recipe), String> {
    let (name, rest) =
        line.split_once(':').ok_or("a task is written `name: command  # what it does`")?;
    let (command, about) = rest.split_once(" #").unwrap_or((rest, ""));
    let argv: Vec<String> = command.split_whitespace().map(str::to_owned).collect();
    if argv.is_empty() {
        return Err(format!("`{}` has no command", name.trim()));
    }
    let name = ToolName::for_command(name.trim()).map_err(|error| error.to_string())?;
    let mut tool = Tool::new(ToolId::new(visit.source.clone(), name));
    tool.description = Some(about.trim().to_owned()).filter(|about| !about.is_empty());
    tool.provenance.path = Some(file.to_owned());
    let recipe = CommandRecipe {
        argv,
        folder: file.parent().unwrap_or(Path::new("/")).to_owned(),
        cwd: WorkingFolder::File,
        input: ArgumentPassing::Stdin,
        env: Vec::new(),
        timeout_ms: DEFAULT_TIMEOUT_MS,
    };
    Ok((tool, Recipe::Command(recipe)))
}

/// `teams`: prints the number of tasks of each team.
struct TeamsCommand;

impl Command for TeamsCommand {
    fn spec(&self) -> CommandSpec {
        CommandSpec::new("teams", "Say how many tasks each team has")
    }

    fn run<'a>(&'a self, cx: &'a RunCx) -> BoxFuture<'a, Result<Exit, AppError>> {
        Box::pin(async {
            let snapshot = cx.tools().discovered_gateway().await?.snapshot();
            let mut teams: BTreeMap<String, usize> = BTreeMap::new();
            for path in snapshot.tools().filter_map(|tool| tool.provenance.path.as_deref()) {
                let team = path.parent().and_then(Path::file_name).unwrap_or_default();
                *teams.entry(team.to_string_lossy().into_owned()).or_default() += 1;
            }
            let lines = teams.iter().map(|(team, count)| format!("{team}: {count}\n"));
            cx.print(&lines.collect::<String>()).map(|()| Exit::Done)
        })
    }
}
