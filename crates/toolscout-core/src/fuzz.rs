//! Fuzz targets. Each panics if a property of the code does not hold for an input.

use crate::{NamePattern, escape, jsonrpc, redact};
use serde_json::Value;

/// The secret that [`text`] must redact.
const SECRET: &str = "fuzz-secret-7f3a9c51";

/// Reads a JSON-RPC message. A response keeps its id and its result when it is written again.
pub fn jsonrpc(bytes: &[u8]) {
    let size = jsonrpc::check_size(bytes, 64, 10_000);
    assert!(jsonrpc::ids_of_responses(bytes).len() <= 64);
    if let Ok(jsonrpc::Message::Response { id: Some(id), outcome: Ok(result) }) =
        jsonrpc::read(bytes)
    {
        let text = jsonrpc::result(id.get(), result.get());
        assert!(!text.contains(['\n', '\r']), "a message is on one line");
        let Ok(jsonrpc::Message::Response { outcome: Ok(again), .. }) =
            jsonrpc::read(text.as_bytes())
        else {
            panic!("a written response can be read")
        };
        assert_eq!(again.get(), jsonrpc::on_one_line(result.get()));
        let is_deep = nesting(result.get()) > 64;
        assert!(size.is_err() || !is_deep, "the size check counts every level");
    }
}

/// Escapes and redacts a text. No dangerous character and no known secret remains.
pub fn text(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let line = escape::line(&text);
    assert!(!line.chars().any(escape::is_dangerous));
    assert_eq!(escape::line(&line), line, "escaping twice changes nothing");
    assert!(!escape::text(&text).chars().any(|c| c != '\n' && escape::is_dangerous(c)));
    let page = escape::page(&text);
    assert!(!page.chars().any(|c| !matches!(c, '\n' | '\t') && escape::is_dangerous(c)));
    if let Ok(value) = serde_json::from_str::<Value>(&text) {
        let escaped = serde_json::from_str::<Value>(&escape::json(&text));
        assert_eq!(escaped.expect("escaped JSON is JSON"), value);
        redact::json(&value);
    }
    redact::add_secret(SECRET);
    assert!(!redact::text(&format!("{text} {SECRET} {text}")).contains(SECRET));
    let (pattern, name) = text.split_once('\n').unwrap_or((&text, ""));
    NamePattern::new(pattern).matches(name);
}

/// The depth of a valid JSON text.
fn nesting(json: &str) -> usize {
    let (mut depth, mut deepest, mut is_text, mut is_escaped) = (0_usize, 0, false, false);
    for byte in json.bytes() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if is_text => is_escaped = true,
            b'"' => is_text = !is_text,
            b'{' | b'[' if !is_text => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            b'}' | b']' if !is_text => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    deepest
}

#[cfg(test)]
mod tests {
    use toolscout_test_support::corpus::replay;

    #[test]
    fn every_input_of_the_corpora_passes() {
        replay("jsonrpc", super::jsonrpc);
        replay("text", super::text);
    }
}
