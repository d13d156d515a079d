//! Parses single values: exact numbers, JSON of a given shape, lists in their spellings.

use super::ValueKind;
use serde_json::{Number, Value};

/// Details about why a text is not of the required kind, if any.
pub(super) type Reason = Option<String>;

/// An integer that JSON can represent without loss.
pub(super) fn integer(text: &str) -> Option<Number> {
    text.parse::<i64>().map(Number::from).or_else(|_| text.parse::<u64>().map(Number::from)).ok()
}

/// Any finite number; integers stay integers. NaN and infinity are rejected in every spelling.
pub(super) fn number(text: &str) -> Option<Number> {
    let plausible = || {
        text.bytes()
            .all(|byte| byte.is_ascii_digit() || matches!(byte, b'+' | b'-' | b'.' | b'e' | b'E'))
    };
    integer(text).or_else(|| text.parse().ok().filter(|_| plausible()).and_then(Number::from_f64))
}

/// A JSON value of the required shape.
pub(super) fn json(kind: ValueKind, text: &str) -> Result<Value, Reason> {
    let value: Value = serde_json::from_str(text).map_err(|error| Some(error.to_string()))?;
    match kind {
        ValueKind::JsonArray if !value.is_array() => Err(None),
        ValueKind::JsonObject if !value.is_object() => Err(None),
        _ => Ok(value),
    }
}

/// Whether the text parses as this kind.
pub(super) fn check(kind: ValueKind, text: &str) -> Result<(), Reason> {
    let found = |number: Option<Number>| number.map(drop).ok_or(None);
    match kind {
        ValueKind::Switch | ValueKind::Text => Ok(()),
        ValueKind::Integer => found(integer(text)),
        ValueKind::Number => found(number(text)),
        ValueKind::Json | ValueKind::JsonArray | ValueKind::JsonObject => {
            json(kind, text).map(drop)
        }
    }
}

/// Whether a word that starts with a dash is a number rather than an option.
pub(super) fn is_negative_number(text: &str) -> bool {
    let digits = text.strip_prefix('-').map(|rest| rest.strip_prefix('.').unwrap_or(rest));
    digits.is_some_and(|digits| digits.starts_with(|digit: char| digit.is_ascii_digit()))
}

/// The items of a list typed as one word: `a,b`, `a, b`, `a,b,` or `["a","b"]`. Only items in the
/// JSON form can contain commas or outer spaces, and only that form can be empty.
pub(super) fn items(text: &str) -> Vec<String> {
    if let Some(items) = json_items(text) {
        return items;
    }
    let list = text.strip_suffix(',').unwrap_or(text);
    list.split(',').map(|item| item.trim().to_owned()).collect()
}

fn json_items(text: &str) -> Option<Vec<String>> {
    if !text.starts_with('[') {
        return None;
    }
    let items: Vec<Value> = serde_json::from_str(text).ok()?;
    items.into_iter().map(scalar_text).collect()
}

/// The typed form of a scalar; `None` for other values.
pub(super) fn scalar_text(value: Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(truth) => Some(truth.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}
