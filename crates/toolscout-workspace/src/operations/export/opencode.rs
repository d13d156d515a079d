//! OpenCode tool files that call this program.

use super::definitions::description;
use super::selection::NamedTool;
use serde_json::Value;
use std::collections::HashSet;
use toolscout_core::Tool;

const MARK: &str = "// Written by `export opencode`; do not edit, export again.";

/// The name and the text of a file per tool.
pub(super) fn files(tools: &[NamedTool], program: &str) -> Vec<(String, String)> {
    let mut stems = HashSet::new();
    let file = |named: &NamedTool| {
        let stem = unique_stem(&named.name, &mut stems);
        (format!("{stem}.js"), shim(&named.tool, program))
    };
    tools.iter().map(file).collect()
}

/// The name, with a number after it if another file has the same name in other case: some file
/// systems ignore the case of letters.
fn unique_stem(name: &str, stems: &mut HashSet<String>) -> String {
    let numbered = (2..).map(|number| format!("{name}_{number}"));
    let mut candidates = std::iter::once(name.to_owned()).chain(numbered);
    candidates.find(|stem| stems.insert(stem.to_ascii_lowercase())).unwrap_or_default()
}

pub(super) fn is_ours(text: &str) -> bool {
    text.starts_with(MARK)
}

/// A module whose default export describes the tool and runs it through this program, with the
/// arguments as JSON on standard input.
fn shim(tool: &Tool, program: &str) -> String {
    let quoted = |text: &str| Value::from(text).to_string();
    let schema = tool.input_schema.to_value();
    let required: Vec<&str> =
        schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let properties = schema["properties"].as_object().into_iter().flatten();
    let args = properties.map(|(name, property)| {
        format!(
            "    {}: {},\n",
            quoted(name),
            argument(property, required.contains(&name.as_str()))
        )
    });
    format!(
        r#"{MARK}
import {{ tool }} from "@opencode-ai/plugin"
import {{ spawn }} from "node:child_process"

function run(input, context) {{
  return new Promise((resolve, reject) => {{
    const child = spawn({program}, ["run", {id}, "--input", "-"], {{ cwd: context?.directory, signal: context?.abort }})
    let out = "", err = ""
    child.stdout.on("data", (it) => (out += it))
    child.stderr.on("data", (it) => (err += it))
    child.on("error", reject)
    child.on("close", (code) => (code === 0 ? resolve(out) : reject(new Error(err || `exit code ${{code}}`))))
    child.stdin.end(JSON.stringify(input))
  }})
}}

export default tool({{
  description: {description},
  args: {{
{args}  }},
  execute: run,
}})
"#,
        program = quoted(program),
        id = quoted(&tool.id.to_string()),
        description = quoted(&description(tool)),
        args = args.collect::<String>(),
    )
}

/// The property as a call to OpenCode's schema library; the program itself checks the
/// constraints that the library cannot express.
fn argument(property: &Value, required: bool) -> String {
    let choices = property["enum"].as_array().filter(|items| items.iter().all(Value::is_string));
    let mut text = match (property["type"].as_str(), choices) {
        (_, Some(choices)) => format!("tool.schema.enum({})", Value::from(choices.clone())),
        (Some("string"), None) => "tool.schema.string()".to_owned(),
        (Some("number"), None) => "tool.schema.number()".to_owned(),
        (Some("integer"), None) => "tool.schema.number().int()".to_owned(),
        (Some("boolean"), None) => "tool.schema.boolean()".to_owned(),
        (Some("array"), None) => "tool.schema.array(tool.schema.any())".to_owned(),
        _ => "tool.schema.any()".to_owned(),
    };
    if !required {
        text += ".optional()";
    }
    if let Some(description) = property["description"].as_str() {
        text += &format!(".describe({})", Value::from(description));
    }
    text
}
