//! The result of a tool, for a terminal or a pipe.

#[cfg(test)]
mod tests;

use crate::output::json;
use serde_json::Value;
use toolscout_core::ToolOutput;

/// Text blocks unchanged, one after the other; other blocks as JSON, one line each. Without any
/// block, the structured content.
pub fn text(output: &ToolOutput) -> String {
    if unreadable(output).is_some() {
        return output.raw().as_str().to_owned();
    }
    let blocks = output.content();
    if blocks.is_empty() {
        return output
            .structured_content()
            .map(|structured_content| json::pretty(&structured_content))
            .unwrap_or_default();
    }
    blocks.iter().map(block).collect::<Vec<_>>().join("\n")
}

/// The reason why the result cannot be read as JSON, if there is one: half of a surrogate pair, or
/// a number that is too large. Such a result is forwarded as received, but not shown as text.
pub fn unreadable(output: &ToolOutput) -> Option<String> {
    let error = serde_json::from_str::<Value>(output.raw().as_str()).err()?;
    Some(format!("the result of the tool is not valid JSON: {error}"))
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
    if unreadable(output).is_some() {
        return Err(text(output));
    }
    if let Some(structured) = output.structured_content() {
        return Ok(structured);
    }
    match output.content().as_slice() {
        [only] if only["type"] == "text" => Err(text(output)),
        _ => Ok(output.raw().to_value()),
    }
}
