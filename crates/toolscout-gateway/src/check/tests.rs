//! 1. Every value that the plain check accepts, the full validator accepts, too.
//! 2. Work that the bound classifies as little is little by the exact count, too.
//! 3. The plain check recognizes the schemas that tools usually have.
//!
//! The limits on the time of a check are tested in `bombs`, the checks of results in `results`.

mod bombs;
mod results;

use super::cost::{self, WorkBound};
use super::plain;
use super::schema::validator;
use super::survey::SchemaSurvey;
use proptest::prelude::*;
use serde_json::{Value, json};

fn surely_fits(schema: &Value, value: &Value) -> bool {
    plain::is_plain(schema) && plain::fits(schema, value)
}

#[test]
fn the_plain_check_confirms_usual_calls_only() {
    let schema = json!({"type": "object", "required": ["url"], "additionalProperties": false, "properties": {
        "url": {"type": "string", "description": "Where from"},
        "format": {"type": "string", "enum": ["json", "csv"], "default": "json"},
        "times": {"type": "integer", "minimum": 1, "maximum": 9},
        "tags": {"type": "array", "items": {"type": "string"}},
    }});
    let sure = |value: Value| surely_fits(&schema, &value);
    assert!(sure(json!({"url": "u", "format": "csv", "times": 9, "tags": ["a"]})));
    for wrong in [
        json!({}),
        json!({"url": 1}),
        json!({"url": "u", "format": "x"}),
        json!({"url": "u", "times": 0}),
        json!({"url": "u", "times": 10}),
        json!({"url": "u", "tags": [1]}),
        json!({"url": "u", "other": 1}),
    ] {
        assert!(!sure(wrong.clone()), "{wrong}");
    }
    assert!(!surely_fits(
        &json!({"type": "object", "properties": {"x": {"pattern": "("}}}),
        &json!({})
    ));
    let of = |dialect: &str| json!({"$schema": dialect, "type": "object"});
    assert!(surely_fits(&of("http://json-schema.org/draft-07/schema#"), &json!({})));
    assert!(surely_fits(&of("https://json-schema.org/draft/2020-12/schema"), &json!({})));
    assert!(!surely_fits(&of("https://example.com/mine"), &json!({})));
    assert!(!surely_fits(
        &json!({"properties": {"x": of("http://json-schema.org/draft-07/schema#")}}),
        &json!({})
    ));
}

#[test]
fn the_plain_check_confirms_operation_schemas() {
    let schema = json!({"type": "object", "properties": {
        "limit": {"type": ["integer", "null"], "format": "uint", "minimum": 0, "x-cli": {"short": "n"}},
    }});
    for fits in [json!({}), json!({"limit": 3}), json!({"limit": null})] {
        assert!(surely_fits(&schema, &fits), "{fits}");
    }
    for wrong in [json!({"limit": "3"}), json!({"limit": -1}), json!({"limit": [3]})] {
        assert!(!surely_fits(&schema, &wrong), "{wrong}");
    }
    assert!(!surely_fits(&json!({"format": "date"}), &json!("2026-11-18")));
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-3i64..4).prop_map(Value::from),
        (-3i32..4).prop_map(|index| json!(f64::from(index) / 2.0)),
        "[ab]{0,2}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 16, 3, |inner| {
        let object = prop::collection::hash_map("[abc]", inner.clone(), 0..3)
            .prop_map(|hash_map| hash_map.into_iter().collect());
        prop_oneof![prop::collection::vec(inner, 0..3).prop_map(Value::from), object]
    })
}

fn schema() -> impl Strategy<Value = Value> {
    let keyword = prop_oneof![
        prop::sample::select(vec![
            "string", "integer", "number", "boolean", "null", "object", "array", "odd"
        ])
        .prop_map(|value| ("type", json!(value))),
        prop::collection::vec(
            prop::sample::select(vec!["string", "integer", "null", "array", "odd"]),
            0..3
        )
        .prop_map(|types| ("type", json!(types))),
        prop::sample::select(vec!["uint", "uint8", "int64", "double", "date"])
            .prop_map(|format| ("format", json!(format))),
        value().prop_map(|annotation| ("x-cli", annotation)),
        prop::collection::vec(value(), 0..3).prop_map(|value| ("enum", json!(value))),
        value().prop_map(|value| ("minimum", value)),
        value().prop_map(|value| ("maximum", value)),
        prop::collection::vec("[abc]", 0..3).prop_map(|value| ("required", json!(value))),
        any::<bool>().prop_map(|value| ("additionalProperties", json!(value))),
        value().prop_map(|value| ("description", value)),
    ];
    let plain = prop::collection::vec(keyword, 0..3).prop_map(|inner| {
        inner.into_iter().map(|(key, value)| (key.to_owned(), value)).collect::<Value>()
    });
    plain.prop_recursive(3, 12, 3, |inner| {
        let nested = prop_oneof![
            prop::collection::hash_map("[abc]", inner.clone(), 0..3)
                .prop_map(|hash_map| ("properties", json!(hash_map))),
            inner.clone().prop_map(|inner| ("items", inner)),
        ];
        (inner, nested).prop_map(|(mut schema, (key, value))| {
            schema[key] = value;
            schema
        })
    })
}

proptest! {
    #[test]
    fn the_validator_accepts_what_the_plain_check_accepts(schema in schema(), value in value()) {
        if surely_fits(&schema, &value) {
            let validator = validator(&schema).map_err(TestCaseError::fail)?;
            prop_assert!(validator.is_valid(&value), "{schema} {value}");
        }
    }

    /// Repeats schemas and values until the work comes near the limit.
    #[test]
    fn the_work_bound_is_an_upper_bound(
        schemas in prop::collection::vec(schema(), 1..4),
        value in value(),
        wide in 1usize..400,
        branches in 1usize..40,
    ) {
        let items = json!({
            "anyOf": std::iter::repeat_n(&schemas, branches).flatten().collect::<Vec<_>>(),
            "propertyNames": {"pattern": "^[a-z]{1,9}$", "minLength": 1},
            "patternProperties": {"^[a-b]": schemas[0]},
            "pattern": "(a|b){1,20}",
        });
        let (schema, value) = (json!({"items": items}), Value::from(vec![value; wide]));
        let survey = SchemaSurvey::new(&schema);
        if WorkBound::new(&survey).is_some_and(|it| it.is_little(&value)) {
            prop_assert!(cost::steps(&schema, &survey, &value).is_some_and(|it| it <= cost::STEPS));
        }
    }
}
