//! `doctor`: the discovered tools, the problems, and how to fix them.

mod server_health;

use super::shown_path;
use super::status::NoInput;
use crate::{AppError, Trust, Workspace};
use schemars::JsonSchema;
use serde::Serialize;
use server_health::ServerHealth;
use std::collections::BTreeMap;
use std::path::PathBuf;
use toolscout_core::{Cx, Diagnostic, DiagnosticKind, DiagnosticLevel, escape};
use toolscout_surface::cli::ToolFlags;
use toolscout_surface::codes::Exit;
use toolscout_surface::operation::{Access, Operation, OperationError, OperationSpec, Text};
use toolscout_surface::output::counted;

/// Check the project, its tools and its servers.
pub(crate) struct Diagnose;

/// What was found, in the order it is shown.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Diagnosis {
    /// The version of toolscout.
    version: &'static str,
    /// The project's root.
    project: Option<PathBuf>,
    /// Whether the project is trusted.
    trusted: bool,
    /// The folder of everything that is stored.
    state: Option<PathBuf>,
    /// The programs that run tools, and where they are.
    runtimes: BTreeMap<&'static str, Option<PathBuf>>,
    /// How many tools there are, by status.
    tools: BTreeMap<&'static str, usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    servers: Option<ServerHealth>,
    /// What is broken.
    problems: Vec<Symptom>,
    /// What is good to know.
    notes: Vec<Symptom>,
}

/// Something that was found.
#[derive(Serialize, JsonSchema)]
struct Symptom {
    path: Option<PathBuf>,
    message: String,
    hint: Option<String>,
}

impl Operation<Workspace> for Diagnose {
    type Input = NoInput;
    type Output = Diagnosis;

    const SPEC: OperationSpec = OperationSpec {
        access: Access::Operator,
        notes: &["Exits with 1 if something is broken."],
        examples: &["toolscout doctor"],
        ..OperationSpec::read(
            "doctor",
            "Check the setup and show how to fix what is broken",
            "/api/doctor",
        )
    };

    async fn run(workspace: &Workspace, _: NoInput, cx: &Cx) -> Result<Diagnosis, OperationError> {
        Ok(examine(workspace, cx).await?)
    }

    fn text(output: &Diagnosis, _: &Text) -> String {
        output.lines()
    }

    fn exit(output: &Diagnosis) -> Exit {
        if output.problems.is_empty() { Exit::Done } else { Exit::Failed }
    }
}

async fn examine(workspace: &Workspace, cx: &Cx) -> Result<Diagnosis, AppError> {
    let place = workspace.config();
    let trust = Trust::new(&workspace.environment, &workspace.options);
    let found = workspace.tools.discover_quietly().await?;
    let snapshot = workspace.tools.gateway().snapshot();
    let mut tools: BTreeMap<&'static str, usize> = BTreeMap::new();
    snapshot.tools().for_each(|it| *tools.entry(it.status.word()).or_default() += 1);
    let flags = snapshot.tools().flat_map(|it| ToolFlags::of(it).problems);
    let all = place.problems.iter().cloned().chain(found.iter().cloned()).chain(flags);
    let is_note = |it: &&Diagnostic| {
        it.level == DiagnosticLevel::Debug
            && it.kind == DiagnosticKind::Collision
            && it.path.is_none()
    };
    Ok(Diagnosis {
        version: env!("CARGO_PKG_VERSION"),
        trusted: place.root.as_deref().is_some_and(|it| trust.covers(it)),
        project: place.root.clone(),
        state: workspace.environment.state_dir(),
        runtimes: ["node", "bun", "deno", "python3"]
            .into_iter()
            .map(|it| (it, find(workspace, it)))
            .collect(),
        tools,
        servers: ServerHealth::of(workspace, cx),
        notes: found.iter().filter(is_note).cloned().map(Symptom::from).collect(),
        problems: all
            .filter(|it| it.level == DiagnosticLevel::Warning)
            .map(Symptom::from)
            .collect(),
    })
}

fn find(workspace: &Workspace, program: &str) -> Option<PathBuf> {
    let path = workspace.environment.var("PATH")?;
    std::env::split_paths(path).map(|it| it.join(program)).find(|it| it.is_file())
}

impl From<Diagnostic> for Symptom {
    fn from(problem: Diagnostic) -> Self {
        Self { path: problem.path, message: problem.message, hint: problem.hint }
    }
}

impl Symptom {
    fn lines(&self) -> String {
        let place = self.path.as_deref().map(|it| shown_path(it) + ": ").unwrap_or_default();
        let hint = self
            .hint
            .as_deref()
            .map(|it| format!("  hint: {}\n", escape::text(it)))
            .unwrap_or_default();
        format!("- {place}{}\n{hint}", escape::text(&self.message))
    }
}

impl Diagnosis {
    fn lines(&self) -> String {
        let project = self
            .project
            .as_deref()
            .map_or("none found upward from here (touch toolscout.toml)".to_owned(), shown_path);
        let trusted = if self.trusted { "yes" } else { "no (toolscout trust)" };
        let runtimes = self
            .runtimes
            .iter()
            .map(|(name, path)| format!("{name} {}", if path.is_some() { "yes" } else { "no" }));
        let tools: usize = self.tools.values().sum();
        let states =
            self.tools.iter().map(|(word, count)| format!("{count} {word}")).collect::<Vec<_>>();
        let mut out =
            format!("version   {}\nproject   {project}\ntrusted   {trusted}\n", self.version);
        out += &format!(
            "state     {}\n",
            self.state.as_deref().map_or("nowhere".to_owned(), shown_path)
        );
        out += &format!("runtimes  {}\n", runtimes.collect::<Vec<_>>().join(", "));
        out += &format!(
            "tools     {tools}{}\n",
            if tools > 0 { format!(" ({})", states.join(", ")) } else { String::new() }
        );
        out += &self
            .servers
            .as_ref()
            .map(|it| format!("servers   {}\n", it.line()))
            .unwrap_or_default();
        for note in &self.notes {
            let hint = note.hint.as_deref().map(|it| format!(" ({it})")).unwrap_or_default();
            out += &escape::text(&format!("note      {}{hint}\n", note.message));
        }
        if self.problems.is_empty() {
            return out + "\nNo problems.\n";
        }
        out += &format!("\n{}:\n", counted(self.problems.len(), "problem"));
        out + &self.problems.iter().map(Symptom::lines).collect::<String>()
    }
}
