//! 1. A request for input is distinguished from a complete result with any content.
//! 2. None of the server's text is repeated.

use super::describe;
use serde_json::{Value, json};
use toolscout_core::RawJson;

fn described(result: &Value) -> Option<String> {
    describe(&RawJson::from_value(result))
}

#[test]
fn a_result_that_mentions_input_required_is_complete() {
    assert_eq!(described(&json!({"content": [{"type": "text", "text": "input_required"}]})), None);
    assert_eq!(described(&json!({"resultType": "complete", "x": "input_required"})), None);
    assert_eq!(described(&json!([])), None);
}

#[test]
fn required_input_is_named_and_not_quoted() {
    let request = |method: &str, mode: &str| json!({"method": method, "params": {"mode": mode, "message": "PASSWORD"}});
    let requests = json!({
        "PASSWORD": request("elicitation/create", "form"),
        "b": request("elicitation/create", "url"),
        "c": request("sampling/createMessage", ""),
        "d": request("roots/list", ""),
        "e": request("PASSWORD", ""),
        "f": null,
    });
    assert_eq!(
        described(&json!({"resultType": "input_required", "inputRequests": requests})).as_deref(),
        Some(
            "a form (elicitation), a model response (sampling), a visit to a URL, an unknown input, the project folders (roots)"
        )
    );
    for invalid in [json!({}), json!([1]), json!("PASSWORD"), json!(null)] {
        let description = described(
            &json!({"resultType": "input_required", "inputRequests": invalid, "requestState": "PASSWORD"}),
        );
        assert_eq!(description.as_deref(), Some("another round of the request"));
    }
}
