//! Schemas come from types, and arguments that do not match a type never reach the closure.

use super::super::{Registry, ToolBuilder};
use super::calling::{self, text_of};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use toolscout_core::{Caller, Cx, SourceError, ToolOutput};

#[derive(Deserialize, JsonSchema)]
struct Letter {
    /// Who gets it
    to: String,
    /// How soon
    #[serde(default)]
    urgency: Urgency,
    copies: Option<u8>,
    places: Vec<Place>,
}

#[derive(Deserialize, Serialize, JsonSchema, Default)]
#[serde(rename_all = "lowercase")]
enum Urgency {
    #[default]
    Usual,
    Now,
}

#[derive(Deserialize, JsonSchema)]
struct Place {
    street: String,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Receipt {
    /// In cents
    total_price: u32,
    urgency: Urgency,
}

fn send() -> Registry {
    let registry = Registry::new();
    let tool = ToolBuilder::new("send").unwrap().typed::<Letter>().answer(|value, _| async move {
        if value.to.is_empty() {
            return Err("nobody to send it to".into());
        }
        let count = u32::from(value.copies.unwrap_or(1))
            * value.places.iter().map(|place| place.street.len() as u32).sum::<u32>();
        Ok(Receipt { total_price: count * 85, urgency: value.urgency })
    });
    registry.register(tool).unwrap();
    registry
}

async fn call(
    registry: &Registry,
    name: &str,
    arguments: Value,
) -> Result<ToolOutput, SourceError> {
    calling::call(registry, name, arguments, Cx::new(Caller::Cli)).await
}

#[test]
fn types_define_the_input_and_output_schemas() {
    let tool = send().tool("send").unwrap();
    let urgency = |more: Value| {
        let mut schema = json!({"type": "string", "enum": ["usual", "now"]});
        schema.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        schema
    };
    let place = json!({"type": "object", "properties": {"street": {"type": "string"}}, "required": ["street"]});
    let takes = json!({
        "to": {"type": "string", "description": "Who gets it"},
        "urgency": urgency(json!({"description": "How soon", "default": "usual"})),
        "copies": {"type": ["integer", "null"], "format": "uint8", "minimum": 0, "maximum": 255},
        "places": {"type": "array", "items": place},
    });
    let input = json!({"type": "object", "properties": takes, "required": ["to", "places"]});
    assert_eq!(tool.input_schema.as_str(), input.to_string(), "in the order of the fields");
    let gives = json!({
        "totalPrice": {"description": "In cents", "type": "integer", "format": "uint32", "minimum": 0},
        "urgency": urgency(json!({})),
    });
    let output =
        json!({"type": "object", "properties": gives, "required": ["totalPrice", "urgency"]});
    assert_eq!(tool.output_schema.unwrap().to_value(), output);
}

#[tokio::test]
async fn a_result_is_structured_and_text() {
    let registry = send();
    let output =
        call(&registry, "send", json!({"to": "ann", "places": [{"street": "ab"}], "copies": 2}))
            .await
            .unwrap();
    assert_eq!(output.structured_content(), Some(json!({"totalPrice": 340, "urgency": "usual"})));
    assert_eq!(text_of(&output), r#"{"totalPrice":340,"urgency":"usual"}"#);
    let output = call(&registry, "send", json!({"to": "", "places": []})).await.unwrap();
    assert_eq!(text_of(&output), "failed: nobody to send it to");
    let error = call(&registry, "send", json!({"to": "ann", "places": 1})).await.unwrap_err();
    assert!(error.to_string().starts_with("arguments of `send`: invalid type"), "{error}");
}

/// Clients accept only objects as structured content.
#[tokio::test]
async fn a_result_that_is_no_object_is_given_as_text() {
    #[derive(Deserialize, JsonSchema)]
    struct Nothing {}
    let registry = Registry::new();
    let count =
        ToolBuilder::new("count").unwrap().typed::<Nothing>().answer(|_, _| async { Ok(3) });
    let name = ToolBuilder::new("name")
        .unwrap()
        .typed::<Nothing>()
        .answer(|_, _| async { Ok("Ann".to_owned()) });
    registry.register_all([count, name]).unwrap();
    for (tool, text) in [("count", "3"), ("name", "Ann")] {
        assert_eq!(registry.tool(tool).unwrap().output_schema, None);
        let output = call(&registry, tool, json!({})).await.unwrap();
        assert_eq!((text_of(&output).as_str(), output.structured_content()), (text, None));
    }
}
