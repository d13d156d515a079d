//! Fills in schema defaults for missing arguments.

use serde_json::{Map, Value};

/// Maximum depth, more than hand-written schemas have; keeps cyclic references finite.
const MAX_DEPTH: usize = 16;

/// Maximum bytes of all defaults together. References share their target but copies do not: a small
/// schema could fill in the same large text a thousand times.
const MAX_BYTES: usize = 256 * 1024;

/// Adds the default of every missing property that has one. Given values stay, also `false`, `0`
/// and `""`. A default that exceeds the byte limit is left to the tool.
pub(crate) fn fill(schema: &Value, arguments: &mut Map<String, Value>) {
    fill_object(schema, schema, arguments, MAX_DEPTH, &mut { MAX_BYTES });
}

fn fill_object(
    root: &Value,
    schema: &Value,
    object: &mut Map<String, Value>,
    depth: usize,
    room: &mut usize,
) {
    let Some(properties) =
        follow(root, schema).and_then(|follow| follow.get("properties")).and_then(Value::as_object)
    else {
        return;
    };
    for (name, property) in properties {
        let Some(property) = follow(root, property) else { continue };
        match (object.get_mut(name), property.get("default")) {
            (Some(Value::Object(inner)), _) if depth > 0 => {
                fill_object(root, property, inner, depth - 1, room)
            }
            (None, Some(default)) => {
                let Some(left) = room.checked_sub(default.to_string().len()) else { continue };
                *room = left;
                object.insert(name.clone(), default.clone());
            }
            _ => {}
        }
    }
}

/// The schema itself, or the target of its local `$ref`.
fn follow<'a>(root: &'a Value, schema: &'a Value) -> Option<&'a Value> {
    let mut schema = schema;
    for _ in 0..MAX_DEPTH {
        match schema.get("$ref").and_then(Value::as_str) {
            Some(reference) => schema = root.pointer(reference.strip_prefix('#')?)?,
            None => return Some(schema),
        }
    }
    None
}
