//! The input that a server requires instead of returning a result.

#[cfg(test)]
mod tests;

use serde_json::{Map, Value};
use std::collections::BTreeSet;
use toolscout_core::RawJson;

/// A description of the input that the result requests; `None` if the result is complete. It
/// contains no text of the server, because a malicious server could phrase a request for a password
/// convincingly.
pub(super) fn of(result: &RawJson) -> Option<String> {
    // Most results are complete, and some are large, so this avoids parsing them.
    if !result.as_str().contains("input_required") {
        return None;
    }
    let result = result.to_value();
    if result["resultType"] != "input_required" {
        return None;
    }
    let none = Map::new();
    let requests = result["inputRequests"].as_object().unwrap_or(&none);
    let words: BTreeSet<&str> = requests.values().map(word).collect();
    if words.is_empty() {
        return Some("to be asked again".to_owned());
    }
    Some(words.into_iter().collect::<Vec<_>>().join(", "))
}

fn word(request: &Value) -> &'static str {
    match (request["method"].as_str(), request["params"]["mode"].as_str()) {
        (Some("elicitation/create"), Some("url")) => "a visit to an address",
        (Some("elicitation/create"), _) => "a form to be filled in",
        (Some("sampling/createMessage"), _) => "a text by a model",
        (Some("roots/list"), _) => "the folders of the project",
        _ => "something unknown",
    }
}
