//! What the model has every agent do, step by step, and what must come of each.

use serde_json::{Value, json};

/// A tool to call, and what its result must hold.
#[derive(Debug, Clone)]
pub(super) struct ErrandStep {
    /// How the tool's name ends, whatever an agent puts before it.
    pub(super) tool: &'static str,
    pub(super) arguments: Value,
    pub(super) expected: String,
}

/// Finds a tool of the folder and one of the server, and runs both. What they say nobody could guess.
pub(super) fn steps(word: &str) -> Vec<ErrandStep> {
    let search = |query: &str, found: &str| ErrandStep {
        tool: "tool_search",
        arguments: json!({"query": query}),
        expected: found.to_owned(),
    };
    let execute = |name: &str, arguments: Value, said: &str| ErrandStep {
        tool: "execute_tool",
        arguments: json!({"name": name, "arguments": arguments}),
        expected: said.to_owned(),
    };
    vec![
        search("word of the day", "local/word-of-the-day"),
        execute("local/word-of-the-day", json!({"language": "en"}), &format!("en: {word}")),
        search("echo the text back", "honest/echo"),
        execute("honest/echo", json!({"text": format!("{word} again")}), &format!("{word} again")),
    ]
}
