//! Makes short and safe what is kept of others' words: secrets are hidden, and what is long is left out.
//!
//! Nothing is cut inside a word: of half a secret nobody can tell that it is one.

use serde_json::{Map, Value};
use toolscout_core::Arguments;
use toolscout_core::redact::{self, REDACTED, names_a_secret};

/// Bytes of arguments that are kept.
const ARGUMENTS: usize = 2_048;
/// Deeper nobody looks.
const DEPTH: usize = 16;
/// Bytes of a text that are looked at, whatever is kept of it.
const READ: usize = 4_096;

/// A copy of what was passed to a tool, as small as what is kept of it. Secrets by name are not even copied; [`safe`] looks for
/// others.
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

/// The same without what is shaped like a secret, at any depth, in keys as well.
pub(super) fn safe(value: Value) -> Value {
    match value {
        Value::String(text) => redact::text(&text).into(),
        Value::Array(items) => items.into_iter().map(safe).collect(),
        Value::Object(map) => map.into_iter().map(|(key, value)| (redact::text(&key), safe(value))).collect(),
        other => other,
    }
}

/// The beginning of a text, to be made [`safe`] and [`cut`] later.
pub(super) fn beginning(text: &str) -> String {
    whole_words(text, READ).to_owned()
}

/// The beginning of a text without its secrets, of about so many bytes.
pub(super) fn cut(text: &str, most: usize) -> String {
    let safe = redact::text(text);
    if safe.len() <= most { safe } else { format!("{}…", whole_words(&safe, most)) }
}

/// As many whole words as there is room for.
fn whole_words(text: &str, most: usize) -> &str {
    if text.len() <= most {
        return text;
    }
    let start = &text[..text.floor_char_boundary(most)];
    start.rfind(char::is_whitespace).map_or("", |it| &start[..it])
}
