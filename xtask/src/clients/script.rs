//! The steps that the model requests from every agent, and the expected results.

use serde_json::{Value, json};

/// A tool to call, and the text that its result must contain.
#[derive(Debug, Clone)]
pub(super) struct ScriptStep {
    /// The end of the tool's name; agents add their own prefixes.
    pub(super) tool: &'static str,
    pub(super) arguments: Value,
    pub(super) expected: String,
}

/// Finds and runs a tool of a published server, which the first search must find, then one of the
/// folder and one of the test server, whose results cannot be guessed.
pub(super) fn steps(word: &str) -> Vec<ScriptStep> {
    let search = |query: &str, found: &str| ScriptStep {
        tool: "tool_search",
        arguments: json!({"query": query}),
        expected: found.to_owned(),
    };
    let execute = |name: &str, arguments: Value, said: &str| ScriptStep {
        tool: "execute_tool",
        arguments: json!({"name": name, "arguments": arguments}),
        expected: said.to_owned(),
    };
    vec![
        search("add two numbers", "everything/get-sum"),
        execute("everything/get-sum", json!({"a": 2, "b": 40}), "42"),
        search("word of the day", "local/word-of-the-day"),
        execute("local/word-of-the-day", json!({"language": "en"}), &format!("en: {word}")),
        search("echo the text back", "honest/echo"),
        execute("honest/echo", json!({"text": format!("{word} again")}), &format!("{word} again")),
    ]
}
