//! Converts values of a wrong type, such as `"5"` for a number.

use crate::mcp::meta::schema::{DEEPEST, is_of, is_required, parts, property, types};
use serde_json::{Number, Value};
use toolscout_core::Arguments;

/// Integers beyond this are not exact as floating point.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// Converts every value of a wrong type to the type that the schema requires, if possible.
pub(super) fn coerced(
    schema: &Value,
    arguments: Arguments,
    understood: &mut Vec<String>,
) -> Arguments {
    let mut value = Value::Object(arguments);
    let mut work = Work { root: schema, understood };
    work.coerce(schema, &mut value, "", DEEPEST);
    match value {
        Value::Object(arguments) => arguments,
        _ => Arguments::new(),
    }
}

struct Work<'a> {
    root: &'a Value,
    understood: &'a mut Vec<String>,
}

impl Work<'_> {
    fn coerce(&mut self, schema: &Value, value: &mut Value, path: &str, depth: usize) {
        if depth == 0 {
            return;
        }
        let types = types(self.root, schema);
        let is_right = types.is_empty() || is_of(value, &types);
        if let (false, Some(next)) = (is_right, converted(value, &types)) {
            self.understood.push(format!("`{path}` was taken as {}", named(&next)));
            *value = next;
        }
        match value {
            Value::Object(map) => {
                map.retain(|name, it| !it.is_null() || !self.is_nothing(schema, name));
                for (name, it) in map {
                    if let Some(inner) = property(self.root, schema, name) {
                        self.coerce(inner, it, &joined(path, name), depth - 1);
                    }
                }
            }
            Value::Array(items) => {
                let inner = parts(self.root, schema).into_iter().find_map(|it| it.get("items"));
                for (at, it) in items.iter_mut().enumerate() {
                    if let Some(inner) = inner {
                        self.coerce(inner, it, &joined(path, &at.to_string()), depth - 1);
                    }
                }
            }
            _ => {}
        }
    }

    /// Whether a null can be dropped: the property is optional and not nullable.
    fn is_nothing(&mut self, schema: &Value, name: &str) -> bool {
        let Some(inner) = property(self.root, schema, name) else { return false };
        let types = types(self.root, inner);
        let is_nothing =
            !types.is_empty() && !types.contains(&"null") && !is_required(self.root, schema, name);
        if is_nothing {
            self.understood.push(format!("`{name}` was null, and left out"));
        }
        is_nothing
    }
}

fn joined(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
}

fn named(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

/// Converts a value to one of these types; none if that is not possible.
fn converted(value: &Value, types: &[&str]) -> Option<Value> {
    let read = match value {
        Value::String(text) => from_text(text.trim(), types),
        Value::Number(_) | Value::Bool(_) if types.contains(&"string") => {
            Some(Value::String(value.to_string()))
        }
        _ => None,
    };
    let alone = || {
        (types.contains(&"array") && !value.is_null()).then(|| Value::Array(vec![value.clone()]))
    };
    read.or_else(alone)
}

fn from_text(text: &str, types: &[&str]) -> Option<Value> {
    if types.contains(&"boolean") {
        for (word, it) in [("true", true), ("false", false)] {
            if text.eq_ignore_ascii_case(word) {
                return Some(Value::Bool(it));
            }
        }
    }
    let value: Value = serde_json::from_str(text).ok()?;
    match value {
        Value::Number(number) => number_of(number, types),
        Value::Object(_) | Value::Array(_) | Value::Null if is_of(&value, types) => Some(value),
        _ => None,
    }
}

fn number_of(number: Number, types: &[&str]) -> Option<Value> {
    let is_whole = number.is_i64() || number.is_u64();
    if types.contains(&"number") || types.contains(&"integer") && is_whole {
        return Some(Value::Number(number));
    }
    let float = number.as_f64().filter(|it| it.fract() == 0.0 && it.abs() < EXACT)?;
    types.contains(&"integer").then(|| Value::from(float as i64))
}
