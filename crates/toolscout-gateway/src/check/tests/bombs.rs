//! 1. Schemas designed to be slow are refused or checked quickly, and the outcome is deterministic.
//! 2. Cyclic references terminate.
//! 3. Usual schemas and large data are checked.
//! 4. If only the explanation would be slow or unbounded, the answer comes without it.

use crate::check::schema::Schema;
use crate::check::{Violation, pattern};
use serde_json::{Map, Value, json};
use std::time::{Duration, Instant};
use toolscout_core::RawJson;

/// Far above the time of a check, even without optimization on a busy machine; far below that of a
/// bomb.
const SOON: Duration = Duration::from_secs(30);

fn check(schema: &Value, value: &Value) -> Result<Vec<Violation>, String> {
    let begun = Instant::now();
    let found =
        Schema::read(&RawJson::from_value(schema)).and_then(|schema| schema.violations(value));
    assert!(
        begun.elapsed() < SOON,
        "{:?} for {}",
        begun.elapsed(),
        &schema.to_string()[..100.min(schema.to_string().len())]
    );
    found
}

fn why_not(schema: &Value, value: &Value) -> String {
    check(schema, value).expect_err("the check is refused")
}

/// Definitions `c0`, `c1`, … : each contains a reference to the next, and the last one is given.
fn chain(length: usize, link: impl Fn(Value) -> Value, last: Value) -> Value {
    let next = |at: usize| json!({"$ref": format!("#/$defs/c{}", at + 1)});
    let links = (0..length).map(|at| (format!("c{at}"), link(next(at))));
    let definitions = Map::from_iter(links.chain([(format!("c{length}"), last)]));
    json!({"type": "object", "$defs": definitions, "properties": {"a": {"$ref": "#/$defs/c0"}}})
}

fn kilobytes(text: &str) -> String {
    text.repeat(64 * 1024 / text.len())
}

/// Hostile mode validate_bomb: 2^24 paths to the result that a text is not a number.
#[test]
fn exponential_branches_are_refused() {
    let twice = |next: Value| json!({"anyOf": [{"allOf": [next, {"minLength": 1}]}, {"allOf": [next, {"maxLength": 0}]}]});
    let schema = chain(24, twice, json!({"type": "integer"}));
    let long = json!({"a": kilobytes("a")});
    assert_eq!(why_not(&schema, &long), "checking a value against it would take too long");
    let few = chain(6, twice, json!({"type": "integer"}));
    assert_eq!(check(&few, &long).expect("the check completes").len(), 1);
    assert_eq!(check(&few, &json!({"a": 1})), Ok(Vec::new()));
}

/// The validator visits each level of the value twice as often as the one around it.
#[test]
fn values_that_double_the_work_with_each_level_are_refused() {
    let inner = json!({"properties": {"a": {"$ref": "#"}}});
    let schema = json!({"type": ["object", "integer"], "allOf": [inner, inner]});
    let deep = |levels: usize| (0..levels).fold(json!({"b": 1}), |index, _| json!({"a": index}));
    assert_eq!(check(&schema, &deep(8)), Ok(Vec::new()));
    assert_eq!(why_not(&schema, &deep(60)), "checking a value against it would take too long");
}

#[test]
fn nested_unevaluated_keywords_are_refused() {
    let around = |value: Value| json!({"allOf": [value], "unevaluatedProperties": false});
    let schema = (0..24).fold(json!({"properties": {"a": true}}), |index, _| around(index));
    assert_eq!(
        why_not(&schema, &json!({"a": 1})),
        "checking a value against it would take too long"
    );
    let twice = |next: Value| json!({"allOf": [next, next], "unevaluatedProperties": false});
    let schema = chain(18, twice, json!({"properties": {"a": true}}));
    assert_eq!(
        why_not(&schema, &json!({"a": {}})),
        "it has too many references for its `unevaluated` keywords"
    );
    let fine = json!({"allOf": [{"properties": {"a": true}}], "unevaluatedProperties": false});
    assert_eq!(check(&fine, &json!({"a": 1})), Ok(Vec::new()));
    assert_eq!(check(&fine, &json!({"b": 1})).expect("the check completes").len(), 1);
}

#[test]
fn a_big_schema_for_each_of_many_items_is_refused() {
    let parts: Vec<Value> = (0..1_500).map(|at| json!({"minLength": at % 3})).collect();
    let schema = json!({"properties": {"a": {"items": {"allOf": parts}}}});
    let many = json!({"a": vec!["abc"; 16_000]});
    assert_eq!(why_not(&schema, &many), "checking a value against it would take too long");
    assert_eq!(check(&schema, &json!({"a": ["abc"]})), Ok(Vec::new()));
}

/// Hostile mode validate_bomb: patterns that make other engines backtrack forever.
#[test]
fn pattern_cost_follows_pattern_size() {
    let of = |pattern: &str| json!({"properties": {"a": {"type": "string", "pattern": pattern}}});
    let text = json!({"a": kilobytes("a") + "!"});
    assert_eq!(check(&of("^(a+)+$"), &text).expect("the check completes").len(), 1);
    assert!(why_not(&of("^(?=(a+))\\1*b$"), &text).contains("regex"));
    let repeated = why_not(&of("(.{20}x){40}"), &text);
    assert_eq!(repeated, "checking a value against it would take too long");
    assert_eq!(why_not(&of("((a{100}){100}){100}"), &json!({})), "its patterns are too large");
    let names = json!({"patternProperties": {"^(x+x+)+y$": {"type": "string"}}, "propertyNames": {"pattern": "^([a-z]+)*$"}});
    assert_eq!(check(&names, &json!({(kilobytes("x")): 1})), Ok(Vec::new()));
}

#[test]
fn states_are_counted_with_all_repetitions() {
    for (pattern, states) in [
        ("", 1),
        ("abc", 4),
        ("^[a-z]{1,60}$", 1 + 1 + 8 * 61 + 1),
        ("(a{10}){10}", 1 + 11 * 11),
        ("\\d+", 17),
        ("a{2", 4),
    ] {
        assert_eq!(pattern::states(pattern), states, "{pattern}");
    }
    for odd in [
        "(((",
        ")))",
        "{{{",
        "[",
        "[]",
        "[^]",
        "\\",
        "a{99999999999999999999}{99999999999999999999}",
        "a{,}",
        "*",
    ] {
        assert!(pattern::states(odd) > 0, "{odd}");
    }
}

#[test]
fn unique_items_and_long_lists_of_values_are_quick() {
    let items: Vec<Value> = (0..9_000).map(Value::from).collect();
    let unique = json!({"properties": {"a": {"type": "array", "uniqueItems": true}}});
    assert_eq!(check(&unique, &json!({"a": items})), Ok(Vec::new()));
    let listed = |values: Vec<Value>| json!({"properties": {"a": {"items": {"enum": values}}}});
    let texts = listed((0..4_000).map(|at| json!(format!("v{at}"))).collect());
    assert_eq!(check(&texts, &json!({"a": vec!["v3999"; 9_000]})), Ok(Vec::new()));
    let lists = listed((0..2_000).map(|at| json!([at])).collect());
    assert_eq!(
        why_not(&lists, &json!({"a": vec![[1_999]; 9_000]})),
        "checking a value against it would take too long"
    );
}

/// Hostile mode ref_cycle.
#[test]
fn cyclic_references_terminate() {
    let to = |name: &str| json!({"$ref": format!("#/$defs/{name}")});
    let pair = json!({"a": {"allOf": [to("b")]}, "b": {"allOf": [to("a")]}});
    for schema in [
        json!({"type": "object", "properties": {"me": {"$ref": "#"}}}),
        json!({"$defs": pair, "$ref": "#/$defs/a"}),
        json!({"type": "object", "properties": {"t": {"type": "array", "items": {"$ref": "#/properties/t"}}}}),
        json!({"$defs": {"x": to("x")}, "$ref": "#/$defs/x"}),
        json!({"allOf": [{"$ref": "#"}]}),
        json!({"$dynamicAnchor": "x", "allOf": [{"$dynamicRef": "#x"}]}),
    ] {
        for value in [json!({}), json!({"me": {"me": {}}}), json!({"t": [[[]]]})] {
            assert_eq!(check(&schema, &value), Ok(Vec::new()), "{schema} {value}");
        }
    }
    let unsatisfiable = json!({"not": {"$ref": "#"}});
    assert!(check(&unsatisfiable, &json!({})).is_ok());
}

/// Hostile mode ref_bomb: 2^40 nodes if it were unrolled.
#[test]
fn references_are_never_unrolled() {
    let twice = |next: Value| json!({"type": "object", "properties": {"l": next, "r": next}});
    let schema = chain(40, twice, json!({"type": "string"}));
    assert_eq!(check(&schema, &json!({"a": {"l": {"r": {"l": {}}}}})), Ok(Vec::new()));
    assert_eq!(
        check(&schema, &json!({"a": {"l": {"r": 1}}})).expect("the check completes").len(),
        1
    );
}

/// The stack is limited.
#[test]
fn a_long_chain_of_references_is_refused() {
    let schema =
        chain(1_200, |next| json!({"allOf": [next]}), json!({"properties": {"a": {"$ref": "#"}}}));
    let value = (0..100).fold(json!({}), |index, _| json!({"a": index}));
    assert_eq!(why_not(&schema, &value), "its references are nested too deep");
}

/// The maximum allowed depth, on a stack as small as that of a worker thread.
#[test]
fn allowed_depth_fits_on_a_small_stack() {
    let schema = chain(
        60,
        |next| json!({"allOf": [next]}),
        json!({"properties": {"a": {"$ref": "#/$defs/c58"}}}),
    );
    let value = (0..20).fold(json!({"a": 1}), |index, _| json!({"a": index}));
    let work = move || check(&schema, &value);
    let found =
        std::thread::Builder::new().stack_size(2 << 20).spawn(work).unwrap().join().unwrap();
    assert_eq!(found, Ok(Vec::new()));
}

/// Embedded documents: the estimator cannot resolve references in them, so only small ones are
/// checked.
#[test]
fn small_schemas_with_embedded_documents_are_checked() {
    let schema = json!({
        "properties": {"a": {"$ref": "https://example.org/number"}},
        "$defs": {"n": {"$id": "https://example.org/number", "type": "integer"}},
    });
    assert_eq!(check(&schema, &json!({"a": 1})), Ok(Vec::new()));
    let found = check(&schema, &json!({"a": "x"})).expect("the check completes");
    assert_eq!(
        found[0].to_string(),
        "the value does not match the schema, which is too complex to say where"
    );
    let many = json!({"a": 1, "b": vec![1; 20_000]});
    assert_eq!(why_not(&schema, &many), "checking a value against it would take too long");
}

#[test]
fn large_values_for_usual_schemas_are_checked() {
    let row = json!({
        "type": "object", "required": ["id", "name"], "additionalProperties": false,
        "properties": {"id": {"type": "integer"}, "name": {"anyOf": [{"type": "string", "maxLength": 80}, {"type": "null"}]}},
    });
    let schema = json!({"type": "object", "$defs": {"row": row}, "properties": {"rows": {"items": {"$ref": "#/$defs/row"}}}});
    let rows: Vec<Value> = (0..20_000).map(|at| json!({"id": at, "name": "some name"})).collect();
    assert_eq!(check(&schema, &json!({"rows": rows})), Ok(Vec::new()));
    let found = check(&schema, &json!({"rows": [{"id": "x"}]})).expect("the check completes");
    assert_eq!(
        found.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "),
        "`rows/0`: \"name\" is a required property; `rows/0/id`: the value is not of type \"integer\""
    );
}

/// Servers declare the dialect of their schemas; the old ones differ in more than their name.
#[test]
fn unknown_dialects_are_read_as_the_newest_draft() {
    let pair = json!([{"type": "integer"}, {"type": "string"}]);
    let old = json!({
        "$schema": "http://json-schema.org/draft-07/schema#", "properties": {"a": {"type": "array", "items": pair}}
    });
    assert_eq!(check(&old, &json!({"a": [1, "x"]})), Ok(Vec::new()));
    assert_eq!(check(&old, &json!({"a": ["x", 1]})).expect("the check completes").len(), 2);
    let odd = json!({"$schema": "http://evil.invalid/schema", "required": ["a"]});
    assert_eq!(check(&odd, &json!({})).expect("the check completes").len(), 1);
}
