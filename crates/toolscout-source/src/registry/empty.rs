//! Finds required strings that are empty.

use serde_json::{Map, Value};

/// The first required string of these arguments that is empty, as a path: `to`, `address.street`,
/// `items[1].name`. A string whose schema has a `minLength` or allows `""` by its `enum` is left to
/// the schema.
pub(super) fn first_empty(schema: &Value, arguments: &Map<String, Value>) -> Option<String> {
    let required = |name: &str| {
        let names = schema.get("required").and_then(Value::as_array);
        names.is_some_and(|names| names.iter().any(|item| item == name))
    };
    arguments.iter().find_map(|(name, value)| {
        let own = schema.get("properties")?.get(name)?;
        match value {
            Value::String(text) => {
                let is_refused = text.is_empty() && required(name) && !decides_itself(own);
                is_refused.then(|| name.clone())
            }
            Value::Object(fields) => first_empty(own, fields).map(|path| format!("{name}.{path}")),
            Value::Array(items) => {
                let item_schema = own.get("items")?;
                items.iter().enumerate().find_map(|(at, item)| {
                    let path = first_empty(item_schema, item.as_object()?)?;
                    Some(format!("{name}[{at}].{path}"))
                })
            }
            _ => None,
        }
    })
}

fn decides_itself(schema: &Value) -> bool {
    schema.get("minLength").is_some() || schema.get("enum").is_some()
}
