//! Keys and single values, quoted only if they would be parsed as something else.

use serde_json::{Number, Value};
use toolscout_core::escape;

/// A key: quoted unless it is a plain name.
pub(super) fn key(name: &str) -> String {
    let starts_well = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    let is_plain =
        name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.'));
    if starts_well && is_plain { name.to_owned() } else { quoted(name) }
}

/// A single value; a nested value is not expected here and becomes JSON.
pub(super) fn scalar(value: &Value) -> String {
    match value {
        Value::String(text) if needs_quotes(text) => quoted(text),
        Value::String(text) => text.clone(),
        Value::Number(value) => number(value),
        other => other.to_string(),
    }
}

fn needs_quotes(text: &str) -> bool {
    text.is_empty()
        || text.trim() != text
        || matches!(text, "true" | "false" | "null")
        || text.starts_with(['-', '#', '\u{feff}'])
        || is_numeric(text)
        || text.contains([',', ':', '"', '\\', '[', ']', '{', '}'])
        || text.contains(escape::is_dangerous)
}

/// Digits, with an optional fraction and exponent; leading zeros count, because a parser may
/// accept them as a number.
fn is_numeric(text: &str) -> bool {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let (base, exponent) =
        text.split_once(['e', 'E']).map_or((text, None), |(base, value)| (base, Some(value)));
    let (whole, fraction) =
        base.split_once('.').map_or((base, None), |(whole, value)| (whole, Some(value)));
    let exponent = exponent.map(|exponent| exponent.strip_prefix(['+', '-']).unwrap_or(exponent));
    digits(whole) && fraction.is_none_or(digits) && exponent.is_none_or(digits)
}

fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            value if escape::is_dangerous(value) => escape::push_utf16(&mut out, value),
            value => out.push(value),
        }
    }
    out.push('"');
    out
}

/// Plain decimals; an exponent only for numbers that would be too long to read.
fn number(number: &Number) -> String {
    let Some(float) = number.as_f64().filter(|_| number.is_f64()) else {
        return number.to_string();
    };
    let size = float.abs();
    if size == 0.0 {
        return "0".to_owned();
    }
    if (1e-6..1e21).contains(&size) {
        return float.to_string();
    }
    let text = format!("{float:e}");
    if text.contains("e-") { text } else { text.replace('e', "e+") }
}
