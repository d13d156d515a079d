//! Nests keys with dots: `"address.city": …` becomes an `address` with a `city`.

use crate::mcp::meta::schema::{MAX_DEPTH, has_type, property, types};
use serde_json::{Map, Value};
use toolscout_core::Arguments;

/// Nests keys with dots, if the schema has no such key but has its parts.
pub(super) fn nest(schema: &Value, arguments: &mut Arguments, repairs: &mut Vec<String>) {
    // Partitioned in one go, because removing a single key moves all keys after it.
    let (dotted, rest): (Vec<_>, Vec<_>) =
        std::mem::take(arguments).into_iter().partition(|(key, _)| is_path(schema, key));
    arguments.extend(rest);
    for (key, value) in dotted {
        let path: Vec<&str> = key.split('.').collect();
        match insert_at(arguments, &path, value) {
            Ok(()) => repairs.push(format!("`{key}` was split at its dots")),
            // The target exists already, so the key stays as given.
            Err(value) => {
                arguments.insert(key, value);
            }
        }
    }
}

/// Whether the schema has each part of the key within the part before, and not the key itself.
fn is_path(schema: &Value, key: &str) -> bool {
    if !key.contains('.')
        || property(schema, schema, key).is_some()
        || key.split('.').count() > MAX_DEPTH
    {
        return false;
    }
    let mut current = schema;
    key.split('.').enumerate().all(|(index, part)| {
        let is_object = index == 0 || types(schema, current).contains(&"object");
        match property(schema, current, part) {
            Some(next) => {
                current = next;
                is_object
            }
            // An object may have properties that its schema does not list.
            None => index > 0 && is_object && !part.is_empty(),
        }
    })
}

fn insert_at(map: &mut Map<String, Value>, path: &[&str], value: Value) -> Result<(), Value> {
    match path {
        [] => Err(value),
        [last] if map.contains_key(*last) => Err(value),
        [last] => {
            map.insert((*last).to_owned(), value);
            Ok(())
        }
        [first, rest @ ..] => match map.get_mut(*first) {
            Some(Value::Object(inner)) => insert_at(inner, rest, value),
            Some(other) if !has_type(other, &["null"]) => Err(value),
            _ => {
                let mut inner = Map::new();
                insert_at(&mut inner, rest, value)?;
                map.insert((*first).to_owned(), Value::Object(inner));
                Ok(())
            }
        },
    }
}
