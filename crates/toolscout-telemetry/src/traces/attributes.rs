//! Attributes of spans and resources, with limits on their size. Each name occurs once.

use serde_json::{Map, Value, json};
use toolscout_core::redact;

/// Maximum length of a text in bytes; longer ones are cut.
const MAX_TEXT: usize = 4 << 10;
/// Maximum number of items in a list.
const MAX_ITEMS: usize = 128;

/// Attributes of a span or a resource: texts, booleans, numbers and lists of texts.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Attributes(Map<String, Value>);

impl Attributes {
    /// Adds an attribute.
    pub fn with(mut self, key: impl Into<String>, value: impl Into<Value>) -> Self {
        self.set(key, value);
        self
    }

    /// Adds an attribute if it has a value.
    pub(super) fn with_optional(self, key: &str, value: Option<impl Into<Value>>) -> Self {
        match value {
            Some(value) => self.with(key, value),
            None => self,
        }
    }

    /// Sets an attribute.
    pub fn set(&mut self, key: impl Into<String>, value: impl Into<Value>) {
        self.0.insert(key.into(), truncate(value.into()));
    }

    #[cfg(test)]
    pub(super) fn get(&self, key: &str) -> Option<&Value> {
        self.0.get(key)
    }

    /// Renders the attributes for OTLP: a list of keys and typed values.
    pub(super) fn to_json(&self) -> Value {
        self.0.iter().map(|(key, value)| json!({"key": key, "value": any_value(value)})).collect()
    }
}

fn truncate(value: Value) -> Value {
    match value {
        Value::String(text) => clip(&text).into(),
        Value::Array(items) => items.into_iter().take(MAX_ITEMS).map(truncate).collect(),
        other => other,
    }
}

/// Cuts a text to the limit.
pub(super) fn clip(text: &str) -> &str {
    &text[..text.floor_char_boundary(MAX_TEXT)]
}

/// OTLP's `AnyValue`. 64-bit integers are texts in its JSON form.
fn any_value(value: &Value) -> Value {
    match value {
        // Redacted again, because secrets may have been registered since; for example when the
        // headers of the exporter were resolved.
        Value::String(text) => json!({"stringValue": redact::known_secrets(text)}),
        Value::Bool(flag) => json!({"boolValue": flag}),
        Value::Number(number) if number.is_f64() => json!({"doubleValue": number}),
        Value::Number(number) => json!({"intValue": number.to_string()}),
        Value::Array(items) => {
            json!({"arrayValue": {"values": items.iter().map(any_value).collect::<Vec<_>>()}})
        }
        Value::Null | Value::Object(_) => json!({}),
    }
}
