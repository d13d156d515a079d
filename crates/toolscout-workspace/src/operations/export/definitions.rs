//! Tool definitions in the formats of model vendors.

use super::selection::NamedTool;
use serde_json::{Value, json};
use toolscout_core::Tool;

pub(super) fn openai(tool: &NamedTool) -> Value {
    let function = json!({
        "name": &*tool.name,
        "description": description(&tool.tool),
        "parameters": tool.tool.input_schema.to_value(),
    });
    json!({"type": "function", "function": function})
}

pub(super) fn anthropic(tool: &NamedTool) -> Value {
    json!({
        "name": &*tool.name,
        "description": description(&tool.tool),
        "input_schema": tool.tool.input_schema.to_value(),
    })
}

/// The description of a tool; vendors require one.
pub(super) fn description(tool: &Tool) -> String {
    tool.description.clone().unwrap_or_else(|| format!("{} tool: {}", tool.id.source, tool.id.name))
}
