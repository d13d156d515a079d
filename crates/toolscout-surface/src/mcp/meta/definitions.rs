//! The definitions of the two meta tools.

use super::{EXECUTE, SEARCH, TOOL_HEADER, summary};
use crate::context::ContextOptions;
use crate::tokens;
use serde_json::{Value, json};
use toolscout_core::SourceId;
use toolscout_gateway::{Query, Snapshot};

/// The fixed part of the server's instructions to clients.
pub(super) const INSTRUCTIONS: &str = "Most tools here are not listed. When a task may need one, describe it to tool_search, \
    then run what it finds with execute_tool.";

/// Maximum number of tokens of the instructions. Some clients cut texts longer than two thousand
/// bytes.
const MAX_INSTRUCTION_TOKENS: usize = 300;

/// The server's instructions to clients, with a summary of the known tools.
pub(crate) fn instructions(snapshot: &Snapshot, essential: &[String]) -> String {
    let budget = MAX_INSTRUCTION_TOKENS - tokens::at_most(INSTRUCTIONS) - 1;
    let summary = ContextOptions { budget, essential: essential.to_vec() }.summary(snapshot);
    match summary.tools {
        0 => INSTRUCTIONS.to_owned(),
        _ => format!("{INSTRUCTIONS}\n\n{}", summary.text),
    }
}

/// Name and JSON of each definition, sorted by name. `delegates` are sources that search for
/// themselves; the summary names them as well.
pub(crate) fn definitions(
    snapshot: &Snapshot,
    delegates: &[&SourceId],
) -> [(&'static str, String); 2] {
    [(EXECUTE, execute().to_string()), (SEARCH, search(snapshot, delegates).to_string())]
}

/// Marks a tool as always loaded. Claude Code defers tools without this mark behind its own search.
fn always_load() -> Value {
    json!({"anthropic/alwaysLoad": true})
}

fn search(snapshot: &Snapshot, delegates: &[&SourceId]) -> Value {
    json!({
        "name": SEARCH,
        "title": "Find tools",
        "description": summary(snapshot, delegates),
        "inputSchema": {
            "type": "object",
            "properties": {
                "query": {"type": "string", "description": "What the tool should do, in a few words. Empty lists all."},
                "max_results": {
                    "type": "integer",
                    "minimum": 1,
                    "maximum": Query::MAX_LIMIT,
                    "default": Query::DEFAULT_LIMIT,
                },
                "detail": {
                    "type": "string",
                    "enum": ["full", "compact", "names"],
                    "default": "full",
                    "description": "full: with input schemas; compact: one line each",
                },
                "source": {"type": "string", "description": "Only tools of this source"},
            },
        },
        "outputSchema": {
            "type": "object",
            "properties": {
                "results": {"type": "array"},
                "notes": {"type": "array"},
            },
            "required": ["results", "notes"],
        },
        "annotations": {"readOnlyHint": true, "openWorldHint": false},
        "_meta": always_load(),
    })
}

fn execute() -> Value {
    json!({
        "name": EXECUTE,
        "title": "Run a tool",
        "description": "Runs a tool that tool_search found, and returns its result.",
        "inputSchema": {
            "type": "object",
            "properties": {
                // Clients copy this into a header over HTTP, so that proxies see which tool runs.
                "name": {"type": "string", "description": "The `id` of the tool", "x-mcp-header": TOOL_HEADER},
                "arguments": {"type": "object", "description": "Arguments that match its inputSchema"},
                "expect": {"type": "string", "description": "Its `digest`: fails if it has changed"},
            },
            "required": ["name"],
        },
        "_meta": always_load(),
    })
}
