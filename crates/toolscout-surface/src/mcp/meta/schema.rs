//! Reads JSON Schemas of tools, as far as that is simple.

use serde_json::{Map, Value};

/// Maximum number of references that are followed, and maximum nesting depth of schemas.
pub(super) const MAX_DEPTH: usize = 16;
const COMPOSED: [&str; 3] = ["allOf", "anyOf", "oneOf"];

/// Follows references within the same document.
pub(super) fn resolved<'a>(root: &'a Value, mut schema: &'a Value) -> &'a Value {
    for _ in 0..MAX_DEPTH {
        let target =
            schema.get("$ref").and_then(Value::as_str).and_then(|text| text.strip_prefix('#'));
        match target.and_then(|target| root.pointer(target)) {
            Some(target) => schema = target,
            None => break,
        }
    }
    schema
}

/// The schema itself and those it is composed of, nearest first.
pub(super) fn parts<'a>(root: &'a Value, schema: &'a Value) -> Vec<&'a Value> {
    let mut parts = vec![resolved(root, schema)];
    let mut index = 0;
    while index < parts.len() && parts.len() < MAX_DEPTH {
        let composed = COMPOSED
            .iter()
            .filter_map(|composed| parts[index].get(*composed)?.as_array())
            .flatten();
        let more: Vec<_> = composed.take(MAX_DEPTH).map(|part| resolved(root, part)).collect();
        parts.extend(more);
        index += 1;
    }
    parts
}

/// The schema of a property, anywhere in the composition.
pub(super) fn property<'a>(root: &'a Value, schema: &'a Value, name: &str) -> Option<&'a Value> {
    parts(root, schema).into_iter().find_map(|item| item.get("properties")?.get(name))
}

/// The properties of the first part of the composition that has any.
pub(super) fn properties<'a>(root: &'a Value, schema: &'a Value) -> Option<&'a Map<String, Value>> {
    parts(root, schema).into_iter().find_map(|item| item.get("properties")?.as_object())
}

pub(super) fn is_required(root: &Value, schema: &Value, name: &str) -> bool {
    required(root, schema).contains(&name)
}

/// The required properties, of the schema itself and of its `allOf`.
pub(super) fn required<'a>(root: &'a Value, schema: &'a Value) -> Vec<&'a str> {
    let own = resolved(root, schema);
    let all_of = own
        .get("allOf")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .map(|part| resolved(root, part));
    let lists =
        std::iter::once(own).chain(all_of).filter_map(|item| item.get("required")?.as_array());
    lists.flatten().filter_map(Value::as_str).collect()
}

/// The types that the schema allows; empty if it names none.
pub(super) fn types<'a>(root: &'a Value, schema: &'a Value) -> Vec<&'a str> {
    let declared = |value: &'a Value| match value.get("type") {
        Some(Value::String(one)) => vec![one.as_str()],
        Some(Value::Array(several)) => several.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    let mut types: Vec<&str> = parts(root, schema).into_iter().flat_map(declared).collect();
    let mut seen = Vec::new();
    types.retain(|kind| {
        !seen.contains(kind) && {
            seen.push(*kind);
            true
        }
    });
    types
}

/// Whether the value has one of these types.
pub(super) fn has_type(value: &Value, types: &[&str]) -> bool {
    types.iter().any(|kind| match *kind {
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "number" => value.is_number(),
        "integer" => {
            value.is_i64()
                || value.is_u64()
                || value.as_f64().is_some_and(|value| value.fract() == 0.0)
        }
        "object" => value.is_object(),
        "array" => value.is_array(),
        "null" => value.is_null(),
        _ => true,
    })
}

/// The schema of the value at a JSON pointer.
pub(super) fn at_pointer<'a>(root: &'a Value, pointer: &str) -> Option<&'a Value> {
    let mut schema = root;
    for step in pointer.split('/').skip(1) {
        let name = step.replace("~1", "/").replace("~0", "~");
        let item = || parts(root, schema).into_iter().find_map(|item| item.get("items"));
        schema = match property(root, schema, &name) {
            Some(property) => property,
            None if name.bytes().all(|byte| byte.is_ascii_digit()) => item()?,
            None => {
                parts(root, schema).into_iter().find_map(|item| item.get("additionalProperties"))?
            }
        };
    }
    Some(resolved(root, schema))
}
