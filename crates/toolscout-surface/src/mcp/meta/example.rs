//! Generates example arguments from the schema of a tool.

use super::schema::{MAX_DEPTH, parts, property, required, resolved, types};
use crate::output::json::compact;
use serde_json::{Map, Value, json};

/// Maximum size in bytes of given arguments that the example repeats.
const MAX_GIVEN_BYTES: usize = 600;
/// Maximum size in bytes of the generated part of an example, approximately. A schema that refers
/// to itself describes values of any size.
const MAX_GENERATED_BYTES: usize = 4_000;
/// The approximate size in bytes of a generated value.
const VALUE_BYTES: usize = 16;
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
    let mut generator = Generator { root: schema, bytes_left: MAX_GENERATED_BYTES };
    for name in required(schema, schema).into_iter().chain(wrong.iter().copied()) {
        if example.contains_key(name) {
            continue;
        }
        if let Some(inner) = property(schema, schema, name) {
            example.insert(name.to_owned(), generator.value(inner, MAX_DEPTH / 2));
        } else if required(schema, schema).contains(&name) {
            example.insert(name.to_owned(), json!("text"));
        }
    }
    Value::Object(example)
}

/// Generates values of schemas, up to a total size.
struct Generator<'a> {
    root: &'a Value,
    bytes_left: usize,
}

impl<'a> Generator<'a> {
    /// Once the size is reached, values of objects and lists are empty.
    fn value(&mut self, schema: &'a Value, depth: usize) -> Value {
        let root = self.root;
        let schema = resolved(root, schema);
        let depth = if self.spend(VALUE_BYTES) { depth } else { 0 };
        if let Some(declared) = declared(schema).filter(|value| self.has_room_for(value)) {
            return declared.clone();
        }
        let is_not_null = |value: &&Value| types(root, value).iter().any(|kind| *kind != "null");
        let mut choices =
            ["anyOf", "oneOf"].iter().filter_map(|item| schema.get(*item)?.as_array()).flatten();
        if let (Some(choice), true) = (choices.find(is_not_null), depth > 0) {
            return self.value(choice, depth - 1);
        }
        let types = types(root, schema);
        match types.iter().find(|kind| **kind != "null").copied() {
            Some("string") | None => text(schema),
            Some("integer" | "number") => number(schema),
            Some("boolean") => json!(true),
            Some("array") if depth > 0 => self.list(schema, depth),
            Some("object") if depth > 0 => self.object(schema, depth),
            Some("array") => json!([]),
            Some("object") => json!({}),
            Some(_) => Value::Null,
        }
    }

    fn list(&mut self, schema: &'a Value, depth: usize) -> Value {
        let items = parts(self.root, schema).into_iter().find_map(|item| item.get("items"));
        json!([items.map_or(json!("text"), |items| self.value(items, depth - 1))])
    }

    fn object(&mut self, schema: &'a Value, depth: usize) -> Value {
        let mut object = Map::new();
        for name in required(self.root, schema) {
            if !self.spend(name.len()) {
                break;
            }
            if let Some(inner) = property(self.root, schema, name) {
                object.insert(name.to_owned(), self.value(inner, depth - 1));
            }
        }
        Value::Object(object)
    }

    fn has_room_for(&mut self, value: &Value) -> bool {
        self.bytes_left > 0 && self.spend(compact(value).len())
    }

    /// Whether there is room for this many bytes; if not, there is none for any others either.
    fn spend(&mut self, bytes: usize) -> bool {
        let left = self.bytes_left.checked_sub(bytes);
        self.bytes_left = left.unwrap_or(0);
        left.is_some()
    }
}

/// The value that a schema itself names.
fn declared(schema: &Value) -> Option<&Value> {
    let first = |keyword: &str| schema.get(keyword)?.as_array()?.first();
    schema
        .get("const")
        .or_else(|| first("enum"))
        .or_else(|| first("examples"))
        .or_else(|| schema.get("default").filter(|default| !default.is_null()))
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
    let above = || {
        schema
            .get("exclusiveMinimum")
            .and_then(Value::as_i64)
            .map(|limit| json!(limit.saturating_add(1)))
    };
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
