//! Values as JSON writes them: objects over several lines, lists on one.

use serde_json::Value;

/// Each property on its line, the first line as far in as the place it is put at. What is null is left out.
pub(super) fn pretty(value: &Value, indent: &str, unit: &str, feed: &str) -> String {
    let Value::Object(map) = value else { return compact(value) };
    let inner = format!("{indent}{unit}");
    let lines = map.iter().filter(|(_, value)| !value.is_null());
    let lines: Vec<String> =
        lines.map(|(name, value)| format!("{inner}{}: {}", text(name), pretty(value, &inner, unit, feed))).collect();
    if lines.is_empty() {
        "{}".to_owned()
    } else {
        format!("{{{feed}{}{feed}{indent}}}", lines.join(&format!(",{feed}")))
    }
}

/// On one line.
pub(super) fn compact(value: &Value) -> String {
    match value {
        Value::Array(items) => format!("[{}]", items.iter().map(compact).collect::<Vec<_>>().join(", ")),
        Value::Object(map) => {
            let pairs = map.iter().filter(|(_, value)| !value.is_null());
            let pairs: Vec<String> = pairs.map(|(name, value)| format!("{}: {}", text(name), compact(value))).collect();
            format!("{{{}}}", pairs.join(", "))
        }
        other => other.to_string(),
    }
}

fn text(text: &str) -> String {
    Value::String(text.to_owned()).to_string()
}
