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
use crate::cli::help::{self, Look};
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
    parse(&flags.spec, &line.iter().map(|it| (*it).to_owned()).collect::<Vec<_>>())
}

/// The arguments of the call, or the usage error.
fn call(tool: &Tool, line: &[&str]) -> String {
    let flags = ToolFlags::of(tool);
    match read(&flags, line).and_then(|it| flags.arguments(&it)) {
        Ok(arguments) => Value::Object(arguments).to_string(),
        Err(errors) => errors.to_string(),
    }
}

/// The names of the visible flags from the schema.
fn names(tool: &Tool) -> Vec<String> {
    let spec = ToolFlags::of(tool).spec;
    let ours = ["help", "json", "input"];
    spec.options
        .into_iter()
        .filter(|it| !it.hidden && !ours.contains(&it.long.as_str()))
        .map(|it| it.long)
        .collect()
}

fn page(tool: &Tool) -> String {
    help::command("toolscout", &ToolFlags::of(tool).spec, &Look::default())
}

/// The diagnostics with their hints, one line each.
fn problems(tool: &Tool) -> Vec<String> {
    let all = ToolFlags::of(tool).problems;
    all.into_iter()
        .map(|it| format!("{:?}: {} | {}", it.kind, it.message, it.hint.unwrap_or_default()))
        .collect()
}
