//! Words of the protocol, and the parts that messages are made of.

use serde_json::{Value, json};

pub(crate) const MODERN: &str = "2026-07-28";
pub(crate) const LEGACY: &str = "2025-11-25";
pub(crate) const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";
pub(crate) const SUBSCRIPTION: &str = "io.modelcontextprotocol/subscriptionId";

pub(crate) fn tool(name: &str, description: &str, schema: Value) -> Value {
    json!({ "name": name, "description": description, "inputSchema": schema })
}

/// A tool about which only its name matters.
pub(crate) fn plain(name: &str, description: &str) -> Value {
    tool(name, description, json!({ "type": "object" }))
}

/// A tool with more fields than it needs.
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

/// Makes a call's result one that says the tool failed.
pub(crate) fn failed(mut result: Value) -> Value {
    result["isError"] = true.into();
    result
}
