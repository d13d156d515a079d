//! Formats values as JSON: objects over several lines, lists on one.

use serde_json::Value;

/// Formats an object with one property per line. `indent` is the indentation of the line that the
/// value starts on. Null values are omitted.
pub(super) fn pretty(value: &Value, indent: &str, indent_unit: &str, newline: &str) -> String {
    let Value::Object(map) = value else { return compact(value) };
    let inner = format!("{indent}{indent_unit}");
    let lines = map.iter().filter(|(_, value)| !value.is_null());
    let lines: Vec<String> = lines
        .map(|(name, value)| {
            format!("{inner}{}: {}", text(name), pretty(value, &inner, indent_unit, newline))
        })
        .collect();
    if lines.is_empty() {
        "{}".to_owned()
    } else {
        format!("{{{newline}{}{newline}{indent}}}", lines.join(&format!(",{newline}")))
    }
}

/// Formats a value on one line.
pub(super) fn compact(value: &Value) -> String {
    match value {
        Value::Array(items) => {
            format!("[{}]", items.iter().map(compact).collect::<Vec<_>>().join(", "))
        }
        Value::Object(map) => {
            let pairs = map.iter().filter(|(_, value)| !value.is_null());
            let pairs: Vec<String> =
                pairs.map(|(name, value)| format!("{}: {}", text(name), compact(value))).collect();
            format!("{{{}}}", pairs.join(", "))
        }
        other => other.to_string(),
    }
}

fn text(text: &str) -> String {
    Value::String(text.to_owned()).to_string()
}
