//! Protocol constants, and builders for the parts of messages.

use serde_json::{Value, json};

pub(crate) const MODERN: &str = "2026-07-28";
pub(crate) const LEGACY: &str = "2025-11-25";
pub(crate) const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";
pub(crate) const SUBSCRIPTION: &str = "io.modelcontextprotocol/subscriptionId";

pub(crate) fn tool(name: &str, description: &str, schema: Value) -> Value {
    json!({ "name": name, "description": description, "inputSchema": schema })
}

/// A tool of which only the name matters.
pub(crate) fn plain(name: &str, description: &str) -> Value {
    tool(name, description, json!({ "type": "object" }))
}

/// A tool with additional fields.
pub(crate) fn with(mut tool: Value, more: Value) -> Value {
    if let (Value::Object(tool), Value::Object(more)) = (&mut tool, more) {
        tool.extend(more);
    }
    tool
}

/// The schema of an object.
pub(crate) fn object(properties: Value, required: &[&str]) -> Value {
    json!({ "type": "object", "properties": properties, "required": required })
}

/// Marks the result of a call as a failure.
pub(crate) fn failed(mut result: Value) -> Value {
    result["isError"] = true.into();
    result
}
