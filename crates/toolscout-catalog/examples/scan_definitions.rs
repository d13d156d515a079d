//! Scans the tool definitions on stdin and prints how many have severe findings.
//!
//! One definition a line, with `server` in addition to the fields of MCP; `input_schema` counts as
//! `inputSchema`. With the argument `--all` it prints notes, too.

#![allow(clippy::print_stdout, reason = "an example that prints a report")]

use serde_json::Value;
use std::io::{self, BufRead};
use toolscout_catalog::findings::{Severity, ToolNameIndex, scan};
use toolscout_core::{RawJson, SourceId, Tool, ToolId, ToolName};

fn main() -> io::Result<()> {
    let shows_notes = std::env::args().any(|argument| argument == "--all");
    let mut tools = Vec::new();
    for line in io::stdin().lock().lines() {
        tools.extend(serde_json::from_str(&line?).ok().and_then(|value: Value| tool(&value)));
    }
    let names = ToolNameIndex::new(tools.iter().map(|tool| &tool.id));
    let (mut severe, mut noted) = (0, 0);
    for tool in &tools {
        let found = scan(tool, &names);
        let worst = found.first().map(|finding| finding.severity);
        severe += usize::from(worst == Some(Severity::Severe));
        noted += usize::from(worst == Some(Severity::Note));
        for finding in found {
            if shows_notes || finding.severity == Severity::Severe {
                println!("{}: {finding}", tool.id);
            }
        }
    }
    println!("{} definitions: {severe} severe, {noted} with notes only", tools.len());
    Ok(())
}

fn tool(definition: &Value) -> Option<Tool> {
    let text = |key: &str| definition[key].as_str().map(str::to_owned);
    let raw = |key: &str| definition.get(key).filter(|value| !value.is_null());
    let source = SourceId::new(&text("server")?).ok()?;
    let id = ToolId::new(source, ToolName::new(&text("name")?).ok()?);
    let schema = raw("inputSchema").or(raw("input_schema"));
    Some(Tool {
        title: text("title"),
        description: text("description"),
        input_schema: schema.map_or_else(RawJson::no_arguments, RawJson::from_value),
        output_schema: raw("outputSchema").map(RawJson::from_value),
        annotations: raw("annotations").map(RawJson::from_value),
        ..Tool::new(id)
    })
}
