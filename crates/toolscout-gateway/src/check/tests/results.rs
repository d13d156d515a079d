//! 1. A result that does not match the output schema is marked; one that matches is not.
//! 2. A result that could not be checked is never reported as valid.

use crate::standing::DefinitionFacts;
use serde_json::{Value, json};
use std::sync::Arc;
use toolscout_core::{RawJson, SourceId, Tool, ToolId, ToolName, ToolOutput};

fn tool(promised: &Value) -> Tool {
    let mut tool = Tool::new(ToolId::new(SourceId::new("s").unwrap(), ToolName::new("t").unwrap()));
    tool.output_schema = Some(RawJson::from_value(promised));
    tool
}

fn doubts(tool: &Tool, output: &ToolOutput) -> Vec<String> {
    DefinitionFacts::of(Arc::new(tool.clone())).doubts(output)
}

fn promise() -> Value {
    json!({"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"], "additionalProperties": false})
}

#[test]
fn a_result_as_promised_is_not_doubted() {
    assert!(doubts(&tool(&promise()), &ToolOutput::structured(json!({"n": 1}))).is_empty());
    let free = Tool { output_schema: None, ..tool(&json!({})) };
    assert!(doubts(&free, &ToolOutput::text("anything")).is_empty());
    assert!(doubts(&tool(&promise()), &ToolOutput::failure("no number today")).is_empty());
}

#[test]
fn who_wants_something_first_has_not_answered_yet() {
    let raw = RawJson::from_value(&json!({"resultType": "input_required", "inputRequests": {}}));
    assert!(doubts(&tool(&promise()), &ToolOutput::from_raw(raw).unwrap()).is_empty());
}

/// Hostile mode output_lie.
#[test]
fn a_result_that_was_not_promised_is_doubted() {
    let lie = ToolOutput::structured(json!({"n": "DROP\u{1b}[8m", "\u{202e}x": 1}));
    let found = doubts(&tool(&promise()), &lie).join("\n");
    assert_eq!(
        found,
        "the result does not match the output schema: `n`: the value is not of type \"integer\"\n\
         the result does not match the output schema: Additional properties are not allowed ('\\u{202e}x' was unexpected)"
    );
    let missing = doubts(&tool(&promise()), &ToolOutput::text("1"));
    assert_eq!(missing, ["there is no structured result, though the tool promises one"]);
}

#[test]
fn what_cannot_be_checked_is_not_said_to_be_fine() {
    let unusable = [
        json!({"$ref": "http://127.0.0.1:9/x"}),
        json!({"pattern": "(?=x)"}),
        json!(true),
        json!({"type": 7}),
    ];
    for promised in unusable {
        let found = doubts(&tool(&promised), &ToolOutput::structured(json!({"n": 1}))).join("\n");
        assert!(found.starts_with("the result was not checked: "), "{promised}: {found}");
    }
}
