//! Lists: repeated, with commas, or as JSON.

use super::{call, hinted, with};
use serde_json::{Value, json};

fn items(item: Value) -> Value {
    json!({"items": {"type": "array", "items": item}})
}

/// S-08: strings.
#[test]
fn strings_are_repeated_or_separated_by_commas() {
    let tool = with(&items(json!({"type": "string"})));
    for line in [
        &["--items", "a", "--items", "b"][..],
        &["--items", "a,", "--items", "b"],
        &["--items", "a,b"],
    ] {
        assert_eq!(call(&tool, line), r#"{"items":["a","b"]}"#);
    }
    assert_eq!(call(&tool, &["--items", "5"]), r#"{"items":["5"]}"#);
    assert_eq!(call(&tool, &["--items", "[]"]), r#"{"items":[]}"#);
    assert_eq!(call(&tool, &["--items="]), r#"{"items":[""]}"#);
}

/// S-08: items have types of their own.
#[test]
fn items_are_typed() {
    let numbers = with(&items(json!({"type": "integer"})));
    assert_eq!(call(&numbers, &["--items", "-1,2", "--items", "3"]), r#"{"items":[-1,2,3]}"#);
    assert_eq!(
        call(&numbers, &["--items", "1,x"]),
        r#"Invalid value for --items: "x" is not an integer"#
    );
    let choices = with(&items(json!({"enum": ["a", 1, true]})));
    assert_eq!(call(&choices, &["--items", "a,1,true"]), r#"{"items":["a",1,true]}"#);
    assert_eq!(
        call(&choices, &["--items", "b"]),
        r#"Invalid value for --items: "b" (choose from: a, 1, true)"#
    );
    let truths = with(&items(json!({"type": "boolean"})));
    assert_eq!(call(&truths, &["--items", "true,false"]), r#"{"items":[true,false]}"#);
}

/// S-09: one JSON array, or an error.
#[test]
fn the_author_can_choose_json_for_lists() {
    let tool = hinted(&items(json!({"type": "string"})), &json!({"arrays": "json"}));
    assert_eq!(call(&tool, &["--items", r#"["a","b"]"#]), r#"{"items":["a","b"]}"#);
    assert_eq!(
        call(&tool, &["--items", "x"]),
        r#"Invalid value for --items: "x" is not a JSON array (expected value at line 1 column 1)"#
    );
    assert_eq!(
        call(&tool, &["--items", "5"]),
        r#"Invalid value for --items: "5" is not a JSON array"#
    );
}

/// S-10: an object each, or an array of them.
#[test]
fn objects_are_repeated_as_json() {
    let tool = with(
        &json!({"server": {"type": "array", "items": {"type": "object", "properties": {"host": {}}}}}),
    );
    let two = r#"{"server":[{"host":"a"},{"host":"b"}]}"#;
    assert_eq!(call(&tool, &["--server", r#"{"host":"a"}"#, "--server", r#"{"host":"b"}"#]), two);
    assert_eq!(call(&tool, &["--server", r#"[{"host":"a"},{"host":"b"}]"#]), two);
    assert_eq!(call(&tool, &["--server", "a"]).lines().count(), 1);
    assert!(call(&tool, &["--server", "5"]).ends_with("is not a JSON object"));
}

#[test]
fn items_of_any_type_and_lists_of_lists() {
    let any = with(&json!({"items": {"type": "array"}}));
    assert_eq!(
        call(&any, &["--items", "a", "--items", "1", "--items", r#"{"k":[1]}"#]),
        r#"{"items":["a",1,{"k":[1]}]}"#
    );
    assert_eq!(call(&any, &["--items", r#"["a",[1]]"#]), r#"{"items":["a",[1]]}"#);
    let lists = with(&items(json!({"type": "array", "items": {"type": "integer"}})));
    assert_eq!(call(&lists, &["--items", "[1,2]", "--items", "[]"]), r#"{"items":[[1,2],[]]}"#);
    let tuple = with(
        &json!({"items": {"type": "array", "prefixItems": [{"type": "string"}, {"type": "number"}]}}),
    );
    assert_eq!(call(&tuple, &["--items", r#"["a",1]"#]), r#"{"items":["a",1]}"#);
}
