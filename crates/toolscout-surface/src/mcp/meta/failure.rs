//! Error messages that a model can act on. They are tool results, never bare protocol errors.

use super::{example, schema};
use crate::cli::nearest;
use crate::output::json::compact;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use toolscout_core::{Arguments, RawJson, Tool, ToolOutput, escape};
use toolscout_gateway::{Error, Violation};

/// Characters of a tool name that are repeated; the model may have written anything.
const MAX_NAME: usize = 200;
/// Maximum size in bytes of a schema fragment that is shown.
const MAX_FRAGMENT: usize = 1_000;
/// Maximum number of violations that are listed.
const MAX_VIOLATIONS: usize = 8;

/// The error for a name that leads to no tool, or to a tool that may not be used.
pub(crate) fn not_found(name: &str, error: &Error) -> ToolOutput {
    let Error::UnknownTool { nearest: similar, .. } = error else { return error_output(error) };
    let shown: String = escape::line(name).chars().take(MAX_NAME).collect();
    let mut texts =
        vec![format!("Tool not found: {shown}. Use tool_search to discover available tools.")];
    if !similar.is_empty() {
        let similar: Vec<_> =
            similar.iter().map(|item| format!("`{}`", escape::line(&item.to_string()))).collect();
        texts.push(format!("Did you mean {}?", similar.join(" or ")));
    }
    failure_output(&texts)
}

/// The error of a call of this tool.
pub(crate) fn failure(tool: &Tool, error: &Error) -> ToolOutput {
    with_given(tool, error, &Arguments::new())
}

/// The same, with the given arguments. The example repeats the valid ones.
pub(super) fn with_given(tool: &Tool, error: &Error, given: &Arguments) -> ToolOutput {
    match error {
        Error::InvalidArguments { violations, .. } => {
            failure_output(&[describe_violations(tool, violations, given)])
        }
        other => error_output(other),
    }
}

/// The error for a meta tool that is called through `execute_tool`.
pub(super) fn recursion(name: &str) -> ToolOutput {
    ToolOutput::failure(format!("execute_tool cannot run {name}. Call {name} itself."))
}

/// The error for arguments that are not an object.
pub(super) fn no_object(tool: &Tool) -> ToolOutput {
    let schema = tool.input_schema.to_value();
    let text = "The arguments must be an object with a key for each parameter.";
    failure_output(&[format!(
        "{text}\nExample: {}",
        example_call(tool, &schema, &[], &Arguments::new())
    )])
}

fn error_output(error: &Error) -> ToolOutput {
    match error.hint() {
        Some(hint) => ToolOutput::failure(format!("{error}\nhint: {}", escape::text(&hint))),
        None => ToolOutput::failure(error.to_string()),
    }
}

fn failure_output(texts: &[String]) -> ToolOutput {
    match texts {
        [only] => ToolOutput::failure(only.as_str()),
        several => {
            let content: Vec<_> =
                several.iter().map(|text| json!({"type": "text", "text": text})).collect();
            let raw = RawJson::from_value(&json!({"content": content, "isError": true}));
            ToolOutput::from_raw(raw).unwrap_or_else(|_| ToolOutput::failure(several.join("\n")))
        }
    }
}

/// Lists each violation with its place and schema, and adds an example of a valid call.
fn describe_violations(tool: &Tool, violations: &[Violation], given: &Arguments) -> String {
    let schema = tool.input_schema.to_value();
    let mut text = format!("Invalid arguments for `{}`:", escape::line(&tool.id.to_string()));
    let mut shown = BTreeSet::new();
    for violation in violations.iter().take(MAX_VIOLATIONS) {
        let path = path(violation);
        text += &format!(
            "\n- {}{}",
            describe_violation(violation, &path),
            similar_argument(&schema, violation, given)
        );
        if shown.insert(path.clone()) {
            text += &fragment(&schema, &path);
        }
    }
    if violations.len() > MAX_VIOLATIONS {
        text += &format!("\n- and {} more", violations.len() - MAX_VIOLATIONS);
    }
    let paths: Vec<_> = violations.iter().map(path).collect();
    let wrong: Vec<_> = paths.iter().filter_map(|path| path.split('/').nth(1)).collect();
    format!("{text}\nExample: {}", example_call(tool, &schema, &wrong, given))
}

/// The place of a violation; for a missing property, the place where it belongs.
fn path(violation: &Violation) -> String {
    match &violation.missing {
        Some(name) => format!("{}/{}", violation.path, name.replace('~', "~0").replace('/', "~1")),
        None => violation.path.clone(),
    }
}

fn describe_violation(violation: &Violation, path: &str) -> String {
    let parameter =
        path.rsplit('/').next().unwrap_or_default().replace("~1", "/").replace("~0", "~");
    let (parameter, location) = (escape::line(&parameter), escape::line(path));
    match (&violation.missing, path) {
        (Some(_), _) => format!("`{parameter}` is required and missing (at {location})"),
        (None, "") => escape::line(&violation.message).into_owned(),
        (None, _) => format!("`{parameter}`: {} (at {location})", escape::line(&violation.message)),
    }
}

/// Names a given but unknown argument that resembles the missing one.
fn similar_argument(root: &Value, violation: &Violation, given: &Arguments) -> String {
    let Some(missing) = violation.missing.as_deref().filter(|_| violation.path.is_empty()) else {
        return String::new();
    };
    let unknown = given
        .keys()
        .map(String::as_str)
        .filter(|name| schema::property(root, root, name).is_none());
    match nearest(missing, unknown) {
        Some(name) => format!("; you passed `{}`", escape::line(name)),
        None => String::new(),
    }
}

/// The schema at this place, abbreviated if it is too long.
fn fragment(root: &Value, path: &str) -> String {
    let Some(part) = schema::at_pointer(root, path).filter(|_| !path.is_empty()) else {
        return String::new();
    };
    match compact(part) {
        text if text.len() <= MAX_FRAGMENT => format!("\n  schema: {text}"),
        _ => {
            let brief: serde_json::Map<_, _> = ["type", "format", "minimum", "maximum", "required"]
                .iter()
                .filter_map(|item| Some(((*item).to_owned(), part.get(*item)?.clone())))
                .collect();
            match compact(&brief) {
                text if text.len() <= MAX_FRAGMENT => format!("\n  schema, in part: {text}"),
                _ => String::new(),
            }
        }
    }
}

fn example_call(tool: &Tool, schema: &Value, wrong: &[&str], given: &Arguments) -> String {
    compact(
        &json!({"name": tool.id.to_string(), "arguments": example::arguments(schema, wrong, given)}),
    )
}
