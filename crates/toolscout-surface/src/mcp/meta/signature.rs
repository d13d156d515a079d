//! A tool in one line: `mail/send(to: string, copies?: int) – Sends a mail.`

use super::schema::{is_required, properties, resolved};
use serde_json::Value;
use toolscout_core::{Tool, escape};

/// Maximum number of parameters and of values that are shown; `…` stands for the rest.
const PARAMETERS: usize = 16;
const VALUES: usize = 6;
/// Maximum nesting depth of objects that is shown.
const DEEPEST: usize = 2;
/// Maximum length of the sentence in characters.
const SENTENCE: usize = 160;

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
    format!("{}({})", escape::line(&tool.id.to_string()), parameters(&schema, &schema, DEEPEST))
}

/// The first sentence of a text, on one line and limited in length.
pub(super) fn sentence(text: &str) -> String {
    let line = text.trim().lines().next().unwrap_or_default().trim();
    let end = line.find(". ").map_or(line.len(), |it| it + 1);
    let sentence = &line[..end];
    match sentence.char_indices().nth(SENTENCE) {
        Some((end, _)) => format!("{}…", escape::line(sentence[..end].trim_end())),
        None => escape::line(sentence).into_owned(),
    }
}

fn parameters(root: &Value, schema: &Value, depth: usize) -> String {
    let Some(properties) = properties(root, schema) else { return String::new() };
    let mut told: Vec<_> = properties
        .iter()
        .take(PARAMETERS)
        .map(|(name, it)| {
            let mark = if is_required(root, schema, name) { "" } else { "?" };
            format!("{}{mark}: {}", key(name), kind(root, it, depth))
        })
        .collect();
    if properties.len() > PARAMETERS {
        told.push("…".to_owned());
    }
    told.join(", ")
}

fn key(name: &str) -> String {
    match name
        .bytes()
        .all(|it| it.is_ascii_alphanumeric() || matches!(it, b'_' | b'-' | b'.' | b'$'))
    {
        true => name.to_owned(),
        false => crate::output::json::compact(&name),
    }
}

fn kind(root: &Value, schema: &Value, depth: usize) -> String {
    let schema = resolved(root, schema);
    if let Some(value) = schema.get("const") {
        return literal(value);
    }
    if let Some(values) = schema.get("enum").and_then(Value::as_array) {
        return union(values.iter().map(literal));
    }
    for composed in ["anyOf", "oneOf"] {
        if let (Some(kinds), true) = (schema.get(composed).and_then(Value::as_array), depth > 0) {
            return union(kinds.iter().map(|it| kind(root, it, depth - 1)));
        }
    }
    match schema.get("type") {
        Some(Value::Array(kinds)) => {
            union(kinds.iter().filter_map(Value::as_str).map(|it| simple(it).to_owned()))
        }
        Some(Value::String(it)) => named(root, schema, it, depth),
        _ if schema.get("properties").is_some() => named(root, schema, "object", depth),
        _ => "any".to_owned(),
    }
}

fn named(root: &Value, schema: &Value, name: &str, depth: usize) -> String {
    match name {
        "array" => match schema.get("items") {
            Some(items) if depth > 0 => match kind(root, items, depth - 1) {
                item if item.contains('|') => format!("({item})[]"),
                item => format!("{item}[]"),
            },
            _ => "array".to_owned(),
        },
        "object" if depth > 0 && properties(root, schema).is_some_and(|it| !it.is_empty()) => {
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
    for kind in kinds {
        if seen.len() == VALUES {
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
