//! Compares arguments with the headers that mirror them. A tool marks such arguments in its schema.

use super::headers::{decoded, differs, malformed, missing};
use crate::mcp::errors;
use serde_json::{Map, Value};
use toolscout_core::RawJson;
use toolscout_core::jsonrpc::RpcError;

/// The keyword that marks a parameter.
const MARK: &str = "x-mcp-header";
const PREFIX: &str = "mcp-param-";
/// Maximum nesting depth of parameters.
const DEEPEST: usize = 64;

/// Compares the headers of a call with its arguments, as the tool's schema requires. The names of
/// `headers` are in lower case. Headers that the schema does not mark are ignored.
pub(in crate::mcp) fn check(
    schema: &RawJson,
    arguments: &Map<String, Value>,
    headers: &[(String, String)],
) -> Result<(), RpcError> {
    if !schema.as_str().contains(MARK) {
        return Ok(());
    }
    let schema = schema.to_value();
    // Objects to visit: their schema, their value, and their depth.
    let mut left = vec![(&schema, Some(arguments), 0)];
    while let Some((schema, object, depth)) = left.pop() {
        let Some(properties) = schema.get("properties").and_then(Value::as_object) else {
            continue;
        };
        for (name, schema) in properties {
            let value = object.and_then(|it| it.get(name)).filter(|it| !it.is_null());
            if let Some(header) = schema.get(MARK).and_then(Value::as_str) {
                compare(header, name, value, headers)?;
            }
            if depth < DEEPEST {
                left.push((schema, value.and_then(Value::as_object), depth + 1));
            }
        }
    }
    Ok(())
}

fn compare(
    header: &str,
    field: &str,
    value: Option<&Value>,
    headers: &[(String, String)],
) -> Result<(), RpcError> {
    let name = format!("{PREFIX}{}", header.to_ascii_lowercase());
    let shown = format!("Mcp-Param-{header}");
    let mut said = headers.iter().filter(|(it, _)| *it == name).map(|(_, it)| it.trim());
    match (said.next(), said.next(), value) {
        (_, Some(_), _) => Err(RpcError::new(errors::HEADERS, format!("`{shown}` is there twice"))),
        (None, _, None) => Ok(()),
        (Some(_), _, None) => Err(differs(&shown, field)),
        // An object or a list has no form in a header. The validation of the arguments reports the
        // wrong type.
        (None, _, Some(Value::Object(_) | Value::Array(_))) => Ok(()),
        (None, _, Some(_)) => Err(missing(&shown)),
        (Some(said), _, Some(value)) => {
            let said = decoded(said).ok_or_else(|| malformed(&shown))?;
            is_same(&said, value).then_some(()).ok_or_else(|| differs(&shown, field))
        }
    }
}

fn is_same(said: &str, value: &Value) -> bool {
    match value {
        Value::String(text) => text == said,
        Value::Bool(it) => said == if *it { "true" } else { "false" },
        // `42.0` equals `42`.
        Value::Number(number) => {
            said == number.to_string()
                || said.parse::<f64>().is_ok_and(|it| number.as_f64() == Some(it) && it.is_finite())
        }
        _ => false,
    }
}
