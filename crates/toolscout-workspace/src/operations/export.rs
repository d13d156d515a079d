//! `export`: tools, or instructions to use them, in the format of another program.

mod opencode;
mod skill;

use super::client::launch;
use crate::error::file_failure;
use crate::tools::refuse_quarantined;
use crate::{AppError, Workspace};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use toolscout_core::change::{ChangeKind, DryRun, PlannedChange};
use toolscout_core::{Cx, Tool};
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
    /// Write files into this folder (opencode, skill)
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
            "`mcp` is the entry that makes a client start this program for this project; `skill` are instructions for agents.",
        ],
        examples: &[
            "toolscout export openai word-count",
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
        let ExportToolsInput { form, tools, to } = input;
        match (form, tools.is_empty()) {
            (ExportForm::Openai, _) => definitions(workspace, &tools, openai).await,
            (ExportForm::Anthropic, _) => definitions(workspace, &tools, anthropic).await,
            (ExportForm::Opencode, _) => {
                let shim = |tool: &Arc<Tool>| {
                    (opencode::file_name(tool), opencode::shim(tool, &workspace.program))
                };
                let files = chosen(workspace, &tools).await?.iter().map(shim).collect();
                export(workspace, to, files, opencode::is_ours, cx)
            }
            (ExportForm::Mcp, true) => entry(workspace, cx).map(ExportedTools::Definitions),
            (ExportForm::Skill, true) => {
                let file = (skill::file(&workspace.program), skill::text(&workspace.program));
                export(workspace, to, vec![file], skill::is_ours, cx)
            }
            (ExportForm::Mcp, false) => Err(of_no_tools("mcp")),
            (ExportForm::Skill, false) => Err(of_no_tools("skill")),
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

async fn chosen(workspace: &Workspace, names: &[String]) -> Result<Vec<Arc<Tool>>, AppError> {
    let gateway = workspace.tools.known().await?;
    if names.is_empty() {
        return Ok(gateway
            .snapshot()
            .tools()
            .filter(|tool| refuse_quarantined(tool).is_ok())
            .cloned()
            .collect());
    }
    let named = |name: &String| {
        let tool = gateway.resolve(name)?;
        refuse_quarantined(&tool).map(|()| tool)
    };
    names.iter().map(named).collect()
}

/// One named tool as an object, several as a list.
async fn definitions(
    workspace: &Workspace,
    names: &[String],
    form: fn(&Tool) -> Value,
) -> Result<ExportedTools, OperationError> {
    let tools = chosen(workspace, names).await?;
    let value = match (names, &tools[..]) {
        ([_], [tool]) => form(tool),
        _ => tools.iter().map(|tool| form(tool)).collect(),
    };
    Ok(ExportedTools::Definitions(value))
}

fn openai(tool: &Tool) -> Value {
    let (name, description, parameters) =
        (safe_name(tool), description(tool), tool.input_schema.to_value());
    json!({"type": "function", "function": {"name": name, "description": description, "parameters": parameters}})
}

fn anthropic(tool: &Tool) -> Value {
    json!({"name": safe_name(tool), "description": description(tool), "input_schema": tool.input_schema.to_value()})
}

fn description(tool: &Tool) -> String {
    tool.description.clone().unwrap_or_else(|| format!("{} tool: {}", tool.id.source, tool.id.name))
}

/// Model vendors allow letters, digits, `_` and `-`, at most 64 characters.
fn safe_name(tool: &Tool) -> String {
    let is_safe = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-');
    let letters = tool.id.name.as_str().chars();
    letters.map(|letter| if is_safe(letter) { letter } else { '_' }).take(64).collect()
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

/// The error for formats that do not depend on the tools.
fn of_no_tools(form: &str) -> OperationError {
    OperationError::invalid(format!("`export {form}` is not of single tools"))
        .hint(format!("toolscout export {form}"))
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
    files.iter().try_for_each(|(file, _)| check_ours(file, is_ours))?;
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
        _ => Ok(()),
    }
}

fn write_file(file: &Path, text: &str) -> Result<(), OperationError> {
    let folder = file.parent().unwrap_or(file);
    std::fs::create_dir_all(folder).map_err(file_failure("create the folder", folder))?;
    std::fs::write(file, text).map_err(file_failure("write", file))
}
