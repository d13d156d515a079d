//! The builder writes the described schema.

use crate::{Param, ToolBuilder};
use insta::assert_snapshot;
use serde_json::json;
use toolscout_core::{RawJson, Tool, ToolOutput, Visibility};

fn built(builder: ToolBuilder) -> Tool {
    builder.run(|_, _| async { Ok(ToolOutput::text("")) }).tool
}

fn begin() -> ToolBuilder {
    ToolBuilder::new("send_email").unwrap()
}

fn pretty(json: &RawJson) -> String {
    serde_json::to_string_pretty(&json.to_value()).unwrap()
}

/// M-11a
#[test]
fn parameters_become_a_schema_in_their_order() {
    let address =
        [Param::string("street", "Street and number").required(), Param::string("zip", "")];
    let tool = built(
        begin()
            .param(Param::string("to", "Recipient email").with("format", "email").required())
            .param(Param::string("kind", "What it is").one_of(["letter", "bill"]).default("letter"))
            .param(Param::integer("priority", "From 1 to 5").range(1, 5))
            .param(Param::number("weight", "In grams"))
            .param(Param::boolean("dry_run", "Send nothing").default(false))
            .param(Param::array_of("tags", "Labels", Param::string("tag", "One label")))
            .param(Param::object("address", "Where to", address).required()),
    );
    assert_snapshot!(pretty(&tool.input_schema), @r#"
    {
      "type": "object",
      "properties": {
        "to": {
          "type": "string",
          "description": "Recipient email",
          "format": "email"
        },
        "kind": {
          "type": "string",
          "description": "What it is",
          "enum": [
            "letter",
            "bill"
          ],
          "default": "letter"
        },
        "priority": {
          "type": "integer",
          "description": "From 1 to 5",
          "minimum": 1,
          "maximum": 5
        },
        "weight": {
          "type": "number",
          "description": "In grams"
        },
        "dry_run": {
          "type": "boolean",
          "description": "Send nothing",
          "default": false
        },
        "tags": {
          "type": "array",
          "description": "Labels",
          "items": {
            "type": "string",
            "description": "One label"
          }
        },
        "address": {
          "type": "object",
          "description": "Where to",
          "properties": {
            "street": {
              "type": "string",
              "description": "Street and number"
            },
            "zip": {
              "type": "string"
            }
          },
          "required": [
            "street"
          ],
          "additionalProperties": false
        }
      },
      "required": [
        "to",
        "address"
      ],
      "additionalProperties": false
    }
    "#);
}

#[test]
fn without_parameters_it_is_an_empty_object() {
    assert_snapshot!(built(begin()).input_schema.as_str(), @r#"{"type":"object","properties":{},"additionalProperties":false}"#);
}

/// M-11a
#[test]
fn an_object_without_fields_may_have_all() {
    let tool = built(begin().param(Param::object("meta", "", [])));
    let schema = tool.input_schema.to_value();
    assert_eq!(
        schema["properties"]["meta"],
        json!({"type": "object", "additionalProperties": true})
    );
}

/// M-11b
#[test]
fn whitespace_in_descriptions_collapses() {
    let tool = built(
        begin()
            .description("  Send an email\n            to\ta recipient\u{a0} now\n")
            .param(Param::string("to", "Recipient\n   email ")),
    );
    assert_eq!(tool.description.as_deref(), Some("Send an email to a recipient now"));
    let schema = tool.input_schema.to_value();
    assert_eq!(schema["properties"]["to"]["description"], "Recipient email");
}

#[test]
fn of_two_parameters_of_one_name_the_later_counts() {
    let tool =
        built(begin().param(Param::string("to", "").required()).param(Param::integer("to", "")));
    assert_snapshot!(tool.input_schema.as_str(), @r#"{"type":"object","properties":{"to":{"type":"integer"}},"additionalProperties":false}"#);
}

#[test]
fn everything_else_is_taken_as_it_is() {
    let schema = json!({"type": "object", "properties": {"z": {}, "a": {}}, "x-own": 1});
    let tool = built(
        begin()
            .title("Send mail")
            .description("Sends it")
            .keyword("smtp")
            .keywords(["post", "letter"])
            .param(Param::string("unused", ""))
            .input_schema(schema)
            .output_schema(json!({"type": "object"}))
            .annotations(json!({"readOnlyHint": true}))
            .listed(),
    );
    assert_eq!(tool.title.as_deref(), Some("Send mail"));
    assert_eq!(tool.description.as_deref(), Some("Sends it"));
    assert_eq!(tool.keywords, ["smtp", "post", "letter"]);
    assert_eq!(
        tool.input_schema.as_str(),
        r#"{"type":"object","properties":{"z":{},"a":{}},"x-own":1}"#
    );
    assert_eq!(tool.output_schema.unwrap().as_str(), r#"{"type":"object"}"#);
    assert_eq!(tool.annotations.unwrap().as_str(), r#"{"readOnlyHint":true}"#);
    assert_eq!(tool.visibility, Visibility::Listed);
}

#[test]
fn a_name_that_no_command_may_have_is_refused() {
    for name in ["", "--help", "a b", "../x"] {
        assert!(ToolBuilder::new(name).is_err(), "{name}");
    }
}
