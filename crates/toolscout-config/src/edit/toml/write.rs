//! Formats values as TOML.

use serde_json::{Map, Value};

/// The line length above which a table becomes a section of its own.
const MAX_LINE: usize = 100;

/// A section with its header, without a trailing line break.
pub(super) fn section(path: &[String], map: &Map<String, Value>, newline: &str) -> String {
    let mut lines = vec![format!("[{}]", dotted(path))];
    let mut subsections = Vec::new();
    for (name, value) in map.iter().filter(|(_, value)| !value.is_null()) {
        let line = format!("{} = {}", key(name), inline(value));
        match value {
            Value::Object(map) if line.chars().count() > MAX_LINE => {
                let path = [path, std::slice::from_ref(name)].concat();
                subsections.push(section(&path, map, newline));
            }
            _ => lines.push(line),
        }
    }
    subsections.insert(0, lines.join(newline));
    subsections.join(&format!("{newline}{newline}"))
}

/// Keys joined with dots.
pub(super) fn dotted(path: &[String]) -> String {
    path.iter().map(|name| key(name)).collect::<Vec<_>>().join(".")
}

/// A key, quoted if necessary.
pub(super) fn key(name: &str) -> String {
    let is_bare = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    if !name.is_empty() && name.bytes().all(is_bare) { name.to_owned() } else { text(name) }
}

/// A value on one line. Null values are omitted.
pub(super) fn inline(value: &Value) -> String {
    match value {
        Value::Null => text(""),
        Value::Bool(value) => value.to_string(),
        Value::Number(number) => number.to_string(),
        Value::String(value) => text(value),
        Value::Array(items) => {
            format!("[{}]", items.iter().map(inline).collect::<Vec<_>>().join(", "))
        }
        Value::Object(map) => {
            let pairs = map.iter().filter(|(_, value)| !value.is_null());
            let pairs: Vec<String> =
                pairs.map(|(name, value)| format!("{} = {}", key(name), inline(value))).collect();
            if pairs.is_empty() { "{}".to_owned() } else { format!("{{ {} }}", pairs.join(", ")) }
        }
    }
}

/// Formats a string. A JSON string is a valid TOML string, except for one character.
fn text(text: &str) -> String {
    Value::String(text.to_owned()).to_string().replace('\u{7f}', "\\u007F")
}
