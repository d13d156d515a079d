//! Parses the query of a URL into the types that an operation takes.

use crate::operation::OperationError;
use serde_json::{Map, Value};

/// Values by name; numbers, booleans and lists if the schema has that type. An unknown name is
/// an error, and so is a repeated name that is not a list.
pub(super) fn read(text: &str, schema: &Value) -> Result<Map<String, Value>, OperationError> {
    let mut all = Map::new();
    for pair in text.split('&').filter(|it| !it.is_empty()) {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        let (name, value) = (plain(name)?, plain(value)?);
        let known = &schema["properties"];
        let Some(property) = known.get(&name) else { return Err(unknown(&name, known)) };
        if is(property, "array") {
            let items = all.entry(name).or_insert_with(|| Value::Array(Vec::new())).as_array_mut();
            items.into_iter().for_each(|items| items.push(value.clone().into()));
        } else if all.insert(name.clone(), typed(value, property)).is_some() {
            return Err(OperationError::invalid(format!("the query has `{name}` twice")));
        }
    }
    Ok(all)
}

/// A number or a boolean, if the property has that type and the text parses as one.
fn typed(text: String, property: &Value) -> Value {
    let number = || text.parse::<u64>().ok().filter(|_| is(property, "integer"));
    let boolean = || match text.as_str() {
        "true" | "1" => Some(true),
        "false" | "0" => Some(false),
        _ => None,
    };
    match (number(), boolean().filter(|_| is(property, "boolean"))) {
        (Some(number), _) => number.into(),
        (_, Some(boolean)) => boolean.into(),
        _ => text.into(),
    }
}

/// Whether the property may be of this type.
fn is(property: &Value, word: &str) -> bool {
    match &property["type"] {
        Value::String(only) => only == word,
        Value::Array(all) => all.iter().any(|it| it == word),
        _ => false,
    }
}

fn unknown(name: &str, known: &Value) -> OperationError {
    let names: Vec<_> = known
        .as_object()
        .into_iter()
        .flat_map(|it| it.keys())
        .map(|it| format!("`{it}`"))
        .collect();
    let error = OperationError::invalid(format!("unknown query parameter `{}`", shown(name)));
    if names.is_empty() {
        error.hint("this route takes no query")
    } else {
        error.hint(format!("known parameters: {}", names.join(", ")))
    }
}

fn shown(text: &str) -> String {
    toolscout_core::escape::line(text).chars().take(100).collect()
}

/// The decoded text: `%20` and `+` are spaces.
fn plain(text: &str) -> Result<String, OperationError> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes().iter().copied();
    while let Some(byte) = rest.next() {
        match byte {
            b'+' => bytes.push(b' '),
            b'%' => {
                let digits = [rest.next(), rest.next()]
                    .map(|it| it.and_then(|it| (it as char).to_digit(16)));
                let [Some(high), Some(low)] = digits else { return Err(unreadable()) };
                bytes.push((high * 16 + low) as u8);
            }
            other => bytes.push(other),
        }
    }
    String::from_utf8(bytes).map_err(|_| unreadable())
}

fn unreadable() -> OperationError {
    OperationError::invalid("the query is not percent-encoded UTF-8")
}
