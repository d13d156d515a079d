//! The result of a tool, for a terminal or a pipe.

#[cfg(test)]
mod tests;

use crate::output::json;
use serde_json::Value;
use toolscout_core::ToolOutput;

/// Text blocks unchanged, one after the other; other blocks as JSON, one line each. Without any
/// block, the structured content.
pub fn text(output: &ToolOutput) -> String {
    let blocks = output.content();
    if blocks.is_empty() {
        return output
            .structured_content()
            .map(|structured_content| json::pretty(&structured_content))
            .unwrap_or_default();
    }
    blocks.iter().map(block).collect::<Vec<_>>().join("\n")
}

fn block(block: &Value) -> String {
    match (block["type"].as_str(), block["text"].as_str()) {
        (Some("text"), Some(text)) => text.to_owned(),
        _ => json::compact(block),
    }
}

/// The structured content if there is any; as an error, the plain text if the result has only
/// text; otherwise the whole result.
pub fn json(output: &ToolOutput) -> Result<Value, String> {
    if let Some(structured) = output.structured_content() {
        return Ok(structured);
    }
    match output.content().as_slice() {
        [only] if only["type"] == "text" => Err(text(output)),
        _ => Ok(output.raw().to_value()),
    }
}
