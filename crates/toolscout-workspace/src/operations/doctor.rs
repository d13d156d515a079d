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

/// The result of the checks.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Diagnosis {
    /// The version of toolscout.
    version: &'static str,
    /// The root folder of the project; null if there is none.
    project: Option<PathBuf>,
    /// Whether the project is trusted.
    trusted: bool,
    /// The directory of the cache, the audit log and the tokens; null if there is none.
    state_directory: Option<PathBuf>,
    /// The path of each runtime for tools; null if it is not installed.
    runtimes: BTreeMap<&'static str, Option<PathBuf>>,
    /// How many tools there are, by status.
    tools: BTreeMap<&'static str, usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    servers: Option<ServerHealth>,
    /// Everything that needs fixing.
    diagnostics: Vec<Symptom>,
    /// Notes that need no action.
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
        notes: &["Exits with 1 if there are problems."],
        examples: &["toolscout doctor"],
        ..OperationSpec::read(
            "doctor",
            "Check the setup and show how to fix problems",
            "/api/doctor",
        )
    };

    async fn run(workspace: &Workspace, _: NoInput, cx: &Cx) -> Result<Diagnosis, OperationError> {
        Ok(diagnose(workspace, cx).await?)
    }

    fn text(output: &Diagnosis, _: &Text) -> String {
        output.lines()
    }

    fn exit(output: &Diagnosis) -> Exit {
        if output.diagnostics.is_empty() { Exit::Done } else { Exit::Failed }
    }
}

async fn diagnose(workspace: &Workspace, cx: &Cx) -> Result<Diagnosis, AppError> {
    let config = workspace.config();
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
        trusted: config.root.as_deref().is_some_and(|root| trust.covers(root)),
        project: config.root.clone(),
        state_directory: workspace.environment.state_dir(),
        runtimes: ["node", "bun", "deno", "python3"]
            .into_iter()
            .map(|program| (program, find_program(workspace, program)))
            .collect(),
        tools,
        servers: ServerHealth::of(workspace, cx),
        notes: found.iter().filter(is_note).cloned().map(Symptom::from).collect(),
        diagnostics: all
            .filter(|diagnostic| diagnostic.level == DiagnosticLevel::Warning)
            .map(Symptom::from)
            .collect(),
    })
}

fn find(workspace: &Workspace, program: &str) -> Option<PathBuf> {
    let path = workspace.environment.var("PATH")?;
    std::env::split_paths(path).map(|it| it.join(program)).find(|it| it.is_file())
}

impl From<Diagnostic> for Symptom {
    fn from(diagnostic: Diagnostic) -> Self {
        Self { path: diagnostic.path, message: diagnostic.message, hint: diagnostic.hint }
    }
}

impl Symptom {
    fn lines(&self) -> String {
        let path = self.path.as_deref().map(|path| shown_path(path) + ": ").unwrap_or_default();
        let hint = self
            .hint
            .as_deref()
            .map(|hint| format!("  hint: {}\n", escape::text(hint)))
            .unwrap_or_default();
        format!("- {path}{}\n{hint}", escape::text(&self.message))
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
            self.state_directory.as_deref().map_or("nowhere".to_owned(), shown_path)
        );
        out += &format!("runtimes  {}\n", runtimes.collect::<Vec<_>>().join(", "));
        out += &format!(
            "tools     {tools}{}\n",
            if tools > 0 { format!(" ({})", states.join(", ")) } else { String::new() }
        );
        out += &self
            .servers
            .as_ref()
            .map(|servers| format!("servers   {}\n", servers.line()))
            .unwrap_or_default();
        for note in &self.notes {
            let hint = note.hint.as_deref().map(|hint| format!(" ({hint})")).unwrap_or_default();
            out += &escape::text(&format!("note      {}{hint}\n", note.message));
        }
        if self.problems.is_empty() {
            return out + "\nNo problems.\n";
        }
        out += &format!("\n{}:\n", counted(self.diagnostics.len(), "problem"));
        out + &self.diagnostics.iter().map(Symptom::lines).collect::<String>()
    }
}
