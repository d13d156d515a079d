//! 1. A copy has no HTML, references or composition, and keeps what a form needs.
//! 2. A copy is never larger than its limit, whatever the schema.

use super::*;
use proptest::prelude::*;
use serde_json::json;

/// M-13b
#[test]
fn a_copy_keeps_plain_keywords_and_drops_the_others() {
    let schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$ref": "#/$defs/a",
        "$defs": {"a": {"type": "string"}},
        "allOf": [{"type": "object"}], "anyOf": [], "oneOf": [], "not": {}, "if": {}, "then": {},
        "description": "Sends <b>mail</b><script>alert(1)</script> if a < b",
        "properties": {
            "to": {"type": ["null", "string"], "pattern": "(a+)+", "minLength": 1, "description": "<img src=x onerror=y>Receiver"},
            "tags": {"type": "array", "items": {"type": "string", "$ref": "x", "enum": ["<i>a</i>", "b"]}},
            "<script>": {"type": "string"},
            "any": {"allOf": [{"type": "string"}]},
        },
        "required": ["to", "<script>"],
        "additionalProperties": {"$ref": "#"},
    });
    let expected = json!({
        "type": "object",
        "description": "Sends mail if a ‹ b",
        "properties": {
            "to": {"type": "string", "minLength": 1, "description": "Receiver"},
            "tags": {"type": "array", "items": {"type": "string", "enum": ["a", "b"]}},
            "any": {},
        },
        "required": ["to"],
    });
    assert_eq!(safe_schema(&schema), expected);
    assert_eq!(safe_schema(&json!(true)), json!({"type": "object"}));
}

#[test]
fn html_in_any_state_is_removed() {
    for (text, expected) in [
        ("a <b title='>'>c</b>", "a '>c"),
        ("<!-- <b> -->x", "x"),
        ("<STYLE>p{}</STYLE>x", "x"),
        ("open <script>steal()", "open "),
        ("<scr<script>x</script>ipt>y", "xipt>y"),
        ("1 < 2 && 3 > 2", "1 ‹ 2 && 3 > 2"),
        ("tail <", "tail ‹"),
        ("esc\u{1b}[31m", "esc[31m"),
    ] {
        let safe = safe_text(text);
        assert!(!safe.contains('<'), "{text:?} became {safe:?}");
        assert_eq!(safe, expected, "{text:?}");
    }
    assert_eq!(safe_text(&"x".repeat(5_000)).chars().count(), MAX_TEXT + 1);
}

/// M-13c
#[test]
fn a_large_schema_loses_detail_before_properties() {
    let property = |description: &str| json!({"type": "object", "description": description, "properties": {"inner": {"type": "string", "description": description}}});
    let of = |count: usize, description: &str| {
        let properties: Map<_, _> =
            (0..count).map(|index| (format!("p{index}"), property(description))).collect();
        safe_schema(&json!({"type": "object", "properties": properties}))
    };
    let all = of(20, "short");
    assert_eq!(all["properties"]["p0"]["properties"]["inner"]["description"], "short");
    let long = of(20, &"x".repeat(600));
    assert_eq!(long["properties"]["p0"], json!({"type": "object"}));
    assert_eq!(long["properties"].as_object().map(Map::len), Some(20));
    assert_eq!(of(20_000, "short")["properties"].as_object().map(Map::len), Some(50));
}

fn any_schema() -> impl Strategy<Value = Value> {
    let text = "[<>a-z/!\\- \u{202e}]{0,40}";
    let leaf = prop_oneof![any::<i64>().prop_map(Value::from), text.prop_map(Value::from)];
    leaf.prop_recursive(6, 200, 12, move |inner| {
        let key = prop_oneof![
            Just("properties".to_owned()),
            Just("items".to_owned()),
            Just("enum".to_owned()),
            Just("description".to_owned()),
            Just("allOf".to_owned()),
            text,
        ];
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..8).prop_map(Value::from),
            prop::collection::btree_map(key, inner, 0..12)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

proptest! {
    /// M-13c
    #[test]
    fn every_copy_is_small_and_without_markup(schema in any_schema()) {
        let copy = safe_schema(&schema);
        let text = copy.to_string();
        prop_assert!(text.len() <= MAX_SCHEMA_BYTES);
        prop_assert!(!text.contains('<'), "{}", text);
        prop_assert!(copy["type"].is_string());
    }
}
