//! Redacts and shortens the text that the journal stores of queries, arguments and errors.
//!
//! Text is cut only between words. The redaction would not recognize one half of a secret.

use serde_json::{Map, Value};
use toolscout_core::Arguments;
use toolscout_core::redact::{self, REDACTED, names_a_secret};

/// Bytes of the arguments that are stored.
const ARGUMENTS: usize = 2_048;
/// Nesting depth of the arguments that is stored.
const DEPTH: usize = 16;
/// Bytes of a text that are copied for redaction, before it is cut to its final length.
const READ: usize = 4_096;

/// A copy of the arguments of a call, limited to the size that is stored. Values under secret names
/// are not copied; [`safe`] redacts secrets in all other values.
pub(super) fn copy(arguments: &Arguments) -> Value {
    let mut room = ARGUMENTS;
    Value::Object(map(arguments, &mut room, DEPTH))
}

fn map(map: &Map<String, Value>, room: &mut usize, depth: usize) -> Map<String, Value> {
    let mut copy = Map::new();
    for (at, (key, item)) in map.iter().enumerate() {
        if !take(room, key.len() + 4) {
            copy.insert("…".to_owned(), format!("{} more", map.len() - at).into());
            break;
        }
        let hidden = names_a_secret(key).then(|| REDACTED.into());
        copy.insert(key.clone(), hidden.unwrap_or_else(|| value(item, room, depth)));
    }
    copy
}

fn value(item: &Value, room: &mut usize, depth: usize) -> Value {
    match item {
        Value::String(text) if take(room, text.len() + 2) => item.clone(),
        Value::String(text) => format!("… {} bytes", text.len()).into(),
        Value::Array(_) | Value::Object(_) if depth == 0 => "…".into(),
        Value::Object(inner) => map(inner, room, depth - 1).into(),
        Value::Array(items) => {
            let mut copy = Vec::new();
            for (at, item) in items.iter().enumerate() {
                if !take(room, 2) {
                    copy.push(format!("… {} more", items.len() - at).into());
                    break;
                }
                copy.push(value(item, room, depth - 1));
            }
            copy.into()
        }
        other => {
            if take(room, 8) {
                other.clone()
            } else {
                "…".into()
            }
        }
    }
}

fn take(room: &mut usize, bytes: usize) -> bool {
    let fits = *room >= bytes;
    *room -= if fits { bytes } else { 0 };
    fits
}

/// Redacts everything that is shaped like a secret, at any depth and in keys as well.
pub(super) fn safe(value: Value) -> Value {
    match value {
        Value::String(text) => redact::text(&text).into(),
        Value::Array(items) => items.into_iter().map(safe).collect(),
        Value::Object(map) => {
            map.into_iter().map(|(key, value)| (redact::text(&key), safe(value))).collect()
        }
        other => other,
    }
}

/// The first [`READ`] bytes of a text, to be redacted by [`safe`] or [`cut`] later.
pub(super) fn beginning(text: &str) -> String {
    whole_words(text, READ).to_owned()
}

/// The beginning of a text, redacted and cut to about `most` bytes.
pub(super) fn cut(text: &str, most: usize) -> String {
    let safe = redact::text(text);
    if safe.len() <= most { safe } else { format!("{}…", whole_words(&safe, most)) }
}

/// As many whole words as fit into `most` bytes.
fn whole_words(text: &str, most: usize) -> &str {
    if text.len() <= most {
        return text;
    }
    let start = &text[..text.floor_char_boundary(most)];
    start.rfind(char::is_whitespace).map_or("", |it| &start[..it])
}
