//! Values of any schema, typed as flags, arrive unchanged.

use super::{ToolFlags, read, tool};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

/// A property: its schema, and a value that fits.
type Property = (Value, Value);

fn scalar() -> impl Strategy<Value = Property> {
    prop_oneof![
        any::<String>().prop_map(|value| (json!({"type": "string"}), json!(value))),
        any::<i64>().prop_map(|value| (json!({"type": "integer"}), json!(value))),
        any::<u64>().prop_map(|value| (json!({"type": "number"}), json!(value))),
        // Few digits: a JSON parser may round the last of many, and deeply nested objects are
        // parsed as JSON.
        any::<i32>().prop_map(|value| (json!({"type": "number"}), json!(f64::from(value) / 8.0))),
        any::<bool>().prop_map(|value| (json!({"type": "boolean"}), json!(value))),
        any::<bool>().prop_map(|value| (
            json!({"enum": ["a,b", 1]}),
            if value { json!("a,b") } else { json!(1) }
        )),
    ]
}

fn list() -> impl Strategy<Value = Property> {
    prop_oneof![
        prop::collection::vec(any::<String>(), 0..4).prop_map(|value| (
            json!({"type": "array", "items": {"type": "string"}}),
            json!(value)
        )),
        prop::collection::vec(any::<i32>(), 0..4).prop_map(|value| (
            json!({"type": "array", "items": {"type": "integer"}}),
            json!(value)
        )),
    ]
}

fn object(properties: Vec<(String, Property)>) -> Property {
    let schemas: Map<_, _> =
        properties.iter().map(|(name, (schema, _))| (name.clone(), schema.clone())).collect();
    let values: Map<_, _> =
        properties.into_iter().map(|(name, (_, value))| (name, value)).collect();
    (json!({"type": "object", "properties": schemas}), Value::Object(values))
}

fn property() -> impl Strategy<Value = Property> {
    let leaf = prop_oneof![3 => scalar(), 1 => list()];
    // Letters only, so that no two paths result in the same flag; unusual names have their own
    // tests.
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop::collection::btree_map("[a-z]{1,6}", inner, 1..4)
            .prop_map(|btree_map| object(btree_map.into_iter().collect()))
    })
}

/// Types the value as a user would.
fn argv(flag: &str, value: &Value, depth: usize, out: &mut Vec<String>) {
    match value {
        Value::Object(map) if depth < 3 => {
            map.iter()
                .for_each(|(name, value)| argv(&format!("{flag}-{name}"), value, depth + 1, out));
        }
        Value::String(text) if !text.starts_with('-') => {
            out.extend([format!("--{flag}"), text.clone()])
        }
        Value::String(text) => out.push(format!("--{flag}={text}")),
        Value::Bool(false) => out.push(format!("--no-{flag}")),
        Value::Bool(true) => out.push(format!("--{flag}")),
        Value::Number(number) => out.extend([format!("--{flag}"), number.to_string()]),
        other => out.push(format!("--{flag}={other}")),
    }
}

proptest! {
    #[test]
    fn typed_values_arrive_unchanged(properties in prop::collection::btree_map("[a-z]{1,6}x", property(), 0..6)) {
        let (schema, values) = object(properties.into_iter().collect());
        let flags = ToolFlags::new(&tool(&schema));
        let mut line = Vec::new();
        values.as_object().unwrap().iter().for_each(|(name, value)| argv(name, value, 1, &mut line));
        let line: Vec<_> = line.iter().map(String::as_str).collect();
        let got = read(&flags, &line).and_then(|it| flags.arguments(&it));
        prop_assert_eq!(got.map(Value::Object), Ok(values));
    }

    #[test]
    fn no_command_line_causes_a_panic(line in prop::collection::vec("(-{0,3}[a-c=,\\[{\"0-9.]{0,4})|\\PC*", 0..8)) {
        let properties = json!({"a": {"type": "integer"}, "b": {"type": "array"}, "c": {"type": "object", "properties": {"a": {}}}});
        let flags = ToolFlags::new(&tool(&json!({"type": "object", "properties": properties, "required": ["a"]})));
        let line: Vec<_> = line.iter().map(String::as_str).collect();
        let one = read(&flags, &line).and_then(|it| flags.arguments(&it));
        let two = read(&flags, &line).and_then(|it| flags.arguments(&it));
        prop_assert_eq!(one, two);
    }

    #[test]
    fn no_schema_causes_a_panic(text in "[{}\\[\\]\",:a-z$#/]{0,40}") {
        if let Ok(value) = serde_json::from_str::<Value>(&text) {
            let _ = ToolFlags::new(&tool(&value));
        }
    }
}
