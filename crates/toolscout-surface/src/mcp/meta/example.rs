//! Generates example arguments from the schema of a tool.

use super::schema::{MAX_DEPTH, parts, property, required, resolved, types};
use crate::output::json::compact;
use serde_json::{Map, Value, json};

/// Maximum size in bytes of given arguments that the example repeats.
const MAX_GIVEN_BYTES: usize = 600;
/// Example texts by format.
const FORMAT_EXAMPLES: [(&str, &str); 8] = [
    ("date", "2026-01-31"),
    ("date-time", "2026-01-31T12:00:00Z"),
    ("time", "12:00:00Z"),
    ("email", "name@example.com"),
    ("uri", "https://example.com"),
    ("uuid", "123e4567-e89b-12d3-a456-426614174000"),
    ("ipv4", "192.0.2.1"),
    ("hostname", "example.com"),
];

/// Generates all required arguments, and those in `wrong`. Given arguments are kept unless they are
/// wrong or unknown.
pub(super) fn arguments(schema: &Value, wrong: &[&str], given: &Map<String, Value>) -> Value {
    let is_valid = |name: &str| !wrong.contains(&name) && property(schema, schema, name).is_some();
    let mut example = if compact(given).len() <= MAX_GIVEN_BYTES {
        given
            .iter()
            .filter(|(name, _)| is_valid(name))
            .map(|(name, item)| (name.clone(), item.clone()))
            .collect()
    } else {
        Map::new()
    };
    for name in required(schema, schema).into_iter().chain(wrong.iter().copied()) {
        if example.contains_key(name) {
            continue;
        }
        if let Some(inner) = property(schema, schema, name) {
            example.insert(name.to_owned(), value(schema, inner, MAX_DEPTH / 2));
        } else if required(schema, schema).contains(&name) {
            example.insert(name.to_owned(), json!("text"));
        }
    }
    Value::Object(example)
}

fn value(root: &Value, schema: &Value, depth: usize) -> Value {
    let schema = resolved(root, schema);
    let first = |keyword: &str| schema.get(keyword)?.as_array()?.first().cloned();
    let declared =
        schema.get("const").cloned().or_else(|| first("enum")).or_else(|| first("examples"));
    if let Some(declared) =
        declared.or_else(|| schema.get("default").filter(|default| !default.is_null()).cloned())
    {
        return declared;
    }
    let is_not_null = |value: &&Value| types(root, value).iter().any(|kind| *kind != "null");
    let mut choices =
        ["anyOf", "oneOf"].iter().filter_map(|item| schema.get(*item)?.as_array()).flatten();
    if let (Some(choice), true) = (choices.find(is_not_null), depth > 0) {
        return value(root, choice, depth - 1);
    }
    let types = types(root, schema);
    match types.iter().find(|kind| **kind != "null").copied() {
        Some("string") | None => text(schema),
        Some("integer" | "number") => number(schema),
        Some("boolean") => json!(true),
        Some("array") if depth > 0 => list(root, schema, depth),
        Some("object") if depth > 0 => object(root, schema, depth),
        Some("array") => json!([]),
        Some("object") => json!({}),
        Some(_) => Value::Null,
    }
}

fn text(schema: &Value) -> Value {
    let format = schema.get("format").and_then(Value::as_str);
    if let Some((_, text)) = FORMAT_EXAMPLES.iter().find(|(name, _)| Some(*name) == format) {
        return json!(text);
    }
    let min_length = schema.get("minLength").and_then(Value::as_u64).unwrap_or(0).min(200) as usize;
    let max_length = schema
        .get("maxLength")
        .and_then(Value::as_u64)
        .map_or(usize::MAX, |length| length as usize);
    json!(
        "text "
            .repeat(1 + min_length / 5)
            .chars()
            .take(min_length.max(4).min(max_length))
            .collect::<String>()
    )
}

fn number(schema: &Value) -> Value {
    let bound = |keyword: &str| schema.get(keyword).filter(|value| value.is_number()).cloned();
    let above =
        || schema.get("exclusiveMinimum").and_then(Value::as_i64).map(|limit| json!(limit + 1));
    let below = || {
        schema
            .get("maximum")
            .filter(|maximum| maximum.as_f64().is_some_and(|number| number < 1.0))
            .cloned()
    };
    bound("minimum")
        .or_else(above)
        .or_else(below)
        .or_else(|| bound("multipleOf"))
        .unwrap_or(json!(1))
}

fn list(root: &Value, schema: &Value, depth: usize) -> Value {
    let items = parts(root, schema).into_iter().find_map(|item| item.get("items"));
    json!([items.map_or(json!("text"), |items| value(root, items, depth - 1))])
}

fn object(root: &Value, schema: &Value, depth: usize) -> Value {
    let entry = |name: &&str| {
        Some(((*name).to_owned(), value(root, property(root, schema, name)?, depth - 1)))
    };
    Value::Object(required(root, schema).iter().filter_map(entry).collect())
}
