//! 1. A result that does not match the output schema is marked; one that matches is not.
//! 2. A result that could not be checked is never reported as valid.

use crate::standing::DefinitionFacts;
use serde_json::{Value, json};
use std::sync::Arc;
use toolscout_core::{RawJson, SourceId, Tool, ToolId, ToolName, ToolOutput};

fn tool(output_schema: &Value) -> Tool {
    let mut tool = Tool::new(ToolId::new(SourceId::new("s").unwrap(), ToolName::new("t").unwrap()));
    tool.output_schema = Some(RawJson::from_value(output_schema));
    tool
}

fn mismatches(tool: &Tool, output: &ToolOutput) -> Vec<String> {
    DefinitionFacts::new(Arc::new(tool.clone())).output_mismatches(output)
}

fn output_schema() -> Value {
    json!({"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"], "additionalProperties": false})
}

#[test]
fn a_result_that_matches_the_output_schema_has_no_mismatches() {
    assert!(
        mismatches(&tool(&output_schema()), &ToolOutput::structured(json!({"n": 1}))).is_empty()
    );
    let free = Tool { output_schema: None, ..tool(&json!({})) };
    assert!(mismatches(&free, &ToolOutput::text("anything")).is_empty());
    assert!(
        mismatches(&tool(&output_schema()), &ToolOutput::failure("no number today")).is_empty()
    );
}

#[test]
fn a_request_for_input_is_not_checked() {
    let raw = RawJson::from_value(&json!({"resultType": "input_required", "inputRequests": {}}));
    assert!(mismatches(&tool(&output_schema()), &ToolOutput::from_raw(raw).unwrap()).is_empty());
}

/// Hostile mode output_lie.
#[test]
fn a_result_that_does_not_match_is_reported() {
    let output = ToolOutput::structured(json!({"n": "DROP\u{1b}[8m", "\u{202e}x": 1}));
    let found = mismatches(&tool(&output_schema()), &output).join("\n");
    assert_eq!(
        found,
        "the result does not match the output schema: `n`: the value is not of type \"integer\"\n\
         the result does not match the output schema: Additional properties are not allowed ('\\u{202e}x' was unexpected)"
    );
    let missing = mismatches(&tool(&output_schema()), &ToolOutput::text("1"));
    assert_eq!(
        missing,
        ["the tool has an output schema, but its result has no structured content"]
    );
}

#[test]
fn unusable_output_schemas_are_reported() {
    let unusable = [
        json!({"$ref": "http://127.0.0.1:9/x"}),
        json!({"pattern": "(?=x)"}),
        json!(true),
        json!({"type": 7}),
    ];
    for output_schema in unusable {
        let found =
            mismatches(&tool(&output_schema), &ToolOutput::structured(json!({"n": 1}))).join("\n");
        assert!(
            found.starts_with("the result was not checked against the output schema: "),
            "{output_schema}: {found}"
        );
    }
}
