//! An MCP server with the tools of a file; a new process searches its cached tools.

use anyhow::Context;
use serde_json::{Value, json};
use std::fs;
use std::io::{BufRead, Write};
use std::path::Path;

/// The number of tools per page of the list.
const PAGE: usize = 250;

/// Responds to lines on standard input until it ends. `file` has one tool per line.
pub(crate) fn run(file: &Path, input: impl BufRead, mut output: impl Write) -> anyhow::Result<()> {
    let text = fs::read_to_string(file).with_context(|| format!("read {}", file.display()))?;
    let tools = text.lines().map(serde_json::from_str).collect::<Result<Vec<Value>, _>>()?;
    for line in input.lines() {
        let request: Value = serde_json::from_str(&line?)?;
        // A message without an id is a notification.
        if let Some(id) = request.get("id") {
            let answer = json!({"jsonrpc": "2.0", "id": id});
            writeln!(output, "{}", with(answer, answered(&request, &tools)))?;
            output.flush()?;
        }
    }
    Ok(())
}

fn answered(request: &Value, tools: &[Value]) -> Value {
    match request["method"].as_str() {
        Some("initialize") => {
            let version = &request["params"]["protocolVersion"];
            let server = json!({"name": "generated", "version": "1"});
            json!({"result": {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": server}})
        }
        Some("tools/list") => json!({"result": page(&request["params"]["cursor"], tools)}),
        Some("ping") => json!({"result": {}}),
        _ => json!({"error": {"code": -32601, "message": "no such method"}}),
    }
}

fn page(cursor: &Value, tools: &[Value]) -> Value {
    let start =
        cursor.as_str().and_then(|cursor| cursor.parse().ok()).unwrap_or(0).min(tools.len());
    let end = (start + PAGE).min(tools.len());
    let page = json!({"tools": tools[start..end]});
    if end < tools.len() { with(page, json!({"nextCursor": end.to_string()})) } else { page }
}

fn with(mut one: Value, other: Value) -> Value {
    if let (Some(one), Value::Object(other)) = (one.as_object_mut(), other) {
        one.extend(other);
    }
    one
}
