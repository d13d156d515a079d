//! The steps that the model requests from every agent, and the expected results.

use serde_json::{Value, json};

/// A tool to call, and the text that its result must contain.
#[derive(Debug, Clone)]
pub(super) struct ErrandStep {
    /// The end of the tool's name; agents add their own prefixes.
    pub(super) tool: &'static str,
    pub(super) arguments: Value,
    pub(super) expected: String,
}

/// Finds a tool of the folder and one of the server, and runs both. Their results cannot be
/// guessed.
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
