//! A reduced copy of an input schema, for catalogs that show schemas of third parties.
//!
//! The copy has no references, no composition and no HTML, and a limited size. Search, `describe`
//! and calls use the full schema.

#[cfg(test)]
mod tests;

use serde_json::{Map, Value};

/// Maximum size of a copy in bytes, as compact JSON.
pub const MAX_SCHEMA_BYTES: usize = 8 << 10;
/// Maximum number of tools per source in a catalog of such copies.
pub const MAX_TOOLS: usize = 50;
/// Levels of nested properties and items that are copied.
const MAX_DEPTH: usize = 5;
/// Maximum length of a text in characters.
const MAX_TEXT: usize = 1_000;

/// The keywords that are copied as they are, apart from HTML in texts. All others are left out:
/// `$ref`, `$defs`, `allOf`, `anyOf`, `oneOf`, `not`, `if`, `pattern` and more.
const PLAIN_KEYWORDS: [&str; 14] = [
    "title",
    "description",
    "enum",
    "const",
    "default",
    "format",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
];

/// What is copied of a schema; less and less until the copy is small enough.
#[derive(Clone, Copy)]
struct Detail {
    depth: usize,
    has_keywords: bool,
    properties: usize,
}

const DETAILS: [Detail; 4] = [
    Detail { depth: MAX_DEPTH, has_keywords: true, properties: usize::MAX },
    Detail { depth: 1, has_keywords: true, properties: usize::MAX },
    Detail { depth: 1, has_keywords: false, properties: usize::MAX },
    Detail { depth: 1, has_keywords: false, properties: 50 },
];

/// The safe copy of an input schema: an object with `type`, and with `properties` as far as they
/// fit.
pub fn safe_schema(schema: &Value) -> Value {
    let copies = DETAILS.iter().map(|detail| copy(schema, *detail));
    let is_small = |copy: &Value| copy.to_string().len() <= MAX_SCHEMA_BYTES;
    let smallest = || Value::Object(Map::from_iter([("type".to_owned(), "object".into())]));
    let mut copy = copies.into_iter().find(is_small).unwrap_or_else(smallest);
    if let Some(copy) = copy.as_object_mut() {
        copy.entry("type").or_insert_with(|| "object".into());
    }
    copy
}

/// The text without HTML and control characters, and cut to a limited length.
pub fn safe_text(text: &str) -> String {
    // Bounds the work for a long text; most of it would be cut in any case.
    let end = text.char_indices().nth(8 * MAX_TEXT).map_or(text.len(), |(at, _)| at);
    let mut plain = without_html(&text[..end]);
    if let Some((at, _)) = plain.char_indices().nth(MAX_TEXT) {
        plain.truncate(at);
        plain.push('…');
    }
    plain
}

fn copy(schema: &Value, detail: Detail) -> Value {
    let Value::Object(schema) = schema else { return Value::Object(Map::new()) };
    let mut safe = Map::new();
    if let Some(word) = schema.get("type").and_then(type_word) {
        safe.insert("type".to_owned(), word.into());
    }
    for keyword in PLAIN_KEYWORDS.iter().filter(|_| detail.has_keywords) {
        if let Some(value) = schema.get(*keyword) {
            safe.insert((*keyword).to_owned(), safe_value(value));
        }
    }
    if detail.depth == 0 {
        return Value::Object(safe);
    }
    let inner = Detail { depth: detail.depth - 1, ..detail };
    if let Some(items) = schema.get("items").filter(|items| items.is_object()) {
        safe.insert("items".to_owned(), copy(items, inner));
    }
    let properties = schema.get("properties").and_then(Value::as_object).into_iter().flatten();
    let properties: Map<_, _> = properties
        .filter(|(name, _)| is_safe_name(name))
        .take(detail.properties)
        .map(|(name, property)| (name.clone(), copy(property, inner)))
        .collect();
    let required = schema.get("required").and_then(Value::as_array).into_iter().flatten();
    let is_copied = |name: &&Value| name.as_str().is_some_and(|name| properties.contains_key(name));
    let required: Vec<Value> = required.filter(is_copied).cloned().collect();
    if !required.is_empty() {
        safe.insert("required".to_owned(), required.into());
    }
    if !properties.is_empty() {
        safe.insert("properties".to_owned(), properties.into());
    }
    Value::Object(safe)
}

/// One type, as a text: the first that is not `null`.
fn type_word(value: &Value) -> Option<&str> {
    const TYPES: [&str; 7] = ["object", "array", "string", "number", "integer", "boolean", "null"];
    let words = value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice);
    let mut words = words.iter().filter_map(Value::as_str).filter(|word| TYPES.contains(word));
    let first = words.clone().next();
    words.find(|word| *word != "null").or(first)
}

/// A value of a keyword without HTML in its texts. Objects have no place in a catalog.
fn safe_value(value: &Value) -> Value {
    match value {
        Value::String(text) => safe_text(text).into(),
        Value::Array(values) => values.iter().map(safe_value).collect(),
        Value::Object(_) => Value::Null,
        other => other.clone(),
    }
}

/// A property with another name cannot be shown without changing its meaning.
fn is_safe_name(name: &str) -> bool {
    name.chars().count() <= MAX_TEXT && without_html(name) == name
}

/// Removes tags, comments, and the content of scripts and styles. A `<` that begins no tag stays
/// as a character that no page takes for markup.
fn without_html(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find('<') {
        plain.push_str(&rest[..start]);
        rest = &rest[start..];
        rest = match tag_length(rest) {
            Some(length) => &rest[length..],
            None => {
                plain.push('‹');
                &rest[1..]
            }
        };
    }
    plain.push_str(rest);
    plain.retain(|character| character == '\n' || !toolscout_core::escape::is_dangerous(character));
    plain
}

/// The length of the tag at the start of this text, with the content of a script or a style;
/// `None` if there is no tag. A tag without an end reaches to the end of the text.
fn tag_length(text: &str) -> Option<usize> {
    let is_tag =
        text[1..].starts_with(|next: char| next.is_ascii_alphabetic() || "/!?".contains(next));
    if !is_tag {
        return None;
    }
    let lower = text.to_ascii_lowercase();
    let end = ["<!--", "<script", "<style"]
        .into_iter()
        .zip(["-->", "</script>", "</style>"])
        .find(|(start, _)| lower.starts_with(start))
        .map_or(">", |(_, end)| end);
    Some(lower.find(end).map_or(text.len(), |at| at + end.len()))
}
