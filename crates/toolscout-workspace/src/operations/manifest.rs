//! `manifest build` and `manifest check`: the manifest of a folder, and the definitions that
//! its tools report themselves.

mod types;

pub(crate) use types::WriteTypes;

use crate::error::{failure, file_failure};
use crate::{AppError, Trust, Workspace, sandbox_host};
use futures_util::StreamExt;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use toolscout_config::{check_within, overwrite};
use toolscout_core::change::{ChangeKind, DryRun, PlannedChange};
use toolscout_core::{Cx, Diagnostic, DiagnosticKind, DiscoveryItem, ErrorKind, Source, ToolName};
use toolscout_folder::manifest::{self, ProbedDefinition};
use toolscout_folder::{FolderSource, GlobTools, ToolDirectories};
use toolscout_surface::codes::Exit;
use toolscout_surface::operation::{CommandName, Operation, OperationError, OperationSpec, Text};
use toolscout_surface::output::counted;

const FILE: &str = "manifest.json";
const NOTES: &[&str] =
    &["Starts the executables and modules of the folder to inspect them, so it must be trusted."];

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ManifestInput {
    /// The folder of tools; `tools` in the project root if omitted
    #[serde(default)]
    #[schemars(extend("x-cli" = {"positional": true, "value": "DIR"}))]
    folder: Option<PathBuf>,
}

/// Write the manifest of a folder.
pub(crate) struct BuildManifest;

#[derive(Serialize, JsonSchema)]
pub(crate) struct WrittenManifest {
    /// The path of the manifest.
    file: String,
    /// The number of tools in it.
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
        ..OperationSpec::local_change("manifest build", "Write the manifest of a folder")
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
        overwrite(workspace.config().project_folder(), &path, &text).map_err(failure)?;
        let trust = Trust::new(&workspace.environment, &workspace.options);
        let added = trust.folders.add_files(&folder, std::slice::from_ref(&path));
        added.map_err(|error| failure(AppError::not_stored(error)))?;
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
    /// The path of the manifest.
    file: String,
    /// Differences between the manifest and the tools.
    differences: Vec<String>,
}

impl Operation<Workspace> for CheckManifest {
    type Input = ManifestInput;
    type Output = ManifestCheck;

    const SPEC: OperationSpec = OperationSpec {
        commands: &[
            CommandName::new("manifest check"),
            CommandName::new("manifest").summary("Write or check the manifest of a folder"),
        ],
        notes: NOTES,
        examples: &["toolscout manifest check", "toolscout manifest check tools"],
        ..OperationSpec::local("manifest check", "Check the manifest of a folder")
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
    check_within(workspace.config().project_folder(), &folder).map_err(failure)?;
    folder.canonicalize().map_err(file_failure("find", &folder))
}

/// The definitions that the executables and modules of the folder report themselves; the
/// manifest is ignored. Nothing of an untrusted folder is started.
async fn definitions(
    workspace: &Workspace,
    folder: &Path,
    cx: &Cx,
) -> Result<Vec<ProbedDefinition>, OperationError> {
    let trust = Trust::new(&workspace.environment, &workspace.options);
    if !trust.covers(folder) {
        let message =
            format!("`{}` is not trusted: its programs are not started", folder.display());
        return Err(OperationError::from_kind(ErrorKind::Refused, message)
            .hint("read them, then run `toolscout trust`, or add `--trust` for this run"));
    }
    let mut definitions = read_definitions(workspace, folder, &[FILE], cx).await?;
    // A function without a description is found only through the manifest that describes it.
    let listed = read_definitions(workspace, folder, &[], cx).await?;
    definitions.extend(listed.into_iter().filter(|definition| definition.lacks_schema));
    Ok(definitions)
}

async fn read_definitions(
    workspace: &Workspace,
    folder: &Path,
    ignored: &[&str],
    cx: &Cx,
) -> Result<Vec<ProbedDefinition>, OperationError> {
    let trust = Trust::new(&workspace.environment, &workspace.options);
    let ignore = GlobTools::IGNORED.iter().chain(ignored).map(|name| (*name).to_owned());
    let source = FolderSource::builder()
        .roots(ToolDirectories(vec![folder.to_owned()]))
        .tools(GlobTools { patterns: None, ignore: Some(ignore.collect()) })
        .store(workspace.environment.store())
        .trust(trust.checker())
        .sandbox(sandbox_host(&workspace.config(), &workspace.environment))
        .build();
    let is_first = !ignored.is_empty();
    let mut names: Vec<ToolName> = Vec::new();
    let mut found = source.discover(cx.clone());
    while let Some(item) = found.next().await {
        match item? {
            DiscoveryItem::Tool(tool) => names.push(tool.id.name.clone()),
            DiscoveryItem::Diagnostic(diagnostic) if is_first => workspace.tools.warn(&diagnostic),
            _ => {}
        }
    }
    let mut definitions = Vec::new();
    for name in names {
        match source.definition(&name, cx).await {
            // Tool files and plain scripts need no manifest: it lists the definitions of
            // programs that must be started otherwise.
            Ok(definition) => definitions.extend(definition),
            Err(error) if is_first => {
                let diagnostic = Diagnostic::warning(DiagnosticKind::Broken, error.to_string());
                workspace.tools.warn(&diagnostic.with_path(folder));
            }
            Err(_) => {}
        }
    }
    Ok(definitions)
}
