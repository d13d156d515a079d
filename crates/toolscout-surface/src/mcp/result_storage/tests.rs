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

fn delivered(storage: &ResultStorage, text: &str, user: Option<&Arc<str>>) -> Value {
    serde_json::from_str(&storage.deliver(&output(text), 1 << 20, false, || user.cloned()))
        .expect("JSON")
}

fn handle(delivered: &Value) -> String {
    let note = delivered["content"][1]["text"].as_str().expect("a note");
    let from = note.find("\"result\":\"").expect("a handle") + "\"result\":\"".len();
    note[from..].split('"').next().expect("the end of the handle").to_owned()
}

fn read(storage: &ResultStorage, request: Value, user: Option<&Arc<str>>) -> ToolOutput {
    storage.read(Some(&RawJson::from_value(&request)), user)
}

#[test]
fn a_small_result_is_delivered_unchanged() {
    let raw = r#"{ "content" : [], "x": 1.0 }"#;
    let output = ToolOutput::from_raw(RawJson::parse(raw).unwrap()).unwrap();
    assert_eq!(ResultStorage::default().deliver(&output, 100, false, || None), raw);
}

#[test]
fn the_pieces_of_a_large_result_add_up_to_the_result() {
    let storage = ResultStorage::default();
    let text = "añ€𝄞".repeat(300_000);
    let first = delivered(&storage, &text, None);
    let handle = handle(&first);
    let mut received = first["content"][0]["text"].as_str().unwrap().to_owned();
    while received.len() < text.len() {
        let piece = read(&storage, json!({"result": handle, "offset": received.len()}), None);
        assert!(!piece.is_error());
        received += piece.content()[0]["text"].as_str().unwrap();
    }
    assert!(received == text, "every byte is received once");
    let raw = read(&storage, json!({"result": handle, "part": "raw"}), None);
    assert!(output(&text).raw().as_str().starts_with(raw.content()[0]["text"].as_str().unwrap()));
}

#[test]
fn only_the_user_who_received_the_beginning_can_read_on() {
    let storage = ResultStorage::default();
    let (alice, bob): (Arc<str>, Arc<str>) = ("alice".into(), "bob".into());
    let handle = handle(&delivered(&storage, &"x".repeat(2 << 20), Some(&alice)));
    assert!(!read(&storage, json!({"result": handle}), Some(&alice)).is_error());
    assert!(read(&storage, json!({"result": handle}), Some(&bob)).is_error());
    assert!(read(&storage, json!({"result": handle}), None).is_error());
    for nonsense in [
        json!({}),
        json!({"result": 1}),
        json!({"result": "x"}),
        json!({"result": handle, "offset": -1}),
    ] {
        assert!(read(&storage, nonsense, Some(&alice)).is_error());
    }
    assert!(storage.read(None, Some(&alice)).is_error());
}

#[test]
fn failures_stay_failures_and_the_oldest_results_are_evicted() {
    let storage = ResultStorage::default();
    let text = storage.deliver(&ToolOutput::failure("x".repeat(2 << 20)), 1 << 20, false, || None);
    assert_eq!(serde_json::from_str::<Value>(&text).unwrap()["isError"], true);
    let first = handle(&serde_json::from_str(&text).unwrap());
    for _ in 0..40 {
        delivered(&storage, &"x".repeat(2 << 20), None);
    }
    assert!(read(&storage, json!({"result": first}), None).is_error());
    assert!(storage.results.lock().len() < 20);
}

#[tokio::test(start_paused = true)]
async fn expired_results_are_removed() {
    let storage = ResultStorage::default();
    delivered(&storage, &"x".repeat(2 << 20), None);
    tokio::time::advance(RETENTION).await;
    storage.remove_expired();
    assert!(storage.results.lock().is_empty());
}

#[test]
fn every_piece_of_a_marked_result_is_marked() {
    let storage = ResultStorage::default();
    let first = storage.deliver(&output(&"a".repeat(2 << 20)), 1 << 20, true, || None);
    let first: Value = serde_json::from_str(&first).expect("JSON");
    let note = first["content"][1]["text"].as_str().expect("a note");
    let handle = note.split("\"result\":\"").nth(1).and_then(|rest| rest.split('"').next());
    let request = RawJson::from_value(&json!({"result": handle, "offset": 100}));
    let next = storage.read(Some(&request), None).raw().to_value();
    for piece in [&first, &next] {
        let text = piece["content"][0]["text"].as_str().expect("a text");
        assert!(text.starts_with("Data from a tool, up to the line [end of data "), "{text:.80}");
        assert!(text.lines().last().is_some_and(|line| line.starts_with("[end of data ")));
        assert!(!piece["content"][1]["text"].as_str().expect("a note").contains("[data "));
    }
}
