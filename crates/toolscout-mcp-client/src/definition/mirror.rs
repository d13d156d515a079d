//! Arguments that a tool requires to be mirrored as headers, so that proxies can route by them.

use serde_json::{Map, Value};
use std::collections::HashSet;
use toolscout_core::{Arguments, RawJson};

/// The keyword that marks a parameter.
const MARK: &str = "x-mcp-header";
/// Keys whose value maps names to schemas; the schema's author chooses the names.
const NAMED: [&str; 5] =
    ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"];
/// Keys whose value is never a schema.
const VALUES: [&str; 4] = ["default", "enum", "const", "examples"];
/// The largest integer that JavaScript represents exactly.
const SAFE: u64 = (1 << 53) - 1;

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
pub(crate) fn mirrors(schema: &RawJson) -> Result<Vec<MirroredParameter>, String> {
    if !schema.as_str().contains(MARK) {
        return Ok(Vec::new());
    }
    let schema = schema.to_value();
    let mut found = Vec::new();
    // Subschemas still to visit, each with its path if that consists of `properties` only.
    let mut left = vec![(&schema, Some(Vec::new()))];
    while let Some((place, path)) = left.pop() {
        match place {
            Value::Array(items) => left.extend(items.iter().map(|it| (it, None))),
            Value::Object(schema) => {
                if let Some(mark) = schema.get(MARK) {
                    found.push(marked(mark, schema, path.as_deref())?);
                }
                left.extend(within(schema, path.as_deref()));
            }
            _ => {}
        }
    }
    let mut names = HashSet::new();
    match found.iter().find(|it| !names.insert(it.header.to_ascii_lowercase())) {
        Some(twice) => Err(format!("it wants two arguments mirrored as `{}`", twice.header)),
        None => Ok(found),
    }
}

type SchemaLocation<'a> = (&'a Value, Option<Vec<String>>);

fn within<'a>(schema: &'a Map<String, Value>, path: Option<&[String]>) -> Vec<SchemaLocation<'a>> {
    let mut all = Vec::new();
    for (key, value) in schema {
        let named = value.as_object().filter(|_| NAMED.contains(&key.as_str()));
        match named {
            Some(named) => all.extend(named.iter().map(|(name, value)| {
                let path = path.filter(|_| key == "properties");
                (value, path.map(|it| it.iter().cloned().chain([name.clone()]).collect()))
            })),
            None if VALUES.contains(&key.as_str()) => {}
            None => all.push((value, None)),
        }
    }
    all
}

fn marked(
    mark: &Value,
    schema: &Map<String, Value>,
    path: Option<&[String]>,
) -> Result<MirroredParameter, String> {
    let header = mark.as_str().filter(|it| is_token(it)).ok_or("it wants a header that is none")?;
    let path = path.filter(|it| !it.is_empty());
    let path =
        path.ok_or_else(|| format!("`{header}` is marked where no argument can be told to be"))?;
    match schema.get("type").and_then(Value::as_str) {
        Some("string" | "integer" | "boolean") => {
            Ok(MirroredParameter { header: header.to_owned(), path: path.to_vec() })
        }
        _ => Err(format!(
            "`{header}` is marked on an argument that is no text, whole number or truth value"
        )),
    }
}

/// Whether the text is a valid header name.
fn is_token(text: &str) -> bool {
    !text.is_empty()
        && text.bytes().all(|it| it.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&it))
}

/// The headers for these arguments, with unencoded values. Absent and null arguments are left out.
pub(crate) fn headers(
    mirrors: &[MirroredParameter],
    arguments: &Arguments,
) -> Result<Vec<(String, String)>, String> {
    let mut all = Vec::new();
    for mirror in mirrors {
        let mut path = mirror.path.iter();
        let first = path.next().and_then(|it| arguments.get(it));
        let value = path.fold(first, |value, it| value.and_then(|value| value.get(it)));
        if let Some(text) = value.map(|it| text(it, &mirror.header)).transpose()?.flatten() {
            all.push((mirror.header.clone(), text));
        }
    }
    Ok(all)
}

fn text(value: &Value, header: &str) -> Result<Option<String>, String> {
    Ok(match value {
        Value::String(text) => Some(text.clone()),
        Value::Bool(it) => Some(it.to_string()),
        Value::Number(it) if it.as_i64().is_some_and(|it| it.unsigned_abs() <= SAFE) => {
            Some(it.to_string())
        }
        Value::Number(_) => {
            return Err(format!(
                "the argument mirrored as `{header}` is no whole number that all can hold"
            ));
        }
        // The argument violates the schema, and the server will report that.
        _ => None,
    })
}
