//! Nests keys with dots: `"address.city": …` becomes an `address` with a `city`.

use crate::mcp::meta::schema::{DEEPEST, is_of, property, types};
use serde_json::{Map, Value};
use toolscout_core::Arguments;

/// Nests keys with dots, if the schema has no such key but has its parts.
pub(super) fn nest(schema: &Value, arguments: &mut Arguments, understood: &mut Vec<String>) {
    // Partitioned in one go, because removing a single key moves all keys after it.
    let (dotted, rest): (Vec<_>, Vec<_>) =
        std::mem::take(arguments).into_iter().partition(|(key, _)| is_path(schema, key));
    arguments.extend(rest);
    for (key, value) in dotted {
        let path: Vec<&str> = key.split('.').collect();
        match put(arguments, &path, value) {
            Ok(()) => understood.push(format!("`{key}` was taken apart at its dots")),
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
        || key.split('.').count() > DEEPEST
    {
        return false;
    }
    let mut within = schema;
    key.split('.').enumerate().all(|(at, part)| {
        let is_object = at == 0 || types(schema, within).contains(&"object");
        match property(schema, within, part) {
            Some(next) => {
                within = next;
                is_object
            }
            // An object may have properties that its schema does not list.
            None => at > 0 && is_object && !part.is_empty(),
        }
    })
}

fn put(map: &mut Map<String, Value>, path: &[&str], value: Value) -> Result<(), Value> {
    match path {
        [] => Err(value),
        [last] if map.contains_key(*last) => Err(value),
        [last] => {
            map.insert((*last).to_owned(), value);
            Ok(())
        }
        [first, rest @ ..] => match map.get_mut(*first) {
            Some(Value::Object(inner)) => put(inner, rest, value),
            Some(other) if !is_of(other, &["null"]) => Err(value),
            _ => {
                let mut inner = Map::new();
                put(&mut inner, rest, value)?;
                map.insert((*first).to_owned(), Value::Object(inner));
                Ok(())
            }
        },
    }
}
