//! Types of TypeScript and JSDoc as JSON Schema. Types that are not known allow any value.

use super::FunctionParameter;
use super::scan::{bracketed, literal, split, split_once};
use serde_json::{Map, Value, json};

/// The maximum nesting of types; deeper ones allow any value.
const MAX_DEPTH: usize = 8;

/// The schema of a type, and whether the type allows the value to be absent.
pub(super) fn schema(text: &str) -> (Map<String, Value>, bool) {
    at_depth(text, 0)
}

/// The members of an inline object type, without its braces.
pub(super) fn members(text: &str) -> Vec<FunctionParameter> {
    members_at_depth(text, 0)
}

fn at_depth(text: &str, depth: usize) -> (Map<String, Value>, bool) {
    let text = text.trim();
    // `T=` and `[T]` are optional, `?T` is nullable, `!T` is neither.
    let (text, is_optional) = match text.strip_suffix('=') {
        Some(rest) => (rest, true),
        None => (text, false),
    };
    let text = text.trim_start_matches(['?', '!']).trim();
    let text = match (text.starts_with('('), bracketed_whole(text)) {
        (true, Some(inside)) => inside,
        _ => text,
    };
    let all = split(text, &['|']);
    let is_empty_type = |part: &&str| matches!(*part, "null" | "undefined" | "void");
    let is_optional = is_optional || all.iter().any(is_empty_type);
    let parts: Vec<&str> = all.into_iter().filter(|part| !is_empty_type(part)).collect();
    if depth >= MAX_DEPTH {
        return (Map::new(), is_optional);
    }
    let schema = match parts.as_slice() {
        [] => json!({}),
        [only] => single(only, depth),
        many => union(many, depth),
    };
    (into_map(schema), is_optional)
}

fn union(parts: &[&str], depth: usize) -> Value {
    let literals: Option<Vec<Value>> = parts.iter().map(|part| literal(part)).collect();
    match literals {
        Some(values) => choice(values),
        None => {
            let each = parts.iter().map(|part| Value::Object(at_depth(part, depth + 1).0));
            json!({"anyOf": each.collect::<Vec<_>>()})
        }
    }
}

fn choice(values: Vec<Value>) -> Value {
    let is = |test: fn(&Value) -> bool| values.iter().all(test);
    let kind = [("string", is(Value::is_string)), ("number", is(Value::is_number))];
    match kind.into_iter().find(|(_, fits)| *fits) {
        Some((kind, _)) => json!({"type": kind, "enum": values}),
        None => json!({"enum": values}),
    }
}

fn single(text: &str, depth: usize) -> Value {
    let inner = |text: &str| Value::Object(at_depth(text, depth + 1).0);
    let list = |items: Value| match items.as_object() {
        Some(map) if map.is_empty() => json!({"type": "array"}),
        _ => json!({"type": "array", "items": items}),
    };
    match text {
        "string" | "String" => return json!({"type": "string"}),
        "number" | "Number" => return json!({"type": "number"}),
        "integer" | "int" | "bigint" => return json!({"type": "integer"}),
        "boolean" | "Boolean" | "bool" => return json!({"type": "boolean"}),
        "object" | "Object" => return json!({"type": "object"}),
        "Array" | "array" => return json!({"type": "array"}),
        "Date" => return json!({"type": "string", "format": "date-time"}),
        _ => {}
    }
    if let Some(items) = text.strip_suffix("[]") {
        return list(inner(items));
    }
    for prefix in ["Array<", "Array.<", "ReadonlyArray<", "Set<"] {
        if let Some(items) = text.strip_prefix(prefix).and_then(|rest| rest.strip_suffix('>')) {
            return list(inner(items));
        }
    }
    if text.starts_with("Record<") || text.starts_with("Object<") || text.starts_with("Map<") {
        return json!({"type": "object"});
    }
    if let (true, Some(inside)) = (text.starts_with('{'), bracketed_whole(text)) {
        return super::schema_of(members_at_depth(inside, depth + 1)).to_value();
    }
    literal(text).map_or_else(|| json!({}), |value| choice(vec![value]))
}

fn members_at_depth(text: &str, depth: usize) -> Vec<FunctionParameter> {
    let member = |part: &&str| {
        let (name, kind) = split_once(without_comments(part), ':');
        let name = name.trim_start_matches("readonly ").trim();
        let plain = name.trim_end_matches('?').trim_matches(['"', '\'']);
        let (schema, is_optional) = at_depth(kind.unwrap_or_default(), depth + 1);
        let required = !name.ends_with('?') && !is_optional;
        is_name(plain).then(|| FunctionParameter { name: plain.to_owned(), schema, required })
    };
    split(text, &[';', ',', '\n']).iter().filter_map(member).collect()
}

/// The text after comments at its start.
fn without_comments(text: &str) -> &str {
    let mut text = text.trim();
    while let Some(rest) = text.strip_prefix("/*").and_then(|rest| rest.split_once("*/")) {
        text = rest.1.trim();
    }
    if text.starts_with("//") { "" } else { text }
}

/// The text inside a bracket that encloses the whole text.
fn bracketed_whole(text: &str) -> Option<&str> {
    let (inside, end) = bracketed(text, 0)?;
    (end == text.len()).then_some(inside)
}

/// Whether this is a plain name of a property.
pub(super) fn is_name(text: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '-');
    !text.is_empty() && text.chars().all(is_part)
}

fn into_map(value: Value) -> Map<String, Value> {
    if let Value::Object(map) = value { map } else { Map::new() }
}
