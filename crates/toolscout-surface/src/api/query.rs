//! The part of an address behind `?`, taken apart and read as the types a route wants.

use super::OperationError;
use serde_json::{Map, Value};

/// Values by name, numbers and switches as such where the schema wants them. A name that is there twice, or that nobody
/// knows, is told: whoever wrote it meant something.
pub(super) fn read(text: &str, schema: &Value) -> Result<Map<String, Value>, OperationError> {
    let mut all = Map::new();
    for pair in text.split('&').filter(|it| !it.is_empty()) {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        let (name, value) = (plain(name)?, plain(value)?);
        let known = &schema["properties"];
        let Some(property) = known.get(&name) else { return Err(unknown(&name, known)) };
        if all.insert(name.clone(), typed(value, property)).is_some() {
            return Err(OperationError::invalid(format!("the query has `{name}` twice")));
        }
    }
    Ok(all)
}

/// A number or a switch where one is wanted, and it is one.
fn typed(text: String, property: &Value) -> Value {
    let is = |word: &str| match &property["type"] {
        Value::String(it) => it == word,
        Value::Array(all) => all.iter().any(|it| it == word),
        _ => false,
    };
    let number = || text.parse::<u64>().ok().filter(|_| is("integer"));
    let switch = || match text.as_str() {
        "true" | "1" => Some(true),
        "false" | "0" => Some(false),
        _ => None,
    };
    match (number(), switch().filter(|_| is("boolean"))) {
        (Some(number), _) => number.into(),
        (_, Some(switch)) => switch.into(),
        _ => text.into(),
    }
}

fn unknown(name: &str, known: &Value) -> OperationError {
    let names: Vec<_> = known.as_object().into_iter().flat_map(|it| it.keys()).map(|it| format!("`{it}`")).collect();
    let trouble = OperationError::invalid(format!("the query has `{}`, which means nothing here", shown(name)));
    match names.is_empty() {
        true => trouble.hint("leave the query out"),
        false => trouble.hint(format!("there are {}", names.join(", "))),
    }
}

fn shown(text: &str) -> String {
    toolscout_core::escape::line(text).chars().take(100).collect()
}

/// What it stands for: `%20` and `+` are spaces.
fn plain(text: &str) -> Result<String, OperationError> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes().iter().copied();
    while let Some(byte) = rest.next() {
        match byte {
            b'+' => bytes.push(b' '),
            b'%' => {
                let digits = [rest.next(), rest.next()].map(|it| it.and_then(|it| (it as char).to_digit(16)));
                let [Some(high), Some(low)] = digits else { return Err(unreadable()) };
                bytes.push((high * 16 + low) as u8);
            }
            other => bytes.push(other),
        }
    }
    String::from_utf8(bytes).map_err(|_| unreadable())
}

fn unreadable() -> OperationError {
    OperationError::invalid(
        "the query is not written as an address wants it: `%` and two digits for each byte of UTF-8",
    )
}
