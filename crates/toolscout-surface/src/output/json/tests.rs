//! 1. Terminal control characters and invisible characters are always escaped, whatever their
//!    source.
//! 2. A parser gets the original values, and ordinary values look as `serde_json` writes them.

use super::{compact, pretty};
use proptest::prelude::*;
use serde_json::{Value, json};
use toolscout_core::{RawJson, escape};

const ODD: &str = "a\u{7f}\u{9b}31m\u{202e}\u{2066}\u{200b}\u{ad}\u{e0041}\u{1b}]0;x\u{7}\n\tb";

#[test]
fn odd_characters_are_written_as_escapes_and_read_as_themselves() {
    let value = json!({ ODD: [ODD, 1, null, {}] });
    assert_eq!(
        compact(&json!("\u{9b}\u{202e}\u{e0041}\u{7f}é😀")),
        r#""\u009b\u202e\udb40\udc41\u007fé😀""#
    );
    for text in [compact(&value), pretty(&value)] {
        assert!(!text.chars().any(|it| escape::is_dangerous(it) && it != '\n'), "{text:?}");
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), value);
    }
}

/// Raw JSON keeps its formatting, but not its unsafe characters.
#[test]
fn raw_json_keeps_its_writing_and_nothing_odd() {
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
            object.prop_map(|it| it.into_iter().collect())
        ]
    })
}

/// The form that serde_json writes for ordinary text.
fn usual(text: &str) -> String {
    escape::json(text).into_owned()
}

proptest! {
    #[test]
    fn it_is_the_usual_json_with_escapes(value in value()) {
        prop_assert_eq!(pretty(&value), usual(&serde_json::to_string_pretty(&value).unwrap()));
        prop_assert_eq!(compact(&value), usual(&value.to_string()));
        prop_assert_eq!(serde_json::from_str::<Value>(&pretty(&value)).unwrap(), value);
    }
}
