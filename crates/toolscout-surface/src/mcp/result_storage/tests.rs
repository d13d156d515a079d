//! Proves that
//! 1. a result that fits is delivered unchanged, and the pieces of a larger one add up to the
//!    whole,
//! 2. only the user who received the beginning can read on,
//! 3. the stored results are bounded.

use super::*;
use serde_json::json;

fn output(text: &str) -> ToolOutput {
    ToolOutput::text(text)
}

fn delivered(large: &ResultStorage, text: &str, user: Option<&Arc<str>>) -> Value {
    serde_json::from_str(&large.deliver(&output(text), 1 << 20, || user.cloned())).expect("JSON")
}

fn handle(delivered: &Value) -> String {
    let note = delivered["content"][1]["text"].as_str().expect("a note");
    let from = note.find("\"result\":\"").expect("a handle") + "\"result\":\"".len();
    note[from..].split('"').next().expect("its end").to_owned()
}

fn read(large: &ResultStorage, wish: Value, user: Option<&Arc<str>>) -> ToolOutput {
    large.read(Some(&RawJson::from_value(&wish)), user)
}

#[test]
fn what_fits_is_delivered_as_it_came() {
    let raw = r#"{ "content" : [], "x": 1.0 }"#;
    let output = ToolOutput::from_raw(RawJson::parse(raw).unwrap()).unwrap();
    assert_eq!(ResultStorage::default().deliver(&output, 100, || None), raw);
}

#[test]
fn the_pieces_of_a_large_result_are_the_whole_of_it() {
    let large = ResultStorage::default();
    let text = "añ€𝄞".repeat(300_000);
    let first = delivered(&large, &text, None);
    let handle = handle(&first);
    let mut whole = first["content"][0]["text"].as_str().unwrap().to_owned();
    while whole.len() < text.len() {
        let piece = read(&large, json!({"result": handle, "offset": whole.len()}), None);
        assert!(!piece.is_error());
        whole += piece.content()[0]["text"].as_str().unwrap();
    }
    assert!(whole == text, "every byte, once");
    let raw = read(&large, json!({"result": handle, "part": "raw"}), None);
    assert!(output(&text).raw().as_str().starts_with(raw.content()[0]["text"].as_str().unwrap()));
}

#[test]
fn only_who_got_the_beginning_can_read_on() {
    let large = ResultStorage::default();
    let (alice, bob): (Arc<str>, Arc<str>) = ("alice".into(), "bob".into());
    let handle = handle(&delivered(&large, &"x".repeat(2 << 20), Some(&alice)));
    assert!(!read(&large, json!({"result": handle}), Some(&alice)).is_error());
    assert!(read(&large, json!({"result": handle}), Some(&bob)).is_error());
    assert!(read(&large, json!({"result": handle}), None).is_error());
    for nonsense in [
        json!({}),
        json!({"result": 1}),
        json!({"result": "x"}),
        json!({"result": handle, "offset": -1}),
    ] {
        assert!(read(&large, nonsense, Some(&alice)).is_error());
    }
    assert!(large.read(None, Some(&alice)).is_error());
}

#[test]
fn a_failure_stays_one_and_the_oldest_results_go_first() {
    let large = ResultStorage::default();
    let text = large.deliver(&ToolOutput::failure("x".repeat(2 << 20)), 1 << 20, || None);
    assert_eq!(serde_json::from_str::<Value>(&text).unwrap()["isError"], true);
    let first = handle(&serde_json::from_str(&text).unwrap());
    for _ in 0..40 {
        delivered(&large, &"x".repeat(2 << 20), None);
    }
    assert!(read(&large, json!({"result": first}), None).is_error());
    assert!(large.0.lock().len() < 20);
}

#[tokio::test(start_paused = true)]
async fn what_nobody_reads_is_let_go() {
    let large = ResultStorage::default();
    delivered(&large, &"x".repeat(2 << 20), None);
    tokio::time::advance(KEPT).await;
    large.tidy();
    assert!(large.0.lock().is_empty());
}
