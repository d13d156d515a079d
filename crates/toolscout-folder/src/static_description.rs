//! The description that a script or module contains as text, read without running it.
//!
//! Four forms exist, and the first that a file has is used: comment lines that start with `tool:`
//! (see [`super::header`]), YAML front matter in the first comment, a JSDoc comment of a JavaScript
//! or TypeScript function, and the signature and docstring of a Python function.

mod front_matter;
mod javascript;
mod jsdoc;
mod python;
mod python_types;
mod scan;
mod types;

#[cfg(test)]
mod tests;

use super::described::DescribedTool;
use super::header::{self, ToolHeader};
use super::parameters::object_schema;
use serde_json::{Map, Value, json};
use std::path::Path;
use toolscout_core::RawJson;

/// Reads the description of a file; `None` if it has none. The error is a reason for the user.
pub(super) fn read(name: &str, text: &str) -> Result<Option<ToolHeader>, String> {
    if let Some(header) = header::read(text)? {
        return Ok(Some(header));
    }
    if let Some(header) = front_matter::read(stem(name), text)? {
        return Ok(Some(header));
    }
    let described = main_function(name, text).filter(|function| function.is_complete);
    Ok(described.map(|function| ToolHeader { tool: function.tool, ..ToolHeader::default() }))
}

/// What the shim of a runtime cannot see in a loaded module: the name, description and schema in
/// its comments, and the names of the parameters that a function takes one by one.
pub(super) fn for_shim(file: &Path, text: &str) -> Value {
    let name = file.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
    let function = main_function(&name, text);
    let positional = function.as_ref().and_then(|function| function.positional.clone());
    let described = header::read(text)
        .ok()
        .flatten()
        .or_else(|| front_matter::read(stem(&name), text).ok().flatten())
        .map(|header| header.tool);
    let from_comments = function.map(|function| function.tool);
    let (first, second) = match described {
        Some(described) => (described, from_comments.unwrap_or_default()),
        None => (from_comments.unwrap_or_default(), DescribedTool::default()),
    };
    let schema = first.input_schema.or(second.input_schema);
    json!({
        "name": Some(first.name).filter(|name| !name.is_empty()),
        "title": first.title.or(second.title),
        "description": first.description.or(second.description),
        "keywords": if first.keywords.is_empty() { second.keywords } else { first.keywords },
        "inputSchema": schema.as_ref().map(RawJson::to_value),
        "positional": positional,
    })
}

/// The function that is the tool of a module.
#[derive(Debug, Default)]
struct MainFunction {
    tool: DescribedTool,
    /// The parameters that are passed one by one; `None` if the function takes one object.
    positional: Option<Vec<String>>,
    /// Whether the comment describes the tool well enough to list it without a probe.
    is_complete: bool,
}

fn main_function(name: &str, text: &str) -> Option<MainFunction> {
    if name.ends_with(".py") {
        python::read(stem(name), text)
    } else {
        super::runtime::is_module(name).then(|| javascript::read(stem(name), text)).flatten()
    }
}

/// A parameter of a function, as its signature and its comment describe it.
#[derive(Debug, Clone, Default, PartialEq)]
struct FunctionParameter {
    name: String,
    schema: Map<String, Value>,
    required: bool,
}

/// The schema of an object with these parameters.
fn schema_of(parameters: Vec<FunctionParameter>) -> RawJson {
    let required = parameters.iter().filter(|parameter| parameter.required);
    let required: Vec<String> = required.map(|parameter| parameter.name.clone()).collect();
    let properties = parameters
        .into_iter()
        .map(|parameter| (parameter.name, Value::Object(parameter.schema)))
        .collect();
    RawJson::from_value(&object_schema(properties, &required))
}

/// A file name without its extension.
pub(super) fn stem(name: &str) -> &str {
    name.rsplit_once('.').map_or(name, |(stem, _)| stem)
}
