//! `manifest build` and `manifest check`: the manifest of a folder, and the definitions that
//! its tools report themselves.

use crate::Workspace;
use crate::error::{failure, file_failure};
use futures_util::StreamExt;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use toolscout_config::overwrite;
use toolscout_core::change::{ChangeKind, DryRun, PlannedChange};
use toolscout_core::{Cx, Diagnostic, DiagnosticKind, DiscoveryItem, Source, ToolName};
use toolscout_folder::manifest::{self, ProbedDefinition};
use toolscout_folder::{FolderSource, GlobTools, ToolDirectories};
use toolscout_surface::codes::Exit;
use toolscout_surface::operation::{CommandName, Operation, OperationError, OperationSpec, Text};
use toolscout_surface::output::counted;

const FILE: &str = "manifest.json";
const NOTES: &[&str] = &["Both start the folder's executables and modules to inspect them."];

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ManifestInput {
    /// The folder of tools; the project's `tools` if left out
    #[serde(default)]
    #[schemars(extend("x-cli" = {"positional": true, "value": "DIR"}))]
    folder: Option<PathBuf>,
}

/// Write the manifest of a folder.
pub(crate) struct BuildManifest;

#[derive(Serialize, JsonSchema)]
pub(crate) struct WrittenManifest {
    /// Where it is.
    file: String,
    /// How many tools it has.
    tools: usize,
    #[serde(skip)]
    text: String,
    #[serde(skip)]
    planned: Option<PlannedChange>,
}

impl Operation<Workspace> for BuildManifest {
    type Input = ManifestInput;
    type Output = WrittenManifest;

    const SPEC: OperationSpec = OperationSpec {
        notes: NOTES,
        examples: &["toolscout manifest build", "toolscout manifest build tools"],
        ..OperationSpec::local_change("manifest build", "Write a folder's manifest")
    };

    async fn run(
        workspace: &Workspace,
        input: ManifestInput,
        cx: &Cx,
    ) -> Result<WrittenManifest, OperationError> {
        let folder = folder(workspace, input)?;
        let definitions = definitions(workspace, &folder, cx).await?;
        let (path, text) = (folder.join(FILE), manifest::build(&folder, &definitions));
        let (file, tools) = (path.display().to_string(), definitions.len());
        let (subject, summary) = (file.clone(), format!("write `{file}`"));
        let change = cx.change(PlannedChange {
            kind: ChangeKind::Manifest,
            subject,
            action: "changed",
            summary,
        });
        let change = match change {
            Ok(change) => change,
            Err(DryRun(planned)) => {
                return Ok(WrittenManifest { file, tools, text, planned: Some(planned) });
            }
        };
        overwrite(&path, &text).map_err(failure)?;
        change.commit();
        Ok(WrittenManifest { file, tools, text, planned: None })
    }

    fn text(output: &WrittenManifest, _: &Text) -> String {
        match output.planned {
            Some(_) => output.text.clone(),
            None => format!("Wrote {} to {}\n", counted(output.tools, "tool"), output.file),
        }
    }

    fn is_data(output: &WrittenManifest) -> bool {
        output.planned.is_some()
    }

    fn planned(output: &WrittenManifest) -> Option<&PlannedChange> {
        output.planned.as_ref()
    }
}

/// Compare the manifest of a folder with its tools.
pub(crate) struct CheckManifest;

#[derive(Serialize, JsonSchema)]
pub(crate) struct ManifestCheck {
    /// The manifest.
    file: String,
    /// How it differs from its tools.
    differences: Vec<String>,
}

impl Operation<Workspace> for CheckManifest {
    type Input = ManifestInput;
    type Output = ManifestCheck;

    const SPEC: OperationSpec = OperationSpec {
        commands: &[
            CommandName::new("manifest check"),
            CommandName::new("manifest").summary("Write a folder's manifest, or check it"),
        ],
        notes: NOTES,
        examples: &["toolscout manifest check", "toolscout manifest check tools"],
        ..OperationSpec::local("manifest check", "Check a folder's manifest")
    };

    async fn run(
        workspace: &Workspace,
        input: ManifestInput,
        cx: &Cx,
    ) -> Result<ManifestCheck, OperationError> {
        let folder = folder(workspace, input)?;
        let definitions = definitions(workspace, &folder, cx).await?;
        let path = folder.join(FILE);
        let text = std::fs::read_to_string(&path).map_err(file_failure("read", &path))?;
        let file = path.display().to_string();
        let differences =
            manifest::check(&text, &folder, &definitions, Path::exists).map_err(|reason| {
                OperationError::invalid(format!("{file}: {reason}"))
                    .hint("fix it, or run `toolscout manifest build`")
            })?;
        Ok(ManifestCheck { file, differences })
    }

    fn text(output: &ManifestCheck, _: &Text) -> String {
        output.differences.iter().map(|difference| format!("{difference}\n")).collect()
    }

    fn message(output: &ManifestCheck, _: &Text) -> String {
        if output.differences.is_empty() {
            format!("{} is up to date\n", output.file)
        } else {
            "  hint: toolscout manifest build\n".to_owned()
        }
    }

    fn exit(output: &ManifestCheck) -> Exit {
        if output.differences.is_empty() { Exit::Done } else { Exit::Failed }
    }
}

fn folder(workspace: &Workspace, input: ManifestInput) -> Result<PathBuf, OperationError> {
    let folder = match input.folder {
        Some(given) => workspace.environment.cwd().join(given),
        None => workspace.config().project_folder().join("tools"),
    };
    folder.canonicalize().map_err(file_failure("find", &folder))
}

/// The definitions that the executables and modules of the folder report themselves; the
/// manifest is ignored. The operator named the folder, so they may be started.
async fn definitions(
    workspace: &Workspace,
    folder: &Path,
    cx: &Cx,
) -> Result<Vec<ProbedDefinition>, OperationError> {
    let ignore = GlobTools::IGNORED.iter().copied().chain([FILE]).map(str::to_owned);
    let source = FolderSource::builder()
        .roots(ToolDirectories(vec![folder.to_owned()]))
        .tools(GlobTools { patterns: None, ignore: Some(ignore.collect()) })
        .store(workspace.environment.store())
        .trust(Arc::new(|_: &Path| true))
        .build();
    let mut names: Vec<ToolName> = Vec::new();
    let mut found = source.discover(cx.clone());
    while let Some(item) = found.next().await {
        match item? {
            DiscoveryItem::Tool(tool) => names.push(tool.id.name.clone()),
            DiscoveryItem::Diagnostic(problem) => workspace.tools.warn(&problem),
            _ => {}
        }
    }
    let mut definitions = Vec::new();
    for name in names {
        match source.definition(&name, cx).await {
            // Tool files and plain scripts need no manifest: it lists the definitions of
            // programs that must be started otherwise.
            Ok(definition) => definitions.extend(definition),
            Err(error) => {
                let problem = Diagnostic::warning(DiagnosticKind::Broken, error.to_string());
                workspace.tools.warn(&problem.at(folder));
            }
        }
    }
    Ok(definitions)
}
