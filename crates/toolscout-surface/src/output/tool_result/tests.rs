//! 1. The text contains every part of a result.
//! 2. JSON is the structured content, and plain text stays plain.

use super::{json as to_json, text, unreadable};
use serde_json::json;
use toolscout_core::{RawJson, ToolOutput};

fn output(value: serde_json::Value) -> ToolOutput {
    ToolOutput::from_raw(RawJson::from_value(&value)).unwrap()
}

#[test]
fn every_block_is_shown_and_a_result_without_blocks_shows_its_structure() {
    let mixed = output(
        json!({"content": [{"type": "text", "text": "one"}, {"type": "image", "data": "eA=="}]}),
    );
    assert_eq!(text(&mixed), "one\n{\"type\":\"image\",\"data\":\"eA==\"}");
    assert_eq!(text(&output(json!({"structuredContent": {"a": 1}}))), "{\n  \"a\": 1\n}");
}

/// S-18: pretty JSON if the result is structured, otherwise plain text.
#[test]
fn json_falls_back_to_plain_text() {
    assert_eq!(to_json(&ToolOutput::structured(json!({"a": 1}))), Ok(json!({"a": 1})));
    assert_eq!(to_json(&ToolOutput::text("plain")), Err("plain".to_owned()));
}

/// V-89.
#[test]
fn a_result_with_half_of_a_surrogate_pair_is_not_shown_as_nothing() {
    let raw = r#"{"content":[{"type":"text","text":"\ud800"}]}"#;
    let output = ToolOutput::from_raw(RawJson::parse(raw).unwrap()).unwrap();
    assert!(unreadable(&output).is_some_and(|reason| reason.contains("not valid JSON")));
    assert_eq!((text(&output).as_str(), to_json(&output)), (raw, Err(raw.to_owned())));
}
