//! `export`: tools, or instructions to use them, in the format of another program.

mod definitions;
mod opencode;
mod selection;
mod skill;

use super::client::own_launch_command;
use crate::Workspace;
use crate::error::{failure, file_failure};
use schemars::JsonSchema;
use selection::{NamedTool, ToolSelection, selected_tools};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use toolscout_config::check_within;
use toolscout_core::Cx;
use toolscout_core::change::{ChangeKind, DryRun, PlannedChange};
use toolscout_surface::operation::{ErrorCode, Operation, OperationError, OperationSpec, Text};
use toolscout_surface::output;
use toolscout_surface::output::counted;

/// Export tools in the format of another program.
pub(crate) struct ExportTools;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ExportToolsInput {
    /// The format
    #[schemars(extend("x-cli" = {"positional": true}))]
    format: ExportFormat,
    /// Export only these tools
    #[serde(default)]
    #[schemars(extend("x-cli" = {"positional": true, "value": "TOOL"}))]
    tools: Vec<String>,
    /// Export only tools that match this pattern, such as `github/*`; may be repeated
    #[serde(default)]
    #[schemars(extend("x-cli" = {"value": "PATTERN"}))]
    include: Vec<String>,
    /// Leave out tools that match this pattern, even if they are included; may be repeated
    #[serde(default)]
    #[schemars(extend("x-cli" = {"value": "PATTERN"}))]
    exclude: Vec<String>,
    /// Write files to this folder (opencode, skill)
    #[serde(default)]
    #[schemars(extend("x-cli" = {"value": "DIR"}))]
    to: Option<PathBuf>,
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
enum ExportFormat {
    Openai,
    Anthropic,
    Opencode,
    Mcp,
    Skill,
}

/// The exported tools.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum ExportedTools {
    Definitions(Value),
    Text {
        text: String,
    },
    Files {
        files: Vec<String>,
        #[serde(skip)]
        planned: Option<PlannedChange>,
    },
}

impl Operation<Workspace> for ExportTools {
    type Input = ExportToolsInput;
    type Output = ExportedTools;

    const SPEC: OperationSpec = OperationSpec {
        notes: &[
            "Each exported name is unique; `toolscout run NAME` runs its tool.",
            "`mcp` prints the entry with which a client starts toolscout for this project; `skill` prints instructions for agents.",
        ],
        examples: &[
            "toolscout export openai word-count",
            "toolscout export anthropic --include 'github/*' --exclude '*/delete_*'",
            "toolscout export opencode --to .opencode/tools",
            "toolscout export skill --to .claude/skills",
        ],
        ..OperationSpec::local_change("export", "Export tools for other programs")
    };

    async fn run(
        workspace: &Workspace,
        input: ExportToolsInput,
        cx: &Cx,
    ) -> Result<ExportedTools, OperationError> {
        let ExportToolsInput { format, tools, include, exclude, to } = input;
        let selection = ToolSelection::parse(tools, &include, &exclude)?;
        match format {
            ExportFormat::Openai => {
                definitions(workspace, &selection, definitions::openai, cx).await
            }
            ExportFormat::Anthropic => {
                definitions(workspace, &selection, definitions::anthropic, cx).await
            }
            ExportFormat::Opencode => {
                let tools = selected_tools(workspace, &selection, cx).await?;
                let files = opencode::files(&tools, &workspace.program);
                export(workspace, to, files, opencode::is_ours, cx)
            }
            ExportFormat::Mcp => {
                selection.check_empty("mcp")?;
                client_entry(workspace, cx).map(ExportedTools::Definitions)
            }
            ExportFormat::Skill => {
                selection.check_empty("skill")?;
                let file = (skill::file(&workspace.program), skill::text(&workspace.program));
                export(workspace, to, vec![file], skill::is_ours, cx)
            }
        }
    }

    fn text(output: &ExportedTools, _: &Text) -> String {
        match output {
            ExportedTools::Definitions(value) => output::json::pretty(value) + "\n",
            ExportedTools::Text { text } => text.clone(),
            ExportedTools::Files { files, planned } => {
                let would = if planned.is_some() { "would write " } else { "" };
                files.iter().map(|file| format!("{would}{file}\n")).collect()
            }
        }
    }

    fn is_data(_: &ExportedTools) -> bool {
        true
    }

    fn planned(output: &ExportedTools) -> Option<&PlannedChange> {
        match output {
            ExportedTools::Files { planned, .. } => planned.as_ref(),
            _ => None,
        }
    }
}

/// The selected tools as a list, also if it has only one.
async fn definitions(
    workspace: &Workspace,
    selection: &ToolSelection,
    form: fn(&NamedTool) -> Value,
    cx: &Cx,
) -> Result<ExportedTools, OperationError> {
    let tools = selected_tools(workspace, selection, cx).await?;
    Ok(ExportedTools::Definitions(tools.iter().map(form).collect()))
}

/// `{"mcpServers": …}` with this program in it. It has the path of the project, because a
/// client may start in any folder.
fn client_entry(workspace: &Workspace, cx: &Cx) -> Result<Value, OperationError> {
    let program = &*workspace.program;
    if workspace.parts.events.is_none() {
        let message = format!("`{program}` has no command `serve`, so no client can start it");
        return Err(OperationError::new(ErrorCode::SourceUnavailable, message));
    }
    // The full path: a client may have another `PATH` than this terminal.
    let launch = own_launch_command(workspace, true)?;
    let project = cx
        .project
        .as_ref()
        .map(|project| ["-C".to_owned(), project.to_string_lossy().into_owned()]);
    let args: Vec<String> = project.into_iter().flatten().chain(launch.args).collect();
    Ok(json!({"mcpServers": {program: {"command": launch.command, "args": args}}}))
}

/// Returns the texts of these files, or writes them into a folder. It overwrites only files
/// that an earlier export wrote.
fn export(
    workspace: &Workspace,
    folder: Option<PathBuf>,
    files: Vec<(String, String)>,
    is_ours: fn(&str) -> bool,
    cx: &Cx,
) -> Result<ExportedTools, OperationError> {
    let Some(folder) = folder else {
        return Ok(ExportedTools::Text { text: files.into_iter().map(|(_, text)| text).collect() });
    };
    let folder = workspace.environment.cwd().join(folder);
    let files: Vec<_> = files.into_iter().map(|(name, text)| (folder.join(name), text)).collect();
    let config = workspace.config();
    for (file, _) in &files {
        check_within(config.project_folder(), file).map_err(failure)?;
        check_ours(file, is_ours)?;
    }
    let paths = files.iter().map(|(file, _)| file.display().to_string()).collect();
    let subject = folder.display().to_string();
    let summary = format!("write {} to `{subject}`", counted(files.len(), "file"));
    match cx.change(PlannedChange { kind: ChangeKind::Export, subject, action: "changed", summary })
    {
        Ok(change) => {
            files.iter().try_for_each(|(file, text)| write_file(file, text))?;
            change.commit();
            Ok(ExportedTools::Files { files: paths, planned: None })
        }
        Err(DryRun(planned)) => Ok(ExportedTools::Files { files: paths, planned: Some(planned) }),
    }
}

fn check_ours(file: &Path, is_ours: fn(&str) -> bool) -> Result<(), OperationError> {
    match std::fs::read_to_string(file) {
        Ok(text) if !is_ours(&text) => {
            let error = OperationError::invalid(format!(
                "`{}` already exists and was not written by toolscout",
                file.display()
            ));
            Err(error.hint("move it away, or choose another folder with --to"))
        }
        Ok(_) => Ok(()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
        // A file that cannot be read, or is no text, is none of ours.
        Err(error) => Err(file_failure("read", file)(error)),
    }
}

fn write_file(file: &Path, text: &str) -> Result<(), OperationError> {
    let folder = file.parent().unwrap_or(file);
    std::fs::create_dir_all(folder).map_err(file_failure("create the folder", folder))?;
    std::fs::write(file, text).map_err(file_failure("write", file))
}
