//! `doctor`: the discovered tools, the problems, and how to fix them.

mod server_health;

use super::shown_path;
use super::status::NoInput;
use crate::sandbox::enforcement;
use crate::{AppError, Trust, Workspace};
use schemars::JsonSchema;
use serde::Serialize;
use server_health::ServerHealth;
use std::collections::BTreeMap;
use std::path::PathBuf;
use toolscout_core::{Cx, Diagnostic, DiagnosticKind, DiagnosticLevel, escape, grouped};
use toolscout_gateway::IndexedTools;
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
    /// What the sandbox enforces on this system.
    sandbox: String,
    /// The number of tools by status.
    tools: BTreeMap<&'static str, usize>,
    /// How many tools semantic search finds; absent if it is off.
    #[serde(skip_serializing_if = "Option::is_none")]
    semantic_index: Option<IndexHealth>,
    #[serde(skip_serializing_if = "Option::is_none")]
    servers: Option<ServerHealth>,
    /// Everything that needs fixing.
    diagnostics: Vec<Symptom>,
    /// Notes that need no action.
    notes: Vec<Symptom>,
    /// Files in the tools folders that are no tools, and how to make them tools.
    ignored: Vec<Symptom>,
}

/// The state of the semantic index.
#[derive(Serialize, JsonSchema)]
struct IndexHealth {
    /// The number of tools with an embedding.
    indexed: usize,
    /// The number of searchable tools.
    total: usize,
}

/// A diagnostic or a note.
#[derive(Serialize, JsonSchema)]
struct Symptom {
    /// The file it is about.
    path: Option<PathBuf>,
    /// What is wrong.
    message: String,
    /// How to fix it.
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
    snapshot.tools().for_each(|tool| *tools.entry(tool.status.as_str()).or_default() += 1);
    let flags = snapshot
        .tools()
        .flat_map(|tool| ToolFlags::new(tool).diagnostics)
        .filter(|diagnostic| !found.contains(diagnostic));
    let all = config.diagnostics.iter().cloned().chain(found.iter().cloned()).chain(flags);
    let is_note = |diagnostic: &&Diagnostic| {
        diagnostic.level == DiagnosticLevel::Debug
            && diagnostic.kind == DiagnosticKind::Collision
            && diagnostic.path.is_none()
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
        sandbox: enforcement(&config),
        tools,
        semantic_index: workspace
            .tools
            .gateway()
            .indexed_tools()
            .await
            .map(|IndexedTools { indexed, total }| IndexHealth { indexed, total }),
        servers: ServerHealth::new(workspace, cx),
        ignored: ignored(found).cloned().map(Symptom::from).collect(),
        notes: found.iter().filter(is_note).cloned().map(Symptom::from).collect(),
        diagnostics: all
            .filter(|diagnostic| diagnostic.level == DiagnosticLevel::Warning)
            .map(Symptom::from)
            .collect(),
    })
}

/// Diagnostics about files that could become tools.
pub(super) fn ignored(found: &[Diagnostic]) -> impl Iterator<Item = &Diagnostic> {
    found.iter().filter(|diagnostic| diagnostic.kind == DiagnosticKind::Ignored)
}

fn find_program(workspace: &Workspace, program: &str) -> Option<PathBuf> {
    let path = workspace.environment.var("PATH")?;
    std::env::split_paths(path).map(|folder| folder.join(program)).find(|file| file.is_file())
}

impl IndexHealth {
    fn needs_indexing(&self) -> bool {
        IndexedTools { indexed: self.indexed, total: self.total }.needs_indexing()
    }
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
        out += &format!("sandbox   {}\n", self.sandbox);
        out += &format!(
            "tools     {tools}{}\n",
            if tools > 0 { format!(" ({})", states.join(", ")) } else { String::new() }
        );
        if let Some(index @ IndexHealth { indexed, total }) = &self.semantic_index
            && index.needs_indexing()
        {
            let (indexed, total) = (grouped(*indexed), grouped(*total));
            out += &format!(
                "index     {indexed} of {total} tools; keyword search for the rest (toolscout index)\n"
            );
        }
        out += &self
            .servers
            .as_ref()
            .map(|servers| format!("servers   {}\n", servers.line()))
            .unwrap_or_default();
        for note in &self.notes {
            let hint = note.hint.as_deref().map(|hint| format!(" ({hint})")).unwrap_or_default();
            out += &escape::text(&format!("note      {}{hint}\n", note.message));
        }
        if !self.ignored.is_empty() {
            out += &format!("\n{}:\n", counted(self.ignored.len(), "ignored file"));
            out += &self.ignored.iter().map(Symptom::lines).collect::<String>();
        }
        if self.diagnostics.is_empty() {
            return out + "\nNo problems.\n";
        }
        out += &format!("\n{}:\n", counted(self.diagnostics.len(), "problem"));
        out + &self.diagnostics.iter().map(Symptom::lines).collect::<String>()
    }
}
