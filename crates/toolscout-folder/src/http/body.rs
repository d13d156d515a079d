//! Fills the arguments of a call into a request body, escaped for its format.

use super::address::encode;
use crate::template::{self, TemplatePart};
use reqwest::header::HeaderValue;
use serde_json::Value;
use toolscout_core::Arguments;

/// A request body, with the content type to send if the recipe sets none.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Body {
    pub(super) text: String,
    pub(super) kind: Option<&'static str>,
}

/// A JSON body.
pub(super) fn json(value: &Value) -> Body {
    Body { text: value.to_string(), kind: Some("application/json") }
}

/// Fills the template. In JSON, a string that consists of a placeholder becomes the argument
/// itself, so that no argument can break out of its quotes. In a form, values are percent-encoded.
/// In all other formats they are inserted unchanged.
pub(super) fn fill(
    template: &str,
    arguments: &Arguments,
    kind: Option<&HeaderValue>,
) -> Result<Body, String> {
    let kind = kind.and_then(|kind| kind.to_str().ok()).unwrap_or_default().to_ascii_lowercase();
    if kind.contains("x-www-form-urlencoded") {
        return Ok(fill_text(template, arguments, |value| encode(&template::text(value))));
    }
    let looks_like_json =
        template.trim_start().starts_with(['{', '[']) && template::parts(template.trim()).len() > 1;
    if !kind.contains("json") && !looks_like_json {
        return Ok(fill_text(template, arguments, |value| template::text(value).into_owned()));
    }
    let tree = serde_json::from_str(&quote_placeholders(template));
    let tree = tree.map_err(|err| format!("the tool's body template is not JSON: {err}"))?;
    Ok(json(&fill_json(tree, arguments).unwrap_or(Value::Null)))
}

/// Adds quotes around unquoted placeholders, so that the template is valid JSON before it is
/// filled.
fn quote_placeholders(template: &str) -> String {
    let mut out = String::new();
    let mut in_string = false;
    for part in template::parts(template) {
        match part {
            TemplatePart::Text(text) => {
                in_string ^= quotes(text) % 2 == 1;
                out += text;
            }
            TemplatePart::Placeholder(name) if in_string => out += &format!("{{{name}}}"),
            TemplatePart::Placeholder(name) => out += &format!("\"{{{name}}}\""),
        }
    }
    out
}

/// The number of quotes that open or close a string.
fn quotes(text: &str) -> usize {
    let mut escaped = false;
    text.chars()
        .filter(|c| {
            let counts = *c == '"' && !escaped;
            escaped = *c == '\\' && !escaped;
            counts
        })
        .count()
}

fn fill_text(template: &str, arguments: &Arguments, to_text: impl Fn(&Value) -> String) -> Body {
    let mut text = String::new();
    for part in template::parts(template) {
        match part {
            TemplatePart::Text(literal) => text += literal,
            TemplatePart::Placeholder(name) => {
                text += &template::find(arguments, name).map(&to_text).unwrap_or_default()
            }
        }
    }
    Body { text, kind: None }
}

/// Fills the strings of a tree; a value whose argument is absent is omitted.
fn fill_json(value: Value, arguments: &Arguments) -> Option<Value> {
    match value {
        Value::String(text) => match template::parts(&text).as_slice() {
            [TemplatePart::Placeholder(name)] => template::find(arguments, name).cloned(),
            parts => template::fill(parts, arguments).map(Value::String),
        },
        Value::Array(items) => {
            Some(items.into_iter().filter_map(|item| fill_json(item, arguments)).collect())
        }
        Value::Object(map) => Some(
            map.into_iter()
                .filter_map(|(key, item)| Some((key, fill_json(item, arguments)?)))
                .collect(),
        ),
        other => Some(other),
    }
}
