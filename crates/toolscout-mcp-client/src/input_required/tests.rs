//! 1. A request for input is distinguished from a complete result with any content.
//! 2. None of the server's text is repeated.

use super::of;
use serde_json::{Value, json};
use toolscout_core::RawJson;

fn demanded(result: &Value) -> Option<String> {
    of(&RawJson::from_value(result))
}

#[test]
fn an_answer_that_talks_about_demands_is_an_answer() {
    assert_eq!(demanded(&json!({"content": [{"type": "text", "text": "input_required"}]})), None);
    assert_eq!(demanded(&json!({"resultType": "complete", "x": "input_required"})), None);
    assert_eq!(demanded(&json!([])), None);
}

#[test]
fn a_demand_is_named_and_not_quoted() {
    let ask = |method: &str, mode: &str| json!({"method": method, "params": {"mode": mode, "message": "PASSWORD"}});
    let requests = json!({
        "PASSWORD": ask("elicitation/create", "form"),
        "b": ask("elicitation/create", "url"),
        "c": ask("sampling/createMessage", ""),
        "d": ask("roots/list", ""),
        "e": ask("PASSWORD", ""),
        "f": null,
    });
    assert_eq!(
        demanded(&json!({"resultType": "input_required", "inputRequests": requests})).as_deref(),
        Some(
            "a form to be filled in, a text by a model, a visit to an address, something unknown, the folders of the project"
        )
    );
    for odd in [json!({}), json!([1]), json!("PASSWORD"), json!(null)] {
        let said = demanded(
            &json!({"resultType": "input_required", "inputRequests": odd, "requestState": "PASSWORD"}),
        );
        assert_eq!(said.as_deref(), Some("to be asked again"));
    }
}
