//! `new`: write a small tool that works, as a start.

use super::{NewFile, ToolsFolder, check_listed};
use crate::Workspace;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolscout_core::Cx;
use toolscout_core::change::{ChangeKind, DryRun, PlannedChange};
use toolscout_surface::operation::{Operation, OperationError, OperationSpec, Text};

/// Write a new tool.
pub(crate) struct NewTool;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewToolInput {
    /// The name of the tool
    #[schemars(extend("x-cli" = {"positional": true, "value": "NAME"}))]
    name: String,
    /// The language; sh by default
    #[serde(default)]
    #[schemars(extend("x-cli" = {"value": "LANG"}))]
    lang: Option<ToolLanguage>,
    /// What the tool does
    #[serde(default)]
    #[schemars(extend("x-cli" = {"value": "TEXT"}))]
    description: Option<String>,
}

/// The language of a new tool.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
enum ToolLanguage {
    #[default]
    Sh,
    Python,
    Js,
    Ts,
    Rust,
}

/// The files of a new tool.
#[derive(Serialize, JsonSchema)]
pub(crate) struct CreatedTool {
    /// The name of the tool.
    name: String,
    /// The files, relative to the project.
    files: Vec<String>,
    #[serde(skip)]
    next: String,
    #[serde(skip)]
    planned: Option<PlannedChange>,
}

impl Operation<Workspace> for NewTool {
    type Input = NewToolInput;
    type Output = CreatedTool;

    const SPEC: OperationSpec = OperationSpec {
        notes: &["Writes into tools/ of the project and never overwrites a file."],
        examples: &[
            "toolscout new greet --lang python --description 'Greet someone'",
            "toolscout new resize --lang rust",
        ],
        ..OperationSpec::local_change("new", "Write a small tool, as a start for your own")
    };

    async fn run(
        workspace: &Workspace,
        input: NewToolInput,
        cx: &Cx,
    ) -> Result<CreatedTool, OperationError> {
        let NewToolInput { name, lang, description } = input;
        let description = description.unwrap_or_else(|| format!("Describe {name} here"));
        if description.chars().any(char::is_control) || description.trim().is_empty() {
            return Err(OperationError::invalid("`description` must be one line of text"));
        }
        let tools = ToolsFolder::find(workspace)?;
        tools.check_name(&name, workspace).await?;
        let files = files(&name, lang.unwrap_or_default(), &description);
        tools.check_files(&files)?;
        let shown: Vec<String> = files.iter().map(|file| tools.shown(&file.path)).collect();
        let change = cx.change(PlannedChange {
            kind: ChangeKind::Tool,
            subject: name.clone(),
            action: "added",
            summary: format!("write {}", shown.join(", ")),
        });
        let change = match change {
            Ok(change) => change,
            Err(DryRun(planned)) => {
                let (next, planned) = (String::new(), Some(planned));
                return Ok(CreatedTool { name, files: shown, next, planned });
            }
        };
        tools.write(&files, workspace, cx).await?;
        change.commit();
        check_listed(&name, workspace).await?;
        let next = tools.next_steps(&name, "--text hello --loud", workspace);
        Ok(CreatedTool { name, files: shown, next, planned: None })
    }

    fn text(output: &CreatedTool, _: &Text) -> String {
        let verb = if output.planned.is_some() { "Would write" } else { "Wrote" };
        output.files.iter().map(|file| format!("{verb} {file}\n")).collect()
    }

    fn is_data(_: &CreatedTool) -> bool {
        true
    }

    fn planned(output: &CreatedTool) -> Option<&PlannedChange> {
        output.planned.as_ref()
    }

    fn message(output: &CreatedTool, _: &Text) -> String {
        output.next.clone()
    }
}

/// The files of a tool, relative to the tools folder.
fn files(name: &str, language: ToolLanguage, description: &str) -> Vec<NewFile> {
    let file = |path: String, template: &str, description: &str| NewFile {
        text: template.replace("{{name}}", name).replace("{{description}}", description),
        is_executable: path.ends_with(".sh"),
        path,
    };
    // Each language has its own way to write a text that stays one.
    let in_comment = description.replace("*/", "* /");
    match language {
        ToolLanguage::Sh => {
            vec![file(format!("{name}.sh"), include_str!("templates/tool.sh"), description)]
        }
        ToolLanguage::Python => {
            // Docstrings are read as written, so nothing in them can be escaped.
            let text = description.replace('\\', "/").replace('"', "'");
            vec![file(format!("{name}.py"), include_str!("templates/tool.py"), &text)]
        }
        ToolLanguage::Js => {
            vec![file(format!("{name}.mjs"), include_str!("templates/tool.mjs"), &in_comment)]
        }
        ToolLanguage::Ts => {
            vec![file(format!("{name}.ts"), include_str!("templates/tool.ts"), &in_comment)]
        }
        ToolLanguage::Rust => {
            let quoted = serde_json::to_string(description).unwrap_or_default();
            let folder = |path: &str| format!("{name}/{path}");
            vec![
                file(
                    format!("{name}.tool.toml"),
                    include_str!("templates/rust.tool.toml"),
                    &quoted,
                ),
                file(folder("Cargo.toml"), include_str!("templates/Cargo.toml.txt"), ""),
                file(folder("src/main.rs"), include_str!("templates/main.rs.txt"), ""),
            ]
        }
    }
}
