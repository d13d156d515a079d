//! An operation as an HTTP request: the inverse of its route.

use super::HttpRoute;
use serde_json::{Map, Value};
use std::fmt::Write;

/// The path with query, and the body, of a request that invokes an operation with this input.
pub fn request_target(
    route: &HttpRoute,
    mut input: Map<String, Value>,
) -> (String, Option<Vec<u8>>) {
    let segment =
        |segment: &str| match segment.strip_prefix('{').and_then(|name| name.strip_suffix('}')) {
            Some(name) => {
                encode(&text(input.shift_remove(name.trim_start_matches('*')).unwrap_or_default()))
            }
            None => segment.to_owned(),
        };
    let mut path = route.path.split('/').map(segment).collect::<Vec<_>>().join("/");
    let has_body = !matches!(route.method, "GET" | "DELETE");
    let mut separator = '?';
    let mut add = |name: &str, value: &str| {
        let _ = write!(path, "{separator}{}={}", encode(name), encode(value));
        separator = '&';
    };
    if !has_body {
        for (name, value) in input {
            match value {
                Value::Null => {}
                Value::Array(items) => items.into_iter().for_each(|item| add(&name, &text(item))),
                value => add(&name, &text(value)),
            }
        }
        return (path, None);
    }
    let body = (!input.is_empty()).then(|| Value::Object(input).to_string().into_bytes());
    (path, body)
}

fn text(value: Value) -> String {
    match value {
        Value::String(text) => text,
        other => other.to_string(),
    }
}

/// Percent-encodes everything but unreserved characters.
fn encode(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            let _ = write!(encoded, "%{byte:02X}");
        }
    }
    encoded
}
