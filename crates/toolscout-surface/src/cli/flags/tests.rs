//! 1. Flags come from the schema, by path.
//! 2. The typed values become exactly the arguments.
//! 3. Complex, huge and hostile schemas cost little, and every property stays reachable.
//! 4. Hints change how a flag looks, never its value.

mod hints;
mod hostile;
mod lists;
mod nested;
mod roundtrip;
mod values;

use super::ToolFlags;
use crate::cli::help::{self, HelpLayout};
use crate::cli::{Parsed, UsageErrors, parse};
use serde_json::{Value, json};
use toolscout_core::{CliHints, RawJson, SourceId, Tool, ToolId, ToolName};

/// A tool with this input schema.
fn tool(schema: &Value) -> Tool {
    let id = ToolId::new(SourceId::local(), ToolName::new("demo").unwrap());
    Tool { input_schema: RawJson::from_value(schema), ..Tool::new(id) }
}

/// A tool with these properties, none required.
fn with(properties: &Value) -> Tool {
    tool(&json!({"type": "object", "properties": properties}))
}

fn hinted(properties: &Value, hints: &Value) -> Tool {
    let cli: CliHints = serde_json::from_value(hints.clone()).unwrap();
    Tool { cli, ..with(properties) }
}

fn read(flags: &ToolFlags, line: &[&str]) -> Result<Parsed, UsageErrors> {
    parse(&flags.spec, &line.iter().map(|line| (*line).to_owned()).collect::<Vec<_>>())
}

/// The arguments of the call, or the usage error.
fn call(tool: &Tool, line: &[&str]) -> String {
    let flags = ToolFlags::new(tool);
    match read(&flags, line).and_then(|value| flags.arguments(&value)) {
        Ok(arguments) => Value::Object(arguments).to_string(),
        Err(errors) => errors.to_string(),
    }
}

/// The names of the visible flags from the schema.
fn names(tool: &Tool) -> Vec<String> {
    let spec = ToolFlags::new(tool).spec;
    let ours = ["help", "json", "input"];
    spec.options
        .into_iter()
        .filter(|option| !option.hidden && !ours.contains(&option.long.as_str()))
        .map(|option| option.long)
        .collect()
}

fn page(tool: &Tool) -> String {
    help::command("toolscout", &ToolFlags::new(tool).spec, &HelpLayout::default())
}

/// The diagnostics with their hints, one line each.
fn diagnostics(tool: &Tool) -> Vec<String> {
    let all = ToolFlags::new(tool).diagnostics;
    all.into_iter()
        .map(|item| {
            format!("{:?}: {} | {}", item.kind, item.message, item.hint.unwrap_or_default())
        })
        .collect()
}
