//! Compares arguments with the headers that mirror them. A tool marks such arguments in its schema.

use super::headers::{decode, differs, malformed, missing};
use crate::mcp::errors;
use serde_json::{Map, Value};
use toolscout_core::RawJson;
use toolscout_core::jsonrpc::RpcError;

/// The keyword that marks a parameter.
const MARK: &str = "x-mcp-header";
const PREFIX: &str = "mcp-param-";
/// Maximum nesting depth of parameters.
const MAX_DEPTH: usize = 64;

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
    let mut pending = vec![(&schema, Some(arguments), 0)];
    while let Some((schema, object, depth)) = pending.pop() {
        let Some(properties) = schema.get("properties").and_then(Value::as_object) else {
            continue;
        };
        for (name, schema) in properties {
            let value = object.and_then(|object| object.get(name)).filter(|value| !value.is_null());
            if let Some(header) = schema.get(MARK).and_then(Value::as_str) {
                compare(header, name, value, headers)?;
            }
            if depth < MAX_DEPTH {
                pending.push((schema, value.and_then(Value::as_object), depth + 1));
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
    let header_name = format!("Mcp-Param-{header}");
    let mut sent =
        headers.iter().filter(|(header, _)| *header == name).map(|(_, text)| text.trim());
    match (sent.next(), sent.next(), value) {
        (_, Some(_), _) => {
            Err(RpcError::new(errors::HEADERS, format!("duplicate `{header_name}` header")))
        }
        (None, _, None) => Ok(()),
        (Some(_), _, None) => Err(differs(&header_name, field)),
        // An object or a list has no form in a header. The validation of the arguments reports the
        // wrong type.
        (None, _, Some(Value::Object(_) | Value::Array(_))) => Ok(()),
        (None, _, Some(_)) => Err(missing(&header_name)),
        (Some(sent), _, Some(value)) => {
            let sent = decode(sent).ok_or_else(|| malformed(&header_name))?;
            is_same(&sent, value).then_some(()).ok_or_else(|| differs(&header_name, field))
        }
    }
}

fn is_same(sent: &str, value: &Value) -> bool {
    match value {
        Value::String(text) => text == sent,
        Value::Bool(value) => sent == if *value { "true" } else { "false" },
        // `42.0` equals `42`.
        Value::Number(number) => {
            sent == number.to_string()
                || sent
                    .parse::<f64>()
                    .is_ok_and(|value| number.as_f64() == Some(value) && value.is_finite())
        }
        _ => false,
    }
}
