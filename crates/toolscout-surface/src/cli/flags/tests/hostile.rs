//! Schemas that try to exhaust time, memory or the stack.

use super::{ToolFlags, call, names, tool, with};
use serde_json::{Map, Value, json};
use toolscout_core::{RawJson, Tool};

#[test]
fn recursive_schemas_terminate() {
    let node = json!({"type": "object", "properties": {"next": {"$ref": "#"}, "all": {"type": "array", "items": {"$ref": "#"}}, "v": {"type": "integer"}}});
    assert_eq!(
        call(&tool(&node), &["--next-next-next", r#"{"v":1}"#]),
        r#"{"next":{"next":{"next":{"v":1}}}}"#
    );
    let knots = tool(&json!({
        "type": "object",
        "properties": {"a": {"$ref": "#/$defs/A"}, "b": {"$ref": "#/$defs/B"}, "c": {"$ref": "http://far/away"}, "d": {"$ref": 5}},
        "$defs": {"A": {"$ref": "#/$defs/A"}, "B": {"anyOf": [{"$ref": "#/$defs/B"}, {"type": "string"}, {"$ref": "#/$defs/B"}]}}
    }));
    assert_eq!(
        call(&knots, &["--a", "1", "--b", "x", "--c", "y", "--d", "[]"]),
        r#"{"a":1,"b":"x","c":"y","d":[]}"#
    );
}

#[test]
fn references_that_multiply_run_out_of_fuel() {
    let all = |name: &str| Value::Array(vec![json!({"$ref": format!("#/$defs/{name}")}); 50]);
    let mut defs = Map::new();
    for at in 0..12 {
        defs.insert(format!("d{at}"), json!({"anyOf": all(&format!("d{}", at + 1))}));
    }
    let wide: Map<String, Value> =
        (0..100).map(|index| (format!("p{index}"), json!({"$ref": "#/$defs/wide"}))).collect();
    defs.insert("wide".into(), json!({"type": "object", "properties": wide}));
    let schema = json!({"type": "object", "properties": {"x": {"$ref": "#/$defs/d0"}, "w": {"$ref": "#/$defs/wide"}}, "$defs": defs});
    let flags = ToolFlags::new(&tool(&schema));
    assert!(flags.spec.options.len() < 30_000);
}

#[test]
fn thousands_of_properties_all_have_their_flags() {
    let many: Map<String, Value> =
        (0..5_000).map(|index| (format!("p{index}"), json!({"type": "integer"}))).collect();
    let tool = with(&Value::Object(many));
    assert_eq!(names(&tool).len(), 5_000);
    assert_eq!(call(&tool, &["--p4999", "1"]), r#"{"p4999":1}"#);
}

#[test]
fn thousands_of_collisions_are_summarized() {
    let nested: Map<String, Value> =
        (0..3_000).map(|index| (format!("p{index}"), json!({}))).collect();
    let mut all: Map<String, Value> =
        (0..3_000).map(|index| (format!("a-p{index}"), json!({}))).collect();
    all.insert("a".into(), json!({"type": "object", "properties": nested}));
    let tool = with(&Value::Object(all));
    let diagnostics = ToolFlags::new(&tool).diagnostics;
    assert_eq!(diagnostics.len(), 21);
    assert_eq!(diagnostics[20].message, "`local/demo` has 2980 more flag collisions");
    assert_eq!(names(&tool).len(), 3_001);
}

#[test]
fn a_deep_schema_does_not_overflow_the_stack() {
    let deep = |depth: usize| {
        format!("{}{{}}{}", r#"{"type":"array","items":"#.repeat(depth), "}".repeat(depth))
    };
    for (depth, flags) in [(100, 1), (100_000, 0)] {
        let text = format!(r#"{{"type":"object","properties":{{"x":{}}}}}"#, deep(depth));
        let Ok(input_schema) = RawJson::parse(&text) else { continue };
        let tool = Tool { input_schema, ..with(&json!({})) };
        assert_eq!(names(&tool).len(), flags, "{depth}");
    }
}

#[test]
fn invalid_schemas_have_no_flags() {
    for schema in [
        json!(null),
        json!(true),
        json!([]),
        json!({"properties": []}),
        json!({"properties": {"x": 5}, "required": "x"}),
        json!({"type": 7, "properties": {"x": {"type": {}, "enum": {}, "anyOf": 3, "items": 1}}}),
        json!({"properties": {"x": {"enum": []}, "y": {"const": {"a": 1}}, "z": {"type": "null"}, "": {}}}),
    ] {
        let tool = tool(&schema);
        assert!(ToolFlags::new(&tool).diagnostics.is_empty(), "{schema}");
        assert_eq!(call(&tool, &["--input", r#"{"any":1}"#]), r#"{"any":1}"#, "{schema}");
    }
}
