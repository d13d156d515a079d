//! The main function of a Python module: its signature and its docstring.

use super::python_types;
use super::scan::{bracketed, literal, split, split_once};
use super::{FunctionParameter, MainFunction, schema_of};
use crate::described::DescribedTool;
use serde_json::Value;
use std::collections::HashMap;

/// Names of functions that are the tool of their module, besides the name of the file.
const FUNCTIONS: [&str; 3] = ["execute", "run", "handler"];
/// Names of module variables that hold the input schema.
const SCHEMAS: [&str; 4] = ["schema", "SCHEMA", "input_schema", "INPUT_SCHEMA"];

/// Reads the main function; `None` if the module has none, declares its tools itself, or is a
/// program of its own.
pub(super) fn read(stem: &str, text: &str) -> Option<MainFunction> {
    if ["@tool", "TOOLS", "__main__"].iter().any(|word| text.contains(word)) {
        return None;
    }
    let own = stem.replace(|c: char| !c.is_alphanumeric(), "_");
    let names = std::iter::once(own.as_str()).chain(FUNCTIONS);
    let (signature, body) = names.filter_map(|name| function(text, name)).next()?;
    let doc = Docstring::parse(docstring(body).unwrap_or_default());
    let takes_whole_input = {
        let all = split(signature, &[',']);
        let own: Vec<&&str> = all.iter().filter(|text| !is_context(text)).collect();
        matches!(own.as_slice(), [only] if is_whole_input(only))
    };
    let has_schema = takes_whole_input || SCHEMAS.iter().any(|name| has_variable(text, name));
    let parameters: Vec<FunctionParameter> =
        split(signature, &[',']).into_iter().filter_map(|text| parameter(text, &doc)).collect();
    let description = doc.description.clone();
    let tool = DescribedTool {
        name: stem.to_owned(),
        description,
        input_schema: (!has_schema).then(|| schema_of(parameters)),
        ..DescribedTool::default()
    };
    let is_complete = tool.description.is_some();
    Some(MainFunction { tool, positional: None, is_complete })
}

/// The parameters and the text after the signature of a function at the top level.
fn function<'a>(text: &'a str, name: &str) -> Option<(&'a str, &'a str)> {
    let forms = [format!("def {name}("), format!("async def {name}(")];
    let at = forms.iter().find_map(|form| {
        let at_start = text.starts_with(form.as_str()).then_some(0);
        let at = at_start.or_else(|| text.find(&format!("\n{form}")).map(|at| at + 1))?;
        Some(at + form.len() - 1)
    })?;
    let (signature, end) = bracketed(text, at)?;
    let colon = end + text[end..].find(":\n").or_else(|| text[end..].find(":\r\n"))?;
    Some((signature, &text[colon + 1..]))
}

/// Whether the module assigns this variable at the top level.
fn has_variable(text: &str, name: &str) -> bool {
    text.lines().any(|line| {
        line.strip_prefix(name).is_some_and(|rest| rest.trim_start().starts_with(['=', ':']))
    })
}

fn docstring(body: &str) -> Option<&str> {
    let body = body.trim_start();
    let body = body.strip_prefix('r').unwrap_or(body);
    for quote in ["\"\"\"", "'''", "\"", "'"] {
        if let Some(rest) = body.strip_prefix(quote) {
            return rest.split_once(quote).map(|(inside, _)| inside);
        }
    }
    None
}

fn parameter(text: &str, doc: &Docstring) -> Option<FunctionParameter> {
    let (declared, default) = split_once(text, '=');
    let (name, hint) = split_once(declared, ':');
    if name.starts_with('*') || name == "/" || is_context(text) {
        return None;
    }
    let mut schema = hint.map(python_types::schema).unwrap_or_default();
    if let Some(description) = doc.parameters.get(name) {
        schema.entry("description").or_insert_with(|| description.as_str().into());
    }
    if let Some(value) = default.and_then(literal).filter(|value| !value.is_null()) {
        if hint.is_none() {
            schema.extend(kind_of(&value).map(|kind| ("type".to_owned(), kind.into())));
        }
        schema.insert("default".to_owned(), value);
    }
    Some(FunctionParameter { name: name.to_owned(), schema, required: default.is_none() })
}

fn is_context(text: &str) -> bool {
    let (name, hint) = split_once(split_once(text, '=').0, ':');
    match hint {
        Some(hint) => hint.ends_with("Context"),
        None => matches!(name, "context" | "ctx"),
    }
}

/// Whether a parameter is the input object itself. The Python shim has the same rule.
fn is_whole_input(text: &str) -> bool {
    let (declared, default) = split_once(text, '=');
    let (name, hint) = split_once(declared, ':');
    let is_object = hint.is_none_or(|hint| hint.starts_with("dict") || hint.starts_with("Dict"));
    let names = ["input", "args", "arguments", "params", "options", "data"];
    default.is_none() && is_object && names.contains(&name)
}

fn kind_of(value: &Value) -> Option<&'static str> {
    match value {
        Value::String(_) => Some("string"),
        Value::Bool(_) => Some("boolean"),
        Value::Number(number) if number.is_f64() => Some("number"),
        Value::Number(_) => Some("integer"),
        Value::Array(_) => Some("array"),
        Value::Object(_) => Some("object"),
        Value::Null => None,
    }
}

/// The first paragraph, and the descriptions of parameters: an `Args:` section, or `:param x:`.
#[derive(Debug, Default)]
struct Docstring {
    description: Option<String>,
    parameters: HashMap<String, String>,
}

impl Docstring {
    fn parse(text: &str) -> Self {
        let mut doc = Self::default();
        let first = text.trim().split("\n\n").next().unwrap_or_default();
        let words: Vec<&str> = first.split_whitespace().collect();
        let first = words.join(" ");
        let is_section = first.starts_with(':') || first.starts_with("Args:");
        doc.description = Some(first).filter(|text| !text.is_empty() && !is_section);
        let mut last: Option<(usize, String)> = None;
        let mut in_arguments = false;
        for line in text.lines() {
            let (depth, line) = (line.len() - line.trim_start().len(), line.trim());
            if let Some(rest) = line.strip_prefix(":param ") {
                let (name, description) = rest.split_once(':').unwrap_or((rest, ""));
                let name = name.rsplit(' ').next().unwrap_or(name);
                doc.parameters.insert(name.to_owned(), description.trim().to_owned());
            } else if line.ends_with(':') && !line.contains(' ') {
                in_arguments = matches!(line, "Args:" | "Arguments:" | "Parameters:");
                last = None;
            } else if in_arguments && !line.is_empty() {
                match &last {
                    Some((indent, name)) if depth > *indent => {
                        let known = doc.parameters.entry(name.clone()).or_default();
                        *known = format!("{known} {line}").trim().to_owned();
                    }
                    _ => {
                        let Some((name, description)) = line.split_once(':') else { continue };
                        let name = name.split('(').next().unwrap_or(name).trim().to_owned();
                        doc.parameters.insert(name.clone(), description.trim().to_owned());
                        last = Some((depth, name));
                    }
                }
            }
        }
        doc
    }
}
