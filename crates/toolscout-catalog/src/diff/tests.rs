//! Changes of definitions are reported at their locations.

use super::*;
use serde_json::json;

#[test]
fn a_change_has_its_pointer_and_complete_values() {
    let schema = |properties: Value, required: Value| json!({"properties": properties, "required": required});
    let (one, two) =
        (json!({"a": {"type": "number"}}), json!({"a": {"type": "number"}, "side/note": {}}));
    let before =
        json!({"description": "Adds", "title": null, "inputSchema": schema(one, json!(["a"]))});
    let long = "x".repeat(10_000);
    let after = json!({"description": long, "inputSchema": schema(two, json!(["a", "side/note"]))});
    let found = changes(&before, &after);
    let shown: Vec<_> = found
        .iter()
        .map(|item| (item.at.as_str(), item.before.as_deref(), item.after.as_deref()))
        .collect();
    assert_eq!(
        shown,
        [
            ("/description", Some("Adds"), Some(long.as_str())),
            ("/inputSchema/properties/side~1note", None, Some("{}")),
            ("/inputSchema/required", Some("[\"a\"]"), Some("[\"a\",\"side/note\"]")),
        ]
    );
    assert_eq!(fields(&found), ["description", "inputSchema"]);
    assert!(changes(&after, &after).is_empty());
}
