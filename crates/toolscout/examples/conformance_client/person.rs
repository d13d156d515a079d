//! The user behind the client: accepts the defaults of a form and answers sampling requests with a
//! greeting.

use serde_json::{Map, Value, json};
use toolscout::core::{BoxFuture, RawJson, ReverseChannel, RpcError};

pub(crate) struct Person;

impl ReverseChannel for Person {
    fn capabilities(&self) -> RawJson {
        RawJson::from_value(
            &json!({ "elicitation": { "form": { "applyDefaults": true } }, "sampling": {}, "roots": {} }),
        )
    }

    fn request<'a>(
        &'a self,
        method: &'a str,
        params: RawJson,
    ) -> BoxFuture<'a, Result<RawJson, RpcError>> {
        Box::pin(async move {
            answer(method, &params.to_value())
                .map(|value| RawJson::from_value(&value))
                .ok_or_else(|| RpcError::unsupported(method))
        })
    }

    fn notify(&self, _: &str, _: RawJson) {}
}

/// The response to a server request of this method.
pub(crate) fn answer(method: &str, params: &Value) -> Option<Value> {
    Some(match method {
        "elicitation/create" => {
            let properties =
                params["requestedSchema"]["properties"].as_object().cloned().unwrap_or_default();
            let content: Map<String, Value> =
                properties.into_iter().map(|(name, schema)| (name, suggested(&schema))).collect();
            json!({ "action": "accept", "content": content })
        }
        "sampling/createMessage" => {
            json!({ "role": "assistant", "content": { "type": "text", "text": "hello" }, "model": "none" })
        }
        "roots/list" => json!({ "roots": [] }),
        _ => return None,
    })
}

/// The default of a field, or the plainest value of its type.
fn suggested(schema: &Value) -> Value {
    if let Some(default) = schema.get("default") {
        return default.clone();
    }
    match schema["type"].as_str() {
        Some("boolean") => true.into(),
        Some("integer" | "number") => 1.into(),
        _ => schema["enum"][0].as_str().unwrap_or("text").into(),
    }
}
