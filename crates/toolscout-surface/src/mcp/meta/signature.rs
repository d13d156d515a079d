//! A tool in one line: `mail/send(to: string, copies?: int) – Sends a mail.`

use super::schema::{is_required, properties, resolved};
use serde_json::Value;
use toolscout_core::{Tool, escape};

/// Maximum number of parameters and of values that are shown; `…` stands for the rest.
const MAX_PARAMETERS: usize = 16;
const MAX_VALUES: usize = 6;
/// Maximum number of alternatives that are read: a schema may repeat the same one often.
const MAX_ALTERNATIVES: usize = 64;
/// Maximum nesting depth of objects that is shown.
const MAX_DEPTH: usize = 2;
/// Maximum length of the sentence in characters.
const MAX_SENTENCE: usize = 160;

/// The signature and the first sentence of the description.
pub(super) fn line(tool: &Tool) -> String {
    match sentence(tool.description.as_deref().unwrap_or_default()) {
        sentence if sentence.is_empty() => signature(tool),
        sentence => format!("{} – {sentence}", signature(tool)),
    }
}

/// The id and the parameters.
pub(super) fn signature(tool: &Tool) -> String {
    let schema = tool.input_schema.to_value();
    format!("{}({})", escape::line(&tool.id.to_string()), parameters(&schema, &schema, MAX_DEPTH))
}

/// The first sentence of a text, on one line and limited in length.
pub(super) fn sentence(text: &str) -> String {
    let line = text.trim().lines().next().unwrap_or_default().trim();
    let end = line.find(". ").map_or(line.len(), |index| index + 1);
    let sentence = &line[..end];
    match sentence.char_indices().nth(MAX_SENTENCE) {
        Some((end, _)) => format!("{}…", escape::line(sentence[..end].trim_end())),
        None => escape::line(sentence).into_owned(),
    }
}

fn parameters(root: &Value, schema: &Value, depth: usize) -> String {
    let Some(properties) = properties(root, schema) else { return String::new() };
    let mut shown: Vec<_> = properties
        .iter()
        .take(MAX_PARAMETERS)
        .map(|(name, property)| {
            let mark = if is_required(root, schema, name) { "" } else { "?" };
            format!("{}{mark}: {}", key(name), type_text(root, property, depth))
        })
        .collect();
    if properties.len() > MAX_PARAMETERS {
        shown.push("…".to_owned());
    }
    shown.join(", ")
}

fn key(name: &str) -> String {
    if name
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'$'))
    {
        name.to_owned()
    } else {
        crate::output::json::compact(&name)
    }
}

fn type_text(root: &Value, schema: &Value, depth: usize) -> String {
    let schema = resolved(root, schema);
    if let Some(value) = schema.get("const") {
        return literal(value);
    }
    if let Some(values) = schema.get("enum").and_then(Value::as_array) {
        return union(values.iter().map(literal));
    }
    for composed in ["anyOf", "oneOf"] {
        if let (Some(kinds), true) = (schema.get(composed).and_then(Value::as_array), depth > 0) {
            return union(kinds.iter().map(|item| type_text(root, item, depth - 1)));
        }
    }
    match schema.get("type") {
        Some(Value::Array(kinds)) => {
            union(kinds.iter().filter_map(Value::as_str).map(|text| simple(text).to_owned()))
        }
        Some(Value::String(text)) => named(root, schema, text, depth),
        _ if schema.get("properties").is_some() => named(root, schema, "object", depth),
        _ => "any".to_owned(),
    }
}

fn named(root: &Value, schema: &Value, name: &str, depth: usize) -> String {
    match name {
        "array" => match schema.get("items") {
            Some(items) if depth > 0 => match type_text(root, items, depth - 1) {
                item if item.contains('|') => format!("({item})[]"),
                item => format!("{item}[]"),
            },
            _ => "array".to_owned(),
        },
        "object"
            if depth > 0
                && properties(root, schema).is_some_and(|properties| !properties.is_empty()) =>
        {
            format!("{{{}}}", parameters(root, schema, depth - 1))
        }
        other => simple(other).to_owned(),
    }
}

fn simple(name: &str) -> &'static str {
    match name {
        "string" => "string",
        "integer" => "int",
        "number" => "number",
        "boolean" => "bool",
        "array" => "array",
        "object" => "object",
        "null" => "null",
        _ => "any",
    }
}

fn union(kinds: impl Iterator<Item = String>) -> String {
    let mut seen: Vec<String> = Vec::new();
    for (index, kind) in kinds.enumerate() {
        if seen.len() == MAX_VALUES || index == MAX_ALTERNATIVES {
            seen.push("…".to_owned());
            break;
        }
        if !seen.contains(&kind) {
            seen.push(kind);
        }
    }
    seen.join("|")
}

fn literal(value: &Value) -> String {
    let text = crate::output::json::compact(value);
    match text.char_indices().nth(40) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}
