//! 1. Objects, lists, tables and mixtures have the right form.
//! 2. Ambiguous values are quoted.
//! 3. Equal content gives equal bytes, whatever the order of keys.

use super::encode;
use crate::output::{Format, render};
use insta::assert_snapshot;
use proptest::prelude::*;
use serde_json::{Map, Value, json};

/// W-01: keys are sorted.
#[test]
fn an_object_has_a_line_for_each_key_in_order() {
    assert_snapshot!(encode(&json!({"name": "Alice", "age": 30, "active": true})), @r"
    active: true
    age: 30
    name: Alice
    ");
}

/// W-02: scalars stand on one line.
#[test]
fn a_list_of_scalars_stands_on_one_line() {
    assert_snapshot!(encode(&json!({"numbers": [1, 2, 3], "names": ["a", "b"]})), @r"
    names[2]: a,b
    numbers[3]: 1,2,3
    ");
}

/// W-03: like objects make a table.
#[test]
fn objects_with_equal_keys_form_a_table() {
    let users = json!({"users": [{"name": "Ada", "id": 1}, {"id": 2, "name": "Bob, Jr."}]});
    assert_snapshot!(encode(&users), @r#"
    users[2]{id,name}:
      1,Ada
      2,"Bob, Jr."
    "#);
}

#[test]
fn nesting_is_indented_and_mixtures_are_items() {
    let value = json!({
        "a": {"b": {"c": 1}, "empty": {}, "none": []},
        "mixed": [1, "x", null, {}, [], [1, 2], [[1], {"k": "v"}], {"z": 1, "a": {"b": [true]}}, {"rows": [{"x": 1}, {"x": 2}], "s": 0}],
        "unlike": [{"a": 1}, {"b": 2}]
    });
    assert_snapshot!(encode(&value), @r"
    a:
      b:
        c: 1
      empty:
      none: []
    mixed[9]:
      - 1
      - x
      - null
      -
      - [0]:
      - [2]: 1,2
      - [2]:
        - [1]: 1
        - k: v
      - a:
          b[1]: true
        z: 1
      - rows[2]{x}:
          1
          2
        s: 0
    unlike[2]:
      - a: 1
      - b: 2
    ");
}

#[test]
fn any_value_can_be_the_root() {
    assert_eq!(encode(&json!({})), "");
    assert_eq!(encode(&json!([])), "[]");
    assert_eq!(encode(&json!(["a", 1])), "[2]: a,1");
    assert_eq!(encode(&json!([{"a": 1}, {"a": 2}])), "[2]{a}:\n  1\n  2");
    assert_eq!(encode(&json!("hello world")), "hello world");
    assert_eq!(encode(&json!(null)), "null");
}

#[test]
fn ambiguous_strings_are_quoted() {
    let plain = ["a", "hello world", "1.2.3", "e5", "True", "日本 👍", "a-b", "x=y", "(a)", "it's"];
    plain.into_iter().for_each(|item| assert_eq!(encode(&json!(item)), item));
    for text in [
        "", " a", "a ", "true", "null", "42", "-1", "1e5", "05", "0.5", "-", "- a", "#a", "a,b",
        "a:b", "[a", "{}",
    ] {
        assert_eq!(encode(&json!(text)), format!("\"{text}\""));
    }
    assert_eq!(encode(&json!("a\"b\\c\n\r\t\u{1}")), r#""a\"b\\c\n\r\t\u0001""#);
    let keys = json!({"my-key": 1, "a.b": 2, "": [1], "1": [{"x y": 1}]});
    assert_eq!(encode(&keys), "\"\"[1]: 1\n\"1\"[1]{\"x y\"}:\n  1\na.b: 2\n\"my-key\": 1");
}

#[test]
fn numbers_are_plain_decimals() {
    let numbers =
        json!([1.0, -0.0, 0.1, 1e20, 1e21, 1.5e-7, 0.000001, 18446744073709551615_u64, -5]);
    assert_eq!(
        encode(&numbers),
        "[9]: 1,0,0.1,100000000000000000000,1e+21,1.5e-7,0.000001,18446744073709551615,-5"
    );
}

/// S-18: the formats of `--output`.
#[test]
fn formats_have_names() {
    assert_eq!("toon".parse(), Ok(Format::Toon));
    assert_eq!(
        render(&json!({"b": 1, "a": [2]}), Format::Json),
        "{\n  \"b\": 1,\n  \"a\": [\n    2\n  ]\n}"
    );
    assert_eq!(render(&json!("plain: text"), Format::Text), "plain: text");
    assert_eq!(render(&json!({"b": 1}), "toon".parse().unwrap()), "b: 1");
    let error = "xml".parse::<Format>().unwrap_err().to_string();
    assert_eq!(error, "`xml` is not a format (choose from: text, json, toon)");
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 48, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::btree_map("[a-c]|\\PC{0,3}", inner, 0..5)
                .prop_map(|btree_map| Value::Object(btree_map.into_iter().collect())),
        ]
    })
}

/// The same content with all keys in reverse order.
fn reversed(value: &Value) -> Value {
    match value {
        Value::Object(map) => Value::Object(
            map.iter()
                .rev()
                .map(|(key, item)| (key.clone(), reversed(item)))
                .collect::<Map<_, _>>(),
        ),
        Value::Array(items) => items.iter().map(reversed).collect(),
        single => single.clone(),
    }
}

proptest! {
    #[test]
    fn equal_content_gives_equal_bytes(value in value()) {
        let text = encode(&value);
        prop_assert_eq!(&text, &encode(&reversed(&value)));
        prop_assert!(text.lines().all(|it| it.trim_end_matches(' ') == it), "no line ends in a space: {}", text);
        prop_assert!(!text.contains(['\r', '\t']) && !text.ends_with('\n'));
    }
}
