//! 1. Terminal control characters and invisible characters are always escaped, whatever their
//!    source.
//! 2. A parser gets the original values, and ordinary values look as `serde_json` writes them.

use super::{compact, pretty};
use proptest::prelude::*;
use serde_json::{Value, json};
use toolscout_core::{RawJson, escape};

const ODD: &str = "a\u{7f}\u{9b}31m\u{202e}\u{2066}\u{200b}\u{ad}\u{e0041}\u{1b}]0;x\u{7}\n\tb";

#[test]
fn unsafe_characters_are_escaped_and_parse_back() {
    let value = json!({ ODD: [ODD, 1, null, {}] });
    assert_eq!(
        compact(&json!("\u{9b}\u{202e}\u{e0041}\u{7f}é😀")),
        r#""\u009b\u202e\udb40\udc41\u007fé😀""#
    );
    for text in [compact(&value), pretty(&value)] {
        assert!(!text.chars().any(|c| escape::is_dangerous(c) && c != '\n'), "{text:?}");
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), value);
    }
}

/// Raw JSON keeps its formatting, but not its unsafe characters.
#[test]
fn raw_json_keeps_its_formatting_but_is_escaped() {
    let raw = RawJson::parse("{\r\n\t\"a\u{9b}\" : \"\u{202e}\\u001b\" , \"n\": 1.50}").unwrap();
    let text = compact(&raw);
    assert_eq!(text, "{ \n\t\"a\\u009b\" : \"\\u202e\\u001b\" , \"n\": 1.50}");
    assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), raw.to_value());
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<i64>().prop_map(Value::from),
        any::<String>().prop_map(Value::from)
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        let object = prop::collection::hash_map(any::<String>(), inner.clone(), 0..4);
        prop_oneof![
            prop::collection::vec(inner, 0..4).prop_map(Value::from),
            object.prop_map(|object| object.into_iter().collect())
        ]
    })
}

/// The form that serde_json writes for ordinary text.
fn standard_json(text: &str) -> String {
    escape::json(text).into_owned()
}

proptest! {
    #[test]
    fn output_equals_standard_json_with_escapes(value in value()) {
        prop_assert_eq!(pretty(&value), standard_json(&serde_json::to_string_pretty(&value).unwrap()));
        prop_assert_eq!(compact(&value), standard_json(&value.to_string()));
        prop_assert_eq!(serde_json::from_str::<Value>(&pretty(&value)).unwrap(), value);
    }
}
