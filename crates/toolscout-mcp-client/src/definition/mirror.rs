//! Arguments that a tool requires to be mirrored as headers, so that proxies can route by them.

use serde_json::{Map, Value};
use std::collections::HashSet;
use toolscout_core::{Arguments, RawJson};

/// The keyword that marks a parameter.
const HEADER_KEYWORD: &str = "x-mcp-header";
/// Keys whose value maps names to schemas; the schema's author chooses the names.
const SCHEMA_MAPS: [&str; 5] =
    ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"];
/// Keys whose value is never a schema.
const VALUE_KEYWORDS: [&str; 4] = ["default", "enum", "const", "examples"];
/// The largest integer that JavaScript represents exactly.
const MAX_SAFE_INTEGER: u64 = (1 << 53) - 1;

/// A parameter to mirror.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct MirroredParameter {
    /// The header's name without `Mcp-Param-`.
    pub(crate) header: String,
    /// The property names that lead to the argument.
    pub(crate) path: Vec<String>,
}

/// The parameters that a schema requires to be mirrored. Returns an error if a mark is misplaced or
/// is not a valid header name: such a tool must not be used over HTTP.
pub(crate) fn mirrored_parameters(schema: &RawJson) -> Result<Vec<MirroredParameter>, String> {
    if !schema.as_str().contains(HEADER_KEYWORD) {
        return Ok(Vec::new());
    }
    let schema = schema.to_value();
    let mut found = Vec::new();
    // Subschemas still to visit, each with its path if that consists of `properties` only.
    let mut to_visit = vec![(&schema, Some(Vec::new()))];
    while let Some((value, path)) = to_visit.pop() {
        match value {
            Value::Array(items) => to_visit.extend(items.iter().map(|item| (item, None))),
            Value::Object(schema) => {
                if let Some(keyword_value) = schema.get(HEADER_KEYWORD) {
                    found.push(marked_parameter(keyword_value, schema, path.as_deref())?);
                }
                to_visit.extend(subschemas(schema, path.as_deref()));
            }
            _ => {}
        }
    }
    let mut names = HashSet::new();
    match found.iter().find(|parameter| !names.insert(parameter.header.to_ascii_lowercase())) {
        Some(duplicate) => {
            Err(format!("two of its arguments have the `x-mcp-header` `{}`", duplicate.header))
        }
        None => Ok(found),
    }
}

type SchemaLocation<'a> = (&'a Value, Option<Vec<String>>);

fn subschemas<'a>(
    schema: &'a Map<String, Value>,
    path: Option<&[String]>,
) -> Vec<SchemaLocation<'a>> {
    let mut found = Vec::new();
    for (key, value) in schema {
        let named = value.as_object().filter(|_| SCHEMA_MAPS.contains(&key.as_str()));
        match named {
            Some(named) => found.extend(named.iter().map(|(name, value)| {
                let path = path.filter(|_| key == "properties");
                (value, path.map(|path| path.iter().cloned().chain([name.clone()]).collect()))
            })),
            None if VALUE_KEYWORDS.contains(&key.as_str()) => {}
            None => found.push((value, None)),
        }
    }
    found
}

fn marked_parameter(
    keyword_value: &Value,
    schema: &Map<String, Value>,
    path: Option<&[String]>,
) -> Result<MirroredParameter, String> {
    let header = keyword_value
        .as_str()
        .filter(|keyword_value| is_token(keyword_value))
        .ok_or("its `x-mcp-header` is not a valid header name")?;
    let path = path.filter(|path| !path.is_empty());
    let path = path
        .ok_or_else(|| format!("its `x-mcp-header` `{header}` does not belong to one argument"))?;
    match schema.get("type").and_then(Value::as_str) {
        Some("string" | "integer" | "boolean") => {
            Ok(MirroredParameter { header: header.to_owned(), path: path.to_vec() })
        }
        _ => Err(format!(
            "its `x-mcp-header` `{header}` belongs to an argument that is not a string, integer or boolean"
        )),
    }
}

/// Whether the text is a valid header name.
fn is_token(header_text: &str) -> bool {
    !header_text.is_empty()
        && header_text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte))
}

/// The headers for these arguments, with unencoded values. Absent and null arguments are left out.
pub(crate) fn headers(
    mirrored_parameters: &[MirroredParameter],
    arguments: &Arguments,
) -> Result<Vec<(String, String)>, String> {
    let mut found = Vec::new();
    for mirror in mirrored_parameters {
        let mut path = mirror.path.iter();
        let first = path.next().and_then(|path| arguments.get(path));
        let value = path.fold(first, |value, path| value.and_then(|value| value.get(path)));
        if let Some(header_text) =
            value.map(|value| header_text(value, &mirror.header)).transpose()?.flatten()
        {
            found.push((mirror.header.clone(), header_text));
        }
    }
    Ok(found)
}

fn header_text(value: &Value, header: &str) -> Result<Option<String>, String> {
    Ok(match value {
        Value::String(header_text) => Some(header_text.clone()),
        Value::Bool(value) => Some(value.to_string()),
        Value::Number(value)
            if value.as_i64().is_some_and(|number| number.unsigned_abs() <= MAX_SAFE_INTEGER) =>
        {
            Some(value.to_string())
        }
        Value::Number(_) => {
            return Err(format!(
                "the argument for header `{header}` is not an integer of at most 53 bits"
            ));
        }
        // The argument violates the schema, and the server will report that.
        _ => None,
    })
}
