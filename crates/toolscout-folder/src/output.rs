//! Converts the output and exit status of a program to a result.

use serde_json::{Value, json};
use std::borrow::Cow;
use toolscout_core::{RawJson, ToolOutput};
use toolscout_process::ProgramOutput;

/// The number of output bytes shown for a failed program.
const MAX_FAILURE_BYTES: usize = 64 << 10;
const NOT_UTF8: &str = "note: the output was not valid UTF-8; invalid bytes are shown as \u{fffd}";

/// The result of a program that has exited.
pub(crate) fn from_outcome(shown: &str, outcome: &ProgramOutput) -> ToolOutput {
    if outcome.status.success() {
        from_stdout(&outcome.stdout)
    } else {
        from_failure(shown, outcome)
    }
}

/// A JSON object with `content`, `structuredContent` or `isError` is the result itself; other
/// objects and lists are structured; all else is text.
pub fn from_stdout(stdout: &[u8]) -> ToolOutput {
    let Ok(all) = std::str::from_utf8(stdout) else { return from_text(stdout) };
    let text = without_newline(all);
    match (RawJson::parse(all), serde_json::from_str(all)) {
        (Ok(raw), Ok(Value::Object(map))) if is_result(&map) => {
            // An object with these keys but a different shape, such as a page whose `content` is a
            // string, is plain JSON.
            ToolOutput::from_raw(raw.clone()).unwrap_or_else(|_| structured(text, &raw))
        }
        (Ok(raw), Ok(Value::Object(_) | Value::Array(_))) => structured(text, &raw),
        _ => ToolOutput::text(text),
    }
}

fn is_result(map: &serde_json::Map<String, Value>) -> bool {
    ["content", "structuredContent", "isError"].iter().any(|item| map.contains_key(*item))
}

/// The text without its last line feed. If the bytes are not valid UTF-8, a note is added.
pub(crate) fn from_text(bytes: &[u8]) -> ToolOutput {
    let text = String::from_utf8_lossy(bytes);
    if matches!(text, Cow::Borrowed(_)) {
        return ToolOutput::text(without_newline(&text));
    }
    let blocks = json!([{"type": "text", "text": without_newline(&text)}, {"type": "text", "text": NOT_UTF8}]);
    ToolOutput::from_raw(RawJson::from_value(&json!({"content": blocks})))
        .unwrap_or_else(ToolOutput::failure)
}

/// A text together with the JSON that it contains, both byte for byte.
pub(crate) fn structured(text: &str, raw: &RawJson) -> ToolOutput {
    let content = json!([{"type": "text", "text": text}]);
    let whole = format!(r#"{{"content":{content},"structuredContent":{}}}"#, raw.as_str());
    match RawJson::parse(&whole).map(ToolOutput::from_raw) {
        Ok(Ok(output)) => output,
        _ => ToolOutput::text(text),
    }
}

/// The result of a failed program: its exit status, its standard error and its output so far.
pub(crate) fn from_failure(shown: &str, outcome: &ProgramOutput) -> ToolOutput {
    let mut text = format!("`{shown}` {}", outcome.exit_description());
    let stderr = outcome.stderr_text();
    if !stderr.is_empty() {
        text += &format!("\n\n{stderr}");
    }
    let stdout =
        String::from_utf8_lossy(&outcome.stdout[..outcome.stdout.len().min(MAX_FAILURE_BYTES)]);
    if !stdout.trim().is_empty() {
        text += &format!("\n\noutput:\n{}", stdout.trim_end());
    }
    ToolOutput::failure(text)
}

fn without_newline(text: &str) -> &str {
    let text = text.strip_suffix('\n').unwrap_or(text);
    text.strip_suffix('\r').unwrap_or(text)
}

/// The standard error of a program, to append to a reason.
pub(super) fn stderr_suffix(outcome: &ProgramOutput) -> String {
    let text = outcome.stderr_text();
    if text.is_empty() { String::new() } else { format!(": {text}") }
}
