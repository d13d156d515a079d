//! JSON Schema of what routes take and give, all from their types.

use super::OperationError;
use crate::operation::{inline_string_enums, schema_settings};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::{Map, Value};
use std::sync::OnceLock;
use toolscout_core::{RawJson, SourceId, Tool, ToolId, ToolName};
use toolscout_gateway::{ArgumentValidator, Error};

/// Has a type described, among others or alone.
pub(super) type Describe = fn(&mut SchemaGenerator) -> Schema;

/// What a part of a request must be like: described to others, and checked here.
pub(super) struct Shape {
    pub(super) describe: Describe,
    part: &'static str,
    check: OnceLock<Result<ArgumentValidator, String>>,
    alone: OnceLock<Value>,
}

impl Shape {
    /// Of this part of a request: `the body`, `the query`.
    pub(super) fn of<T: JsonSchema>(part: &'static str) -> Self {
        Self {
            describe: |generator| generator.subschema_for::<T>(),
            part,
            check: OnceLock::new(),
            alone: OnceLock::new(),
        }
    }

    /// What came, with defaults filled in; or everything that is wrong with it.
    pub(super) fn check(&self, came: Map<String, Value>) -> Result<Map<String, Value>, OperationError> {
        let check = self.check.get_or_init(|| read(self.describe)).as_ref();
        let checked = check.map_err(|it| OperationError::invalid(it.clone()))?.arguments(came);
        checked.map_err(|error| match error {
            Error::InvalidArguments { violations, .. } => OperationError::violations(self.part, &violations),
            other => other.into(),
        })
    }

    /// The schema alone, with nothing to look up elsewhere.
    pub(super) fn alone(&self) -> &Value {
        self.alone.get_or_init(|| alone(self.describe))
    }
}

/// Described in full at its place.
fn alone(describe: Describe) -> Value {
    let mut schema =
        describe(&mut schema_settings().with(|it| it.inline_subschemas = true).into_generator()).to_value();
    inline_string_enums(&mut schema);
    schema
}

/// Tools have their arguments checked within limits, and so have we.
fn read(describe: Describe) -> Result<ArgumentValidator, String> {
    let name = ToolName::new("request").map_err(|it| it.to_string())?;
    let schema = RawJson::from_value(&alone(describe));
    let tool = Tool { input_schema: schema, ..Tool::new(ToolId::new(SourceId::app(), name)) };
    ArgumentValidator::of(&tool).map_err(|it| it.to_string())
}
