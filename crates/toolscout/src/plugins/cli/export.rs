//! `export`: tools, or the way to them, in the form that something else takes.

mod mcp;
mod opencode;
mod skill;

use super::tool_command::refuse_held;
use crate::{AppError, Command, RunCx};
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;
use toolscout_core::{BoxFuture, Tool};
use toolscout_surface::cli::{CommandSpec, OptionSpec, PositionalSpec};
use toolscout_surface::codes::Exit;
use toolscout_surface::output::Format;

pub(super) struct ExportCommand;

const FORMS: [&str; 5] = ["openai", "anthropic", "opencode", "mcp", "skill"];

impl Command for ExportCommand {
    fn spec(&self) -> CommandSpec {
        CommandSpec::new("export", "Give tools in the form that something else takes")
            .positional(PositionalSpec::new("FORM", "Who takes them").required().choices(FORMS))
            .positional(PositionalSpec::new("TOOL", "Only these tools").many())
            .option(OptionSpec::text("to", "Write files into this folder (opencode, skill)").value("DIR"))
            .option(OptionSpec::help("Show this help"))
            .example("toolscout export openai word-count")
            .example("toolscout export opencode --to .opencode/tools")
            .example("toolscout export skill --to .claude/skills")
            .note("`mcp` is the entry that makes a client start this program for this project; `skill` are instructions for agents.")
    }

    fn run<'a>(&'a self, cx: &'a RunCx) -> BoxFuture<'a, Result<Exit, AppError>> {
        Box::pin(async {
            let format = match cx.options().format() {
                Format::Text => Format::Json,
                format => format,
            };
            match cx.parsed.positionals[0].as_str() {
                "openai" => print(cx, chosen(cx).await?.iter().map(|it| openai(it)).collect(), format)?,
                "anthropic" => print(cx, chosen(cx).await?.iter().map(|it| anthropic(it)).collect(), format)?,
                "opencode" => opencode_files(cx, &chosen(cx).await?)?,
                form if cx.parsed.positionals.len() > 1 => return Err(of_no_tools(form)),
                "mcp" => cx.print_value(&mcp::entry(cx)?, format)?,
                _ => skill_file(cx)?,
            }
            Ok(Exit::Done)
        })
    }
}

async fn chosen(cx: &RunCx) -> Result<Vec<Arc<Tool>>, AppError> {
    let gateway = cx.tools().known().await?;
    let named = |name: &String| {
        let tool = gateway.resolve(name)?;
        refuse_held(&tool).map(|()| tool)
    };
    match &cx.parsed.positionals[1..] {
        [] => Ok(gateway.snapshot().tools().filter(|it| refuse_held(it).is_ok()).cloned().collect()),
        names => names.iter().map(named).collect(),
    }
}

/// What is the same whatever tools there are.
fn of_no_tools(form: &str) -> AppError {
    let message = format!("`export {form}` is not of single tools");
    AppError::invalid(message, format!("toolscout export {form}"))
}

/// One tool by itself, several as a list.
fn print(cx: &RunCx, mut values: Vec<Value>, format: Format) -> Result<(), AppError> {
    let one = cx.parsed.positionals.len() == 2 && values.len() == 1;
    if one { cx.print_value(&values.remove(0), format) } else { cx.print_value(&values, format) }
}

fn openai(tool: &Tool) -> Value {
    let parameters = tool.input_schema.to_value();
    json!({"type": "function", "function": {"name": safe_name(tool), "description": description(tool), "parameters": parameters}})
}

fn anthropic(tool: &Tool) -> Value {
    json!({"name": safe_name(tool), "description": description(tool), "input_schema": tool.input_schema.to_value()})
}

fn description(tool: &Tool) -> String {
    tool.description.clone().unwrap_or_else(|| format!("{} tool: {}", tool.id.source, tool.id.name))
}

/// Model vendors take letters, digits, `_` and `-`, at most 64.
fn safe_name(tool: &Tool) -> String {
    let safe = tool
        .id
        .name
        .as_str()
        .chars()
        .map(|it| if it.is_ascii_alphanumeric() || matches!(it, '_' | '-') { it } else { '_' });
    safe.take(64).collect()
}

fn opencode_files(cx: &RunCx, tools: &[Arc<Tool>]) -> Result<(), AppError> {
    let Some(folder) = cx.parsed.text("to") else {
        return tools.iter().try_for_each(|it| cx.print(&opencode::shim(it, cx.program())));
    };
    let folder = cx.environment().cwd().join(folder);
    if cx.options().switch("dry-run") {
        return tools
            .iter()
            .try_for_each(|it| cx.print(&format!("would write {}\n", folder.join(opencode::file_name(it)).display())));
    }
    tools.iter().try_for_each(|it| {
        write(cx, &folder.join(opencode::file_name(it)), &opencode::shim(it, cx.program()), opencode::is_ours)
    })
}

fn skill_file(cx: &RunCx) -> Result<(), AppError> {
    let text = skill::text(cx.program());
    let Some(folder) = cx.parsed.text("to") else { return cx.print(&text) };
    let file = skill::file(&cx.environment().cwd().join(folder), cx.program());
    match cx.options().switch("dry-run") {
        true => cx.print(&format!("would write {}\n", file.display())),
        false => write(cx, &file, &text, skill::is_ours),
    }
}

/// Writes over files that an earlier export wrote, and over nothing else.
fn write(cx: &RunCx, file: &Path, text: &str, is_ours: fn(&str) -> bool) -> Result<(), AppError> {
    if let Ok(there) = std::fs::read_to_string(file)
        && !is_ours(&there)
    {
        let message = format!("`{}` is there already and is not ours", file.display());
        return Err(AppError::invalid(message, "move it away, or choose another folder with --to"));
    }
    let folder = file.parent().unwrap_or(file);
    std::fs::create_dir_all(folder).map_err(AppError::io("make the folder", folder))?;
    std::fs::write(file, text).map_err(AppError::io("write", file))?;
    cx.print(&format!("{}\n", file.display()))
}
