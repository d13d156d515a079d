//! Calls for tests, and checks for the programs that tests need.

use serde_json::Value;
use std::time::Duration;
use toolscout_core::{Caller, Cx, SourceId, ToolCall, ToolId, ToolName, ToolOutput};

pub(crate) fn call(name: &str, arguments: Value) -> ToolCall {
    let Value::Object(arguments) = arguments else { panic!("arguments are an object") };
    ToolCall::new(ToolId::new(SourceId::local(), ToolName::new(name).expect("a name")), arguments)
}

pub(crate) fn cx() -> Cx {
    Cx::new(Caller::Cli).within(Duration::from_secs(30))
}

/// The text of all content blocks.
pub(crate) fn text(output: &ToolOutput) -> String {
    output
        .content()
        .iter()
        .filter_map(|content| content["text"].as_str())
        .collect::<Vec<_>>()
        .join("\n")
}

/// Whether a test can run here; prints a note if it cannot.
#[expect(clippy::print_stdout, reason = "reports skipped tests")]
pub(crate) fn has(program: &str) -> bool {
    let found = toolscout_process::program::find(program).is_some();
    if !found {
        assert!(
            std::env::var_os("TOOLSCOUT_TESTS").is_none_or(|value| value != "all"),
            "needs {program}"
        );
        println!("skipped: needs {program}");
    }
    found
}
