//! Results with every kind of content, and a schema with every kind of keyword.

use crate::protocol::{failed, with};
use crate::server::request::ClientRequest;
use serde_json::{Value, json};

/// One red pixel.
pub(super) const PICTURE: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC";
/// The header of an empty sound file.
const SOUND: &str = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA=";

pub(super) fn of(request: &ClientRequest, name: &str) -> Option<Value> {
    let text = |text: &str| json!({ "type": "text", "text": text });
    let resource = |uri: &str, kind: &str, text: &str| json!({ "type": "resource", "resource": { "uri": uri, "mimeType": kind, "text": text } });
    let content = match name {
        "test_simple_text" => json!([text("This is a simple text.")]),
        "test_image_content" => json!([picture()]),
        "test_audio_content" => {
            json!([{ "type": "audio", "data": SOUND, "mimeType": "audio/wav" }])
        }
        "test_embedded_resource" => json!([resource("test://embedded", "text/plain", "inside")]),
        "test_multiple_content_types" => {
            json!([
                text("three things"),
                picture(),
                resource("test://mixed", "application/json", "{\"a\":1}")
            ])
        }
        "test_error_handling" => return Some(failed(request.text("this tool fails every time"))),
        _ => return None,
    };
    Some(with(request.text(""), json!({ "content": content })))
}

pub(super) fn picture() -> Value {
    json!({ "type": "image", "data": PICTURE, "mimeType": "image/png" })
}

/// An anchor, a reference, composition and a condition, in the dialect of 2020-12.
pub(super) fn rich_schema() -> Value {
    let text = json!({ "type": "string" });
    let address = json!({ "$anchor": "address", "type": "object", "properties": { "street": text, "city": text } });
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": { "address": address },
        "properties": {
            "name": text,
            "address": { "$ref": "#/$defs/address" },
            "contactMethod": { "type": "string", "enum": ["phone", "email"] },
            "phone": text,
            "email": text,
        },
        "allOf": [{ "anyOf": [{ "required": ["phone"] }, { "required": ["email"] }] }],
        "if": { "properties": { "contactMethod": { "const": "phone" } }, "required": ["contactMethod"] },
        "then": { "required": ["phone"] },
        "else": { "required": ["email"] },
        "additionalProperties": false,
    })
}

/// The result of a prompt, with these contents as user messages.
pub(super) fn spoken(request: &ClientRequest, contents: Vec<Value>) -> Value {
    let messages: Vec<Value> =
        contents.into_iter().map(|content| json!({ "role": "user", "content": content })).collect();
    complete_in_era(request, json!({ "messages": messages }))
}

pub(super) fn complete_in_era(request: &ClientRequest, mut result: Value) -> Value {
    if request.is_modern() {
        result["resultType"] = "complete".into();
    }
    result
}
