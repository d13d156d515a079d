//! `doctor`: what is found, what is broken, what to do.

mod servers;

use crate::{AppError, Command, RunCx};
use serde::Serialize;
use servers::Servers;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use toolscout_core::{BoxFuture, Diagnostic, DiagnosticKind, DiagnosticLevel, escape};
use toolscout_surface::cli::{CommandSpec, OptionSpec, ToolFlags};
use toolscout_surface::codes::Exit;
use toolscout_surface::ops::list::counted;
use toolscout_surface::output::Format;
use toolscout_workspace::Trust;

pub(super) struct DoctorCommand;

/// What the doctor sees, in the order it is shown.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Findings {
    version: &'static str,
    project: Option<PathBuf>,
    trusted: bool,
    state: Option<PathBuf>,
    runtimes: BTreeMap<&'static str, Option<PathBuf>>,
    tools: BTreeMap<&'static str, usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    servers: Option<Servers>,
    problems: Vec<Finding>,
    /// What is good to know, and nobody's fault.
    notes: Vec<Finding>,
}

#[derive(Serialize)]
struct Finding {
    path: Option<PathBuf>,
    message: String,
    hint: Option<String>,
}

impl Command for DoctorCommand {
    fn spec(&self) -> CommandSpec {
        CommandSpec::new("doctor", "Say what is found, what is broken, and what to do")
            .option(OptionSpec::help("Show this help"))
            .note("Exits with 1 if something is broken.")
            .example("toolscout doctor")
    }

    fn run<'a>(&'a self, cx: &'a RunCx) -> BoxFuture<'a, Result<Exit, AppError>> {
        Box::pin(async {
            let findings = examine(cx).await?;
            match cx.options().format() {
                Format::Text => cx.print(&findings.lines())?,
                format => cx.print_value(&findings, format)?,
            }
            Ok(if findings.problems.is_empty() { Exit::Done } else { Exit::Failed })
        })
    }
}

async fn examine(cx: &RunCx) -> Result<Findings, AppError> {
    let place = cx.workspace().config();
    let trust = Trust::new(cx.environment(), cx.options());
    let found = cx.tools().discover_quietly().await?;
    let snapshot = cx.tools().gateway().snapshot();
    let mut tools: BTreeMap<&'static str, usize> = BTreeMap::new();
    snapshot.tools().for_each(|it| *tools.entry(it.status.word()).or_default() += 1);
    let flags = snapshot.tools().flat_map(|it| ToolFlags::of(it).problems);
    let all = place.problems.iter().cloned().chain(found.iter().cloned()).chain(flags);
    let is_note = |it: &&Diagnostic| {
        it.level == DiagnosticLevel::Debug && it.kind == DiagnosticKind::Collision && it.path.is_none()
    };
    Ok(Findings {
        version: env!("CARGO_PKG_VERSION"),
        trusted: place.root.as_deref().is_some_and(|it| trust.covers(it)),
        project: place.root.clone(),
        state: cx.environment().state_dir(),
        runtimes: ["node", "bun", "deno", "python3"].into_iter().map(|it| (it, find(cx, it))).collect(),
        tools,
        servers: Servers::of(cx, cx.tools().gateway())?,
        notes: found.iter().filter(is_note).cloned().map(Finding::from).collect(),
        problems: all.filter(|it| it.level == DiagnosticLevel::Warning).map(Finding::from).collect(),
    })
}

fn find(cx: &RunCx, program: &str) -> Option<PathBuf> {
    let path = cx.environment().var("PATH")?;
    std::env::split_paths(path).map(|it| it.join(program)).find(|it| it.is_file())
}

impl From<Diagnostic> for Finding {
    fn from(problem: Diagnostic) -> Self {
        Self { path: problem.path, message: problem.message, hint: problem.hint }
    }
}

impl Finding {
    fn lines(&self) -> String {
        let place = self.path.as_deref().map(|it| shown(it) + ": ").unwrap_or_default();
        let hint = self.hint.as_deref().map(|it| format!("  hint: {}\n", escape::text(it))).unwrap_or_default();
        format!("- {place}{}\n{hint}", escape::text(&self.message))
    }
}

fn shown(path: &Path) -> String {
    escape::line(&path.display().to_string()).into_owned()
}

impl Findings {
    fn lines(&self) -> String {
        let project =
            self.project.as_deref().map_or("none found upward from here (touch toolscout.toml)".to_owned(), shown);
        let trusted = if self.trusted { "yes" } else { "no (toolscout trust)" };
        let runtimes =
            self.runtimes.iter().map(|(name, path)| format!("{name} {}", if path.is_some() { "yes" } else { "no" }));
        let tools: usize = self.tools.values().sum();
        let states = self.tools.iter().map(|(word, count)| format!("{count} {word}")).collect::<Vec<_>>();
        let mut out = format!("version   {}\nproject   {project}\ntrusted   {trusted}\n", self.version);
        out += &format!("state     {}\n", self.state.as_deref().map_or("nowhere".to_owned(), shown));
        out += &format!("runtimes  {}\n", runtimes.collect::<Vec<_>>().join(", "));
        out += &format!(
            "tools     {tools}{}\n",
            if tools > 0 { format!(" ({})", states.join(", ")) } else { String::new() }
        );
        out += &self.servers.as_ref().map(|it| format!("servers   {}\n", it.line())).unwrap_or_default();
        for note in &self.notes {
            let hint = note.hint.as_deref().map(|it| format!(" ({it})")).unwrap_or_default();
            out += &escape::text(&format!("note      {}{hint}\n", note.message));
        }
        if self.problems.is_empty() {
            return out + "\nNo problems.\n";
        }
        out += &format!("\n{}:\n", counted(self.problems.len(), "problem"));
        out + &self.problems.iter().map(Finding::lines).collect::<String>()
    }
}
