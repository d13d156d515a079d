//! `wrap`: make a tool of an existing program, from what its `--help` prints.

use super::{NewFile, ToolsFolder, check_listed};
use crate::Workspace;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolscout_core::change::{ChangeKind, DryRun, PlannedChange};
use toolscout_core::{Cx, escape};
use toolscout_folder::tasks::{TaskToolFile, task_tool_file};
use toolscout_folder::wrap::{
    CommandHelp, HELP_LIMIT, ToolDraft, WrappedCommand, read_help, run_help, tool_file,
};
use toolscout_surface::operation::{Confirm, Operation, OperationError, OperationSpec, Text};
use toolscout_surface::output::counted;

/// Make a tool of a program.
pub(crate) struct WrapProgram;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("x-cli-rest" = ["command", "args"]))]
pub(crate) struct WrapInput {
    /// The program
    #[serde(default)]
    command: Option<String>,
    /// Words after the program: a subcommand, or the script of an interpreter
    #[serde(default)]
    args: Vec<String>,
    /// The name of the tool; by default made from the command
    #[serde(default)]
    #[schemars(extend("x-cli" = {"value": "NAME"}))]
    name: Option<String>,
}

/// A written tool file, or the plan to write it.
#[derive(Serialize, JsonSchema)]
pub(crate) struct WrappedTool {
    /// The name of the tool.
    name: String,
    /// The tool file, relative to the project.
    file: String,
    /// The command that prints the help; null if nothing has to run.
    help_command: Option<String>,
    /// The text of the tool file; null before it is written.
    text: Option<String>,
    /// The number of parameters.
    parameters: usize,
    /// Notes about the text.
    notes: Vec<String>,
    #[serde(skip)]
    next: String,
    #[serde(skip)]
    planned: Option<PlannedChange>,
}

impl Operation<Workspace> for WrapProgram {
    type Input = WrapInput;
    type Output = WrappedTool;

    const SPEC: OperationSpec = OperationSpec {
        notes: &[
            "Runs the command once, with --help only (git: -h), for at most 10 seconds, and reads what it prints.",
            "Writes tools/NAME.tool.toml and never overwrites a file. Change the file as you like.",
        ],
        examples: &["toolscout wrap -- sort", "toolscout wrap --name by-size -- sort"],
        confirm: Confirm::Always,
        ..OperationSpec::local_change("wrap", "Make a tool of an existing program")
    };

    async fn run(
        workspace: &Workspace,
        input: WrapInput,
        cx: &Cx,
    ) -> Result<WrappedTool, OperationError> {
        let Some(program) = input.command else {
            return Err(OperationError::invalid("the program is missing")
                .hint("toolscout wrap -- ./scripts/deploy.sh"));
        };
        let typed: Vec<String> = std::iter::once(program).chain(input.args).collect();
        let tools = ToolsFolder::find(workspace)?;
        let cwd = workspace.options.folder(workspace.environment.cwd());
        if let Some(task) = task_tool_file(&typed, &tools.project, input.name.as_deref()) {
            let task = task.map_err(OperationError::invalid)?;
            return write_task(&tools, task, workspace, cx).await;
        }
        let command = WrappedCommand::find(&typed, &cwd, &tools.project, &tools.path)
            .map_err(OperationError::invalid)?;
        let name = input.name.unwrap_or_else(|| command.name.clone());
        tools.check_name(&name, workspace).await.map_err(|error| error.hint("add --name NAME"))?;
        let path = format!("{name}.tool.toml");
        let mut file = NewFile { path, text: String::new(), is_executable: false };
        tools.check_files(std::slice::from_ref(&file))?;
        let shown = tools.shown(&file.path);
        let line = command.help_line();
        let mut output = WrappedTool {
            name: name.clone(),
            file: shown.clone(),
            help_command: Some(line.clone()),
            text: None,
            parameters: 0,
            notes: Vec::new(),
            next: String::new(),
            planned: None,
        };
        let change = cx.change(PlannedChange {
            kind: ChangeKind::Tool,
            subject: name.clone(),
            action: "added",
            summary: format!("run `{line}` and write {shown}"),
        });
        let change = match change {
            Ok(change) => change,
            Err(DryRun(planned)) => return Ok(WrappedTool { planned: Some(planned), ..output }),
        };
        let text = run_help(&command).await?;
        let mut help = read_help(&text, &command.words);
        help.about = help.about.or_else(|| command.summary());
        if help.needs_subcommand {
            return Err(needs_subcommand(&command.words, &help));
        }
        output.notes = notes(&help, &line, &shown);
        output.parameters = (help.options.len() + help.positionals.len()).max(1);
        let draft = ToolDraft { name: name.clone(), command: command.argv, origin: line, help };
        file.text = tool_file(&draft);
        tools.write(std::slice::from_ref(&file), workspace, cx).await?;
        change.commit();
        check_listed(&name, workspace).await?;
        output.next = tools.next_steps(&name, "--help", workspace);
        Ok(WrappedTool { text: Some(file.text), ..output })
    }

    fn text(output: &WrappedTool, _: &Text) -> String {
        match (&output.text, &output.help_command) {
            (Some(text), _) => text.clone(),
            (None, Some(line)) => format!(
                "Runs `{}` for at most {} s, and writes {} from what it prints.\n",
                escape::line(line),
                HELP_LIMIT.as_secs(),
                output.file
            ),
            (None, None) => String::new(),
        }
    }

    fn is_data(output: &WrappedTool) -> bool {
        output.planned.is_none()
    }

    fn planned(output: &WrappedTool) -> Option<&PlannedChange> {
        output.planned.as_ref()
    }

    fn message(output: &WrappedTool, _: &Text) -> String {
        if output.planned.is_some() {
            return String::new();
        }
        let parameters = counted(output.parameters, "parameter");
        format!("\nWrote {} with {parameters}.\n{}", output.file, output.next)
    }

    fn notes(output: &WrappedTool) -> Vec<String> {
        output.notes.clone()
    }
}

/// Writes the tool file of a task. Nothing runs: its file describes it.
async fn write_task(
    tools: &ToolsFolder,
    task: TaskToolFile,
    workspace: &Workspace,
    cx: &Cx,
) -> Result<WrappedTool, OperationError> {
    let TaskToolFile { name, text, parameters } = task;
    tools.check_name(&name, workspace).await?;
    let path = format!("{name}.tool.toml");
    let files = [NewFile { path, text: text.clone(), is_executable: false }];
    tools.check_files(&files)?;
    let file = tools.shown(&files[0].path);
    let summary = format!("write {file}");
    let subject = name.clone();
    let mut output = WrappedTool {
        name,
        file,
        help_command: None,
        text: Some(text),
        parameters,
        notes: Vec::new(),
        next: String::new(),
        planned: None,
    };
    let change =
        cx.change(PlannedChange { kind: ChangeKind::Tool, subject, action: "added", summary });
    match change {
        Err(DryRun(planned)) => return Ok(WrappedTool { planned: Some(planned), ..output }),
        Ok(change) => {
            tools.write(&files, workspace, cx).await?;
            change.commit();
        }
    }
    check_listed(&output.name, workspace).await?;
    output.next = tools.next_steps(&output.name, "--help", workspace);
    Ok(output)
}

fn needs_subcommand(words: &[String], help: &CommandHelp) -> OperationError {
    let names: Vec<&str> = help.subcommands.iter().map(|(name, _)| name.as_str()).collect();
    let typed = words.join(" ");
    let message = format!("`{typed}` has subcommands: {}", names.join(", "));
    OperationError::invalid(message)
        .hint(format!("wrap one of them: toolscout wrap -- {typed} {}", names[0]))
}

fn notes(help: &CommandHelp, line: &str, file: &str) -> Vec<String> {
    let mut notes = Vec::new();
    if help.is_empty() {
        notes.push(format!(
            "`{line}` prints no options that can be read, so the tool takes a list of arguments; \
             describe its parameters in {file}"
        ));
    }
    if !help.subcommands.is_empty() {
        let names: Vec<&str> = help.subcommands.iter().map(|(name, _)| name.as_str()).collect();
        notes.push(format!(
            "it also has subcommands, which are not a part of the tool: {}",
            names.join(", ")
        ));
    }
    notes
}
