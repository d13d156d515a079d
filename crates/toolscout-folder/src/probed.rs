//! Parses the JSON with which a file describes one of its tools.

use super::header::timeout;
use super::recipe::Probed;
use serde_json::Value;
use std::collections::BTreeMap;
use toolscout_core::{RawJson, ToolName};

/// Parses one tool description strictly: an unknown key is more likely a typo than an extension.
pub(super) fn read(text: &str) -> Result<Probed, String> {
    let mut keys: BTreeMap<String, RawJson> = serde_json::from_str(text)
        .map_err(|_| "a tool must be described by a JSON object".to_owned())?;
    let name = string(&mut keys, "name")?.ok_or("missing `name`")?;
    let within = |reason: String| format!("tool `{name}`: {reason}");
    ToolName::for_command(&name).map_err(|err| err.to_string())?;
    let probed = read_rest(name.clone(), &mut keys).map_err(within)?;
    match keys.keys().next() {
        Some(key) => Err(within(format!("unknown key `{key}`"))),
        None => Ok(probed),
    }
}

fn read_rest(name: String, keys: &mut BTreeMap<String, RawJson>) -> Result<Probed, String> {
    Ok(Probed {
        name,
        title: string(keys, "title")?,
        description: string(keys, "description")?,
        keywords: strings(keys, "keywords")?,
        timeout_ms: string(keys, "timeout")?.map(|text| timeout(&text)).transpose()?,
        input_schema: schema(keys, "inputSchema")?.ok_or("missing `inputSchema`")?,
        output_schema: schema(keys, "outputSchema")?,
        annotations: object(keys, "annotations")?.map(|(raw, _)| raw),
        lacks_schema: false,
    })
}

fn present(keys: &mut BTreeMap<String, RawJson>, key: &str) -> Option<(RawJson, Value)> {
    let raw = keys.remove(key)?;
    let value = raw.to_value();
    if value.is_null() { None } else { Some((raw, value)) }
}

fn string(keys: &mut BTreeMap<String, RawJson>, key: &str) -> Result<Option<String>, String> {
    match present(keys, key) {
        None => Ok(None),
        Some((_, Value::String(text))) => Ok(Some(text)),
        Some((_, other)) => Err(format!("`{key}` is {}, not a string", kind(&other))),
    }
}

fn strings(keys: &mut BTreeMap<String, RawJson>, key: &str) -> Result<Vec<String>, String> {
    match present(keys, key) {
        None => Ok(Vec::new()),
        Some((raw, _)) => serde_json::from_str(raw.as_str())
            .map_err(|_| format!("`{key}` is not a list of strings")),
    }
}

fn object(
    keys: &mut BTreeMap<String, RawJson>,
    key: &str,
) -> Result<Option<(RawJson, Value)>, String> {
    match present(keys, key) {
        None => Ok(None),
        Some((raw, value @ Value::Object(_))) => Ok(Some((raw, value))),
        Some((_, other)) => Err(format!("`{key}` is {}, not an object", kind(&other))),
    }
}

fn schema(keys: &mut BTreeMap<String, RawJson>, key: &str) -> Result<Option<RawJson>, String> {
    let Some((raw, value)) = object(keys, key)? else { return Ok(None) };
    match value.get("type") {
        None => Ok(Some(raw)),
        Some(Value::String(kind)) if kind == "object" => Ok(Some(raw)),
        Some(other) => Err(format!("`{key}` has the type {other}; it must be \"object\"")),
    }
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}
