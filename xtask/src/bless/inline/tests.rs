//! Proves that new snapshots are written into the right literal, with the same value.

use super::{apply, notes, source_of};
use std::path::Path;

fn note(line: usize, snapshot: &str) -> String {
    serde_json::json!({"run_id": "1", "line": line, "new": {"snapshot": snapshot}, "old": null})
        .to_string()
}

#[test]
fn snapshots_are_rewritten_where_they_stand() {
    let source = "fn a() {\n    assert_snapshot!(mail(\"me@\"), @\"old\");\n    assert_snapshot!(b(), @r\"\n    x\n    \");\n}\n";
    let text = [note(2, "a \"new\" one"), note(3, "x\n\ny")].join("\n");
    assert_eq!(
        apply(source, &notes(&text).unwrap()).unwrap(),
        "fn a() {\n    assert_snapshot!(mail(\"me@\"), @r#\"a \"new\" one\"#);\n    assert_snapshot!(b(), @\"\n    x\n\n    y\n    \");\n}\n"
    );
}

#[test]
fn a_snapshot_that_still_holds_is_left_alone() {
    let holds = r#"{"run_id": "1", "line": 1, "new": null, "old": null}"#;
    assert!(notes(holds).unwrap().is_empty());
}

#[test]
fn a_note_about_a_line_that_is_gone_is_an_error() {
    let text = note(1, "x");
    assert!(apply("fn a() {}\n", &notes(&text).unwrap()).is_err());
}

#[test]
fn notes_know_their_source() {
    assert_eq!(
        source_of(Path::new("src/.rank.rs.pending-snap")).as_deref(),
        Some(Path::new("src/rank.rs"))
    );
    assert_eq!(source_of(Path::new("src/rank.rs")), None);
}
