//! The input that a server requires instead of returning a result.

#[cfg(test)]
mod tests;

use serde_json::{Map, Value};
use std::collections::BTreeSet;
use toolscout_core::RawJson;

/// A description of the input that the result requests; `None` if the result is complete. It
/// contains no text of the server, because a malicious server could phrase a request for a password
/// convincingly.
pub(super) fn describe(result: &RawJson) -> Option<String> {
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
    let descriptions: BTreeSet<&str> = requests.values().map(describe_request).collect();
    if descriptions.is_empty() {
        return Some("another round of the request".to_owned());
    }
    Some(descriptions.into_iter().collect::<Vec<_>>().join(", "))
}

fn describe_request(request: &Value) -> &'static str {
    match (request["method"].as_str(), request["params"]["mode"].as_str()) {
        (Some("elicitation/create"), Some("url")) => "a visit to a URL",
        (Some("elicitation/create"), _) => "a form (elicitation)",
        (Some("sampling/createMessage"), _) => "a model response (sampling)",
        (Some("roots/list"), _) => "the project folders (roots)",
        _ => "an unknown input",
    }
}
