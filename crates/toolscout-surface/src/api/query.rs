//! Parses the query of a URL into the types that an operation takes.

use crate::operation::OperationError;
use serde_json::{Map, Value};

/// Values by name; numbers, booleans and lists if the schema has that type. An unknown name is
/// an error, and so is a repeated name that is not a list.
pub(super) fn parse(text: &str, schema: &Value) -> Result<Map<String, Value>, OperationError> {
    let mut all = Map::new();
    for pair in text.split('&').filter(|part| !part.is_empty()) {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        let (name, value) = (percent_decode(name)?, percent_decode(value)?);
        let properties = &schema["properties"];
        let Some(property) = properties.get(&name) else { return Err(unknown(&name, properties)) };
        if has_type(property, "array") {
            let items = all.entry(name).or_insert_with(|| Value::Array(Vec::new())).as_array_mut();
            items.into_iter().for_each(|items| items.push(value.clone().into()));
        } else if all.insert(name.clone(), typed(value, property)).is_some() {
            return Err(OperationError::invalid(format!("duplicate query parameter `{name}`")));
        }
    }
    Ok(all)
}

/// A number or a boolean, if the property has that type and the text parses as one.
fn typed(text: String, property: &Value) -> Value {
    let number = || text.parse::<u64>().ok().filter(|_| has_type(property, "integer"));
    let boolean = || match text.as_str() {
        "true" | "1" => Some(true),
        "false" | "0" => Some(false),
        _ => None,
    };
    match (number(), boolean().filter(|_| has_type(property, "boolean"))) {
        (Some(number), _) => number.into(),
        (_, Some(boolean)) => boolean.into(),
        _ => text.into(),
    }
}

/// Whether the property may be of this type.
fn has_type(property: &Value, type_name: &str) -> bool {
    match &property["type"] {
        Value::String(only) => only == type_name,
        Value::Array(all) => all.iter().any(|item| item == type_name),
        _ => false,
    }
}

fn unknown(name: &str, properties: &Value) -> OperationError {
    let names: Vec<_> = properties
        .as_object()
        .into_iter()
        .flat_map(|object| object.keys())
        .map(|key| format!("`{key}`"))
        .collect();
    let error = OperationError::invalid(format!("unknown query parameter `{}`", truncated(name)));
    if names.is_empty() {
        error.hint("this route has no query parameters")
    } else {
        error.hint(format!("known parameters: {}", names.join(", ")))
    }
}

fn truncated(text: &str) -> String {
    toolscout_core::escape::line(text).chars().take(100).collect()
}

/// The decoded text: `%20` and `+` are spaces.
fn percent_decode(text: &str) -> Result<String, OperationError> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut remaining = text.as_bytes().iter().copied();
    while let Some(byte) = remaining.next() {
        match byte {
            b'+' => bytes.push(b' '),
            b'%' => {
                let digits = [remaining.next(), remaining.next()]
                    .map(|inner| inner.and_then(|value| (value as char).to_digit(16)));
                let [Some(high), Some(low)] = digits else { return Err(malformed()) };
                bytes.push((high * 16 + low) as u8);
            }
            other => bytes.push(other),
        }
    }
    String::from_utf8(bytes).map_err(|_| malformed())
}

fn malformed() -> OperationError {
    OperationError::invalid("the query is not percent-encoded UTF-8")
}
