//! Converts values of a wrong type, such as `"5"` for a number.

use crate::mcp::meta::schema::{MAX_DEPTH, has_type, is_required, parts, property, types};
use serde_json::{Number, Value};
use toolscout_core::Arguments;

/// Integers beyond this are not exact as floating point.
const MAX_EXACT: f64 = 9_007_199_254_740_992.0;

/// Converts every value of a wrong type to the type that the schema requires, if possible.
pub(super) fn coerced(
    schema: &Value,
    arguments: Arguments,
    repairs: &mut Vec<String>,
) -> Arguments {
    let mut value = Value::Object(arguments);
    let mut coercion = Coercion { root: schema, repairs };
    coercion.coerce(schema, &mut value, "", MAX_DEPTH);
    match value {
        Value::Object(arguments) => arguments,
        _ => Arguments::new(),
    }
}

struct Coercion<'a> {
    root: &'a Value,
    repairs: &'a mut Vec<String>,
}

impl Coercion<'_> {
    fn coerce(&mut self, schema: &Value, value: &mut Value, path: &str, depth: usize) {
        if depth == 0 {
            return;
        }
        let types = types(self.root, schema);
        let is_valid = types.is_empty() || has_type(value, &types);
        if let (false, Some(next)) = (is_valid, converted(value, &types)) {
            self.repairs.push(format!("`{path}` was read as {}", type_name(&next)));
            *value = next;
        }
        match value {
            Value::Object(map) => {
                map.retain(|name, item| !item.is_null() || !self.is_droppable_null(schema, name));
                for (name, item) in map {
                    if let Some(inner) = property(self.root, schema, name) {
                        self.coerce(inner, item, &joined(path, name), depth - 1);
                    }
                }
            }
            Value::Array(items) => {
                let inner = parts(self.root, schema).into_iter().find_map(|item| item.get("items"));
                for (index, value) in items.iter_mut().enumerate() {
                    if let Some(inner) = inner {
                        self.coerce(inner, value, &joined(path, &index.to_string()), depth - 1);
                    }
                }
            }
            _ => {}
        }
    }

    /// Whether a null can be dropped: the property is optional and not nullable.
    fn is_droppable_null(&mut self, schema: &Value, name: &str) -> bool {
        let Some(inner) = property(self.root, schema, name) else { return false };
        let types = types(self.root, inner);
        let is_droppable_null =
            !types.is_empty() && !types.contains(&"null") && !is_required(self.root, schema, name);
        if is_droppable_null {
            self.repairs.push(format!("`{name}` was null and was dropped"));
        }
        is_droppable_null
    }
}

fn joined(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
}

fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

/// Converts a value to one of these types; none if that is not possible.
fn converted(value: &Value, types: &[&str]) -> Option<Value> {
    let direct = match value {
        Value::String(text) => from_text(text.trim(), types),
        Value::Number(_) | Value::Bool(_) if types.contains(&"string") => {
            Some(Value::String(value.to_string()))
        }
        _ => None,
    };
    let as_list = || {
        (types.contains(&"array") && !value.is_null()).then(|| Value::Array(vec![value.clone()]))
    };
    direct.or_else(as_list)
}

fn from_text(text: &str, types: &[&str]) -> Option<Value> {
    if types.contains(&"boolean") {
        for (name, value) in [("true", true), ("false", false)] {
            if text.eq_ignore_ascii_case(name) {
                return Some(Value::Bool(value));
            }
        }
    }
    let value: Value = serde_json::from_str(text).ok()?;
    match value {
        Value::Number(number) => to_number(number, types),
        Value::Object(_) | Value::Array(_) | Value::Null if has_type(&value, types) => Some(value),
        _ => None,
    }
}

fn to_number(number: Number, types: &[&str]) -> Option<Value> {
    let is_whole = number.is_i64() || number.is_u64();
    if types.contains(&"number") || types.contains(&"integer") && is_whole {
        return Some(Value::Number(number));
    }
    let float =
        number.as_f64().filter(|number| number.fract() == 0.0 && number.abs() < MAX_EXACT)?;
    types.contains(&"integer").then(|| Value::from(float as i64))
}
