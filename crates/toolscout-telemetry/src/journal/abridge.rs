//! Redacts and shortens the text that the journal stores of queries, arguments and errors.
//!
//! Text is cut only between words. The redaction would not recognize one half of a secret.

use serde_json::{Map, Value};
use toolscout_core::Arguments;
use toolscout_core::redact::{self, REDACTED, names_a_secret};

/// Bytes of the arguments that are stored.
const MAX_ARGUMENT_BYTES: usize = 2_048;
/// Nesting depth of the arguments that is stored.
const MAX_DEPTH: usize = 16;
/// Bytes of a text that are copied for redaction, before it is cut to its final length.
const MAX_READ_BYTES: usize = 4_096;

/// A copy of the arguments of a call, limited to the size that is stored. Values under secret names
/// are not copied; [`redact_all`] redacts secrets in all other values.
pub(super) fn copy(arguments: &Arguments) -> Value {
    let mut budget = MAX_ARGUMENT_BYTES;
    Value::Object(map(arguments, &mut budget, MAX_DEPTH))
}

fn map(map: &Map<String, Value>, budget: &mut usize, depth: usize) -> Map<String, Value> {
    let mut copy = Map::new();
    for (at, (key, item)) in map.iter().enumerate() {
        if !take(budget, key.len() + 4) {
            copy.insert("…".to_owned(), format!("{} more", map.len() - at).into());
            break;
        }
        let redacted = names_a_secret(key).then(|| REDACTED.into());
        copy.insert(key.clone(), redacted.unwrap_or_else(|| value(item, budget, depth)));
    }
    copy
}

fn value(item: &Value, budget: &mut usize, depth: usize) -> Value {
    match item {
        Value::String(text) if take(budget, text.len() + 2) => item.clone(),
        Value::String(text) => format!("… {} bytes", text.len()).into(),
        Value::Array(_) | Value::Object(_) if depth == 0 => "…".into(),
        Value::Object(inner) => map(inner, budget, depth - 1).into(),
        Value::Array(items) => {
            let mut copy = Vec::new();
            for (at, item) in items.iter().enumerate() {
                if !take(budget, 2) {
                    copy.push(format!("… {} more", items.len() - at).into());
                    break;
                }
                copy.push(value(item, budget, depth - 1));
            }
            copy.into()
        }
        other => {
            if take(budget, 8) {
                other.clone()
            } else {
                "…".into()
            }
        }
    }
}

fn take(budget: &mut usize, bytes: usize) -> bool {
    let is_enough = *budget >= bytes;
    *budget -= if is_enough { bytes } else { 0 };
    is_enough
}

/// Redacts everything that is shaped like a secret, at any depth and in keys as well.
pub(super) fn redact_all(value: Value) -> Value {
    match value {
        Value::String(text) => redact::text(&text).into(),
        Value::Array(items) => items.into_iter().map(redact_all).collect(),
        Value::Object(map) => {
            map.into_iter().map(|(key, value)| (redact::text(&key), redact_all(value))).collect()
        }
        other => other,
    }
}

/// The first [`MAX_READ_BYTES`] bytes of a text, to be redacted by [`redact_all`] or
/// [`redact_and_truncate`] later.
pub(super) fn prefix(text: &str) -> String {
    truncate_at_word(text, MAX_READ_BYTES).to_owned()
}

/// The beginning of a text, redacted and cut to about `limit` bytes.
pub(super) fn redact_and_truncate(text: &str, limit: usize) -> String {
    let redacted = redact::text(text);
    if redacted.len() <= limit {
        redacted
    } else {
        format!("{}…", truncate_at_word(&redacted, limit))
    }
}

/// As many whole words as fit into `limit` bytes.
fn truncate_at_word(text: &str, limit: usize) -> &str {
    if text.len() <= limit {
        return text;
    }
    let start = &text[..text.floor_char_boundary(limit)];
    start.rfind(char::is_whitespace).map_or("", |value| &start[..value])
}
