//! Checks arguments against a tool's JSON Schema before anything starts, and results when they
//! come.

mod cost;
#[cfg(any(test, fuzzing))]
pub(crate) mod fuzz;
mod pattern;
mod plain;
mod schema;
mod survey;
mod unrolled;

#[cfg(test)]
mod tests;

use crate::{Error, defaults};
use schema::Schema;
use serde_json::Value;
use std::fmt;
use toolscout_core::{Arguments, RawJson, Tool, ToolId, ToolOutput, escape};

/// A tool's schema, ready to check arguments.
pub struct ArgumentValidator {
    tool: ToolId,
    schema: Schema,
}

/// One thing that is wrong with the arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    /// The location: a JSON pointer, empty for the arguments as a whole.
    pub path: String,
    /// A message for the user.
    pub message: String,
    /// The name of the missing argument, if that is the violation.
    pub missing: Option<String>,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.path.as_str() {
            "" => write!(f, "{}", escape::line(&self.message)),
            path => write!(
                f,
                "`{}`: {}",
                escape::line(path.trim_start_matches('/')),
                escape::line(&self.message)
            ),
        }
    }
}

impl ArgumentValidator {
    /// Reads the tool's schema, within limits.
    pub fn new(tool: &Tool) -> Result<Self, Error> {
        Self::read(tool).map_err(|reason| Error::InvalidSchema { tool: tool.id.clone(), reason })
    }

    /// As [`ArgumentValidator::new`]; the error describes the problem with the schema.
    pub(crate) fn read(tool: &Tool) -> Result<Self, String> {
        Ok(Self { tool: tool.id.clone(), schema: Schema::read(&tool.input_schema)? })
    }

    /// The arguments with defaults filled in, or everything that is wrong with them.
    pub fn arguments(&self, mut arguments: Arguments) -> Result<Arguments, Error> {
        defaults::fill(self.schema.value(), &mut arguments);
        let value = Value::Object(arguments);
        let violations = self.schema.violations(&value);
        let violations = violations
            .map_err(|reason| Error::InvalidSchema { tool: self.tool.clone(), reason })?;
        match value {
            Value::Object(arguments) if violations.is_empty() => Ok(arguments),
            _ => Err(Error::InvalidArguments { tool: self.tool.clone(), violations }),
        }
    }
}

/// A tool's output schema, ready to check results.
pub(crate) struct OutputValidator(Result<Schema, String>);

impl OutputValidator {
    pub(crate) fn read(schema: &RawJson) -> Self {
        Self(Schema::read(schema))
    }

    /// Mismatches between a result and the output schema, one sentence each, safe to display.
    pub(crate) fn mismatches(&self, output: &ToolOutput) -> Vec<String> {
        // The output schema does not apply to error results.
        if output.is_error() {
            return Vec::new();
        }
        let Some(result) = output.structured_content() else {
            return vec![
                "the tool has an output schema, but its result has no structured content"
                    .to_owned(),
            ];
        };
        match self.0.as_ref().map_err(Clone::clone).and_then(|value| value.violations(&result)) {
            Ok(violations) => violations
                .iter()
                .map(|violation| {
                    format!("the result does not match the output schema: {violation}")
                })
                .collect(),
            Err(reason) => {
                vec![format!(
                    "the result was not checked against the output schema: {}",
                    escape::line(&reason)
                )]
            }
        }
    }
}
