//! Recognizes values that certainly match a plain schema, without the validator.
//!
//! Most tools have plain schemas, and most calls match them. The full validator takes milliseconds
//! to build in a new process, which is longer than many tools run. So this check comes first. Every
//! value that it cannot confirm goes to the validator, including values that do not match, because
//! only the validator can describe violations.

use serde_json::{Map, Value};

/// Maximum depth, more than hand-written schemas have.
const MAX_DEPTH: usize = 16;

/// The accepted values of `$schema`. The keywords of plain schemas have the same semantics in all
/// of them.
const DIALECTS: [&str; 3] = [
    "http://json-schema.org/draft-07/schema",
    "https://json-schema.org/draft/2019-09/schema",
    "https://json-schema.org/draft/2020-12/schema",
];

/// Whether the schema uses only keywords supported here, with well-formed values, and is not too
/// deep.
pub(super) fn is_plain(schema: &Value) -> bool {
    let dialect =
        schema.get("$schema").map(|schema| schema.as_str().map(|text| text.trim_end_matches('#')));
    dialect.is_none_or(|dialect| dialect.is_some_and(|value| DIALECTS.contains(&value)))
        && is_plain_within(schema, MAX_DEPTH)
}

fn is_plain_within(schema: &Value, depth: usize) -> bool {
    let Value::Object(keywords) = schema else { return false };
    depth > 0
        && keywords.iter().all(|(keyword, operand)| match keyword.as_str() {
            "$schema" => depth == MAX_DEPTH,
            "title" | "description" => operand.is_string(),
            "default" => true,
            "examples" | "enum" => operand.is_array(),
            "type" => are_types(operand),
            // No draft defines the formats of Rust's numbers, so validators ignore them.
            "format" => operand.as_str().is_some_and(|format| NUMBER_FORMATS.contains(&format)),
            "minimum" | "maximum" => operand.is_i64(),
            "required" => operand.as_array().is_some_and(|items| are_names(items)),
            "properties" => operand.as_object().is_some_and(|object| {
                object.values().all(|value| is_plain_within(value, depth - 1))
            }),
            "additionalProperties" => operand.is_boolean(),
            "items" => is_plain_within(operand, depth - 1),
            // Annotations, such as `x-cli`.
            extension => extension.starts_with("x-"),
        })
}

const TYPES: [&str; 7] = ["string", "boolean", "number", "integer", "object", "array", "null"];

const NUMBER_FORMATS: [&str; 10] =
    ["uint", "uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64", "double"];

/// Whether this is one known type, or a list of known types without repetition.
fn are_types(types: &Value) -> bool {
    let is_known = |name: &Value| name.as_str().is_some_and(|name| TYPES.contains(&name));
    match types {
        Value::Array(names) => !names.is_empty() && are_names(names) && names.iter().all(is_known),
        name => is_known(name),
    }
}

fn are_names(names: &[Value]) -> bool {
    names.iter().enumerate().all(|(at, name)| name.is_string() && !names[..at].contains(name))
}

/// Whether the value certainly matches a plain schema. On `false`, the validator has to check the
/// value. Keywords for other types of value are ignored.
pub(super) fn fits(schema: &Value, value: &Value) -> bool {
    let Value::Object(keywords) = schema else { return false };
    keywords.iter().all(|(keyword, operand)| match (keyword.as_str(), value) {
        ("type", _) => match operand {
            Value::Array(names) => {
                names.iter().filter_map(Value::as_str).any(|name| is_of_type(name, value))
            }
            name => name.as_str().is_some_and(|name| is_of_type(name, value)),
        },
        // Equality of strings, booleans and null is simple; that of numbers and of values
        // containing them is not.
        ("enum", Value::String(_) | Value::Bool(_) | Value::Null) => {
            operand.as_array().is_some_and(|items| items.contains(value))
        }
        ("enum", _) => false,
        ("minimum", Value::Number(_)) => {
            value.as_i64().is_some_and(|value| Some(value) >= operand.as_i64())
        }
        ("maximum", Value::Number(_)) => {
            value.as_i64().is_some_and(|value| Some(value) <= operand.as_i64())
        }
        ("required", Value::Object(map)) => has_all(map, operand),
        ("properties", Value::Object(map)) => {
            map.iter().all(|(name, item)| operand.get(name).is_none_or(|schema| fits(schema, item)))
        }
        ("additionalProperties", Value::Object(map)) => {
            operand == true || has_no_others(map, keywords.get("properties"))
        }
        ("items", Value::Array(items)) => items.iter().all(|item| fits(operand, item)),
        _ => true,
    })
}

fn has_all(map: &Map<String, Value>, names: &Value) -> bool {
    names.as_array().is_some_and(|names| {
        names.iter().filter_map(Value::as_str).all(|name| map.contains_key(name))
    })
}

fn has_no_others(map: &Map<String, Value>, properties: Option<&Value>) -> bool {
    map.keys().all(|name| properties.is_some_and(|properties| properties.get(name).is_some()))
}

fn is_of_type(name: &str, value: &Value) -> bool {
    match name {
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "number" => value.is_number(),
        // 1.0 is an integer, too, but only the validator recognizes it.
        "integer" => value.is_i64() || value.is_u64(),
        "object" => value.is_object(),
        "array" => value.is_array(),
        "null" => value.is_null(),
        _ => false,
    }
}
