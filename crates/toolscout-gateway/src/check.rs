//! Checks arguments against a tool's JSON Schema before anything starts.

mod plain;

#[cfg(test)]
mod tests;

use crate::{Error, defaults};
use jsonschema::error::ValidationErrorKind;
use jsonschema::{Draft, PatternOptions, ValidationError, Validator};
use serde_json::Value;
use std::fmt;
use toolscout_core::{Arguments, Tool, ToolId, escape};

const MAX_SCHEMA_BYTES: usize = 64 * 1024;
const MAX_SCHEMA_NODES: usize = 5_000;
/// Errors shown at most; an argument list that is wrong in more places than this is not read further.
const MAX_VIOLATIONS: usize = 20;

/// A tool's schema, ready to check arguments.
pub struct Check {
    tool: ToolId,
    schema: Value,
}

/// One thing that is wrong with the arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    /// Where: a JSON pointer, empty for the arguments as a whole.
    pub path: String,
    /// What: for people.
    pub message: String,
    /// The name of the argument that is missing, where that is what is wrong.
    pub missing: Option<String>,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.path.as_str() {
            "" => write!(f, "{}", escape::line(&self.message)),
            path => write!(f, "`{}`: {}", escape::line(path.trim_start_matches('/')), escape::line(&self.message)),
        }
    }
}

impl Check {
    /// Reads the tool's schema, within limits.
    pub fn of(tool: &Tool) -> Result<Self, Error> {
        let unusable = |reason: String| Error::InvalidSchema { tool: tool.id.clone(), reason };
        let text = tool.input_schema.as_str();
        if text.len() > MAX_SCHEMA_BYTES {
            return Err(unusable(format!("it has {} bytes; at most {MAX_SCHEMA_BYTES} are allowed", text.len())));
        }
        let schema = tool.input_schema.to_value();
        if !schema.is_object() {
            return Err(unusable("it is not a JSON object".to_owned()));
        }
        if nodes(&schema) > MAX_SCHEMA_NODES {
            return Err(unusable(format!("it has more than {MAX_SCHEMA_NODES} nodes")));
        }
        Ok(Self { tool: tool.id.clone(), schema })
    }

    /// The arguments with defaults filled in, or everything that is wrong with them.
    pub fn arguments(&self, mut arguments: Arguments) -> Result<Arguments, Error> {
        defaults::fill(&self.schema, &mut arguments);
        let value = Value::Object(arguments);
        let violations = if plain::surely_fits(&self.schema, &value) { Vec::new() } else { self.violations(&value)? };
        match value {
            Value::Object(arguments) if violations.is_empty() => Ok(arguments),
            _ => Err(Error::InvalidArguments { tool: self.tool.clone(), violations }),
        }
    }

    fn violations(&self, value: &Value) -> Result<Vec<Violation>, Error> {
        let unusable = |reason| Error::InvalidSchema { tool: self.tool.clone(), reason };
        let validator = validator(&self.schema).map_err(unusable)?;
        Ok(validator.iter_errors(value).take(MAX_VIOLATIONS).map(|it| violation(&it)).collect())
    }
}

/// Nothing is ever fetched: a `$ref` that leaves the schema is an error.
fn validator(schema: &Value) -> Result<Validator, String> {
    jsonschema::options()
        .with_draft(Draft::Draft202012)
        .offline()
        .should_ignore_unknown_formats(true)
        // An engine that runs in linear time: a hostile pattern costs nothing.
        .with_pattern_options(PatternOptions::regex().size_limit(1 << 20).dfa_size_limit(1 << 20))
        .build(schema)
        .map_err(|error| error.to_string())
}

fn violation(error: &ValidationError<'_>) -> Violation {
    let missing = match error.kind() {
        ValidationErrorKind::Required { property } => property.as_str().map(str::to_owned),
        _ => None,
    };
    Violation { path: error.instance_path().to_string(), message: error.masked_with("the value").to_string(), missing }
}

/// Counts values without recursion: hostile schemas are deep.
fn nodes(value: &Value) -> usize {
    let (mut count, mut open) = (0, vec![value]);
    while let Some(value) = open.pop() {
        count += 1;
        match value {
            Value::Array(items) => open.extend(items),
            Value::Object(map) => open.extend(map.values()),
            _ => {}
        }
    }
    count
}
