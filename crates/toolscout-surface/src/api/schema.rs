//! JSON Schema of what routes take and give, all from their types.

use super::Trouble;
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::{Map, Value};
use std::sync::OnceLock;
use toolscout_core::{RawJson, SourceId, Tool, ToolId, ToolName};
use toolscout_gateway::{Check, Error};

/// Has a type described, among others or alone.
pub(super) type Describe = fn(&mut SchemaGenerator) -> Schema;

/// What a part of a request must be like: described to others, and checked here.
pub(super) struct Shape {
    pub(super) describe: Describe,
    part: &'static str,
    check: OnceLock<Result<Check, String>>,
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
    pub(super) fn check(&self, came: Map<String, Value>) -> Result<Map<String, Value>, Trouble> {
        let check = self.check.get_or_init(|| read(self.describe)).as_ref();
        let checked = check.map_err(|it| Trouble::invalid(it.clone()))?.arguments(came);
        checked.map_err(|error| match error {
            Error::InvalidArguments { violations, .. } => Trouble::violations(self.part, &violations),
            other => other.into(),
        })
    }

    /// The schema alone, with nothing to look up elsewhere.
    pub(super) fn alone(&self) -> &Value {
        self.alone.get_or_init(|| alone(self.describe))
    }
}

/// How all types are described.
pub(super) fn settings() -> SchemaSettings {
    SchemaSettings::draft2020_12().with(|it| it.meta_schema = None)
}

/// A choice of words that are each described is as good as a list of words, and what is wrong is told by name then.
pub(super) fn plain(schema: &mut Value) {
    match schema {
        Value::Object(map) => {
            let is_words = |it: &[Value]| it.iter().all(|it| it["const"].is_string());
            if let Some(words) = map.get("oneOf").and_then(Value::as_array).filter(|it| is_words(it)) {
                let words: Vec<_> = words.iter().map(|it| it["const"].clone()).collect();
                map.shift_remove("oneOf");
                map.insert("type".to_owned(), "string".into());
                map.insert("enum".to_owned(), words.into());
            }
            map.values_mut().for_each(plain);
        }
        Value::Array(all) => all.iter_mut().for_each(plain),
        _ => {}
    }
}

/// Described in full at its place.
fn alone(describe: Describe) -> Value {
    let mut schema = describe(&mut settings().with(|it| it.inline_subschemas = true).into_generator()).to_value();
    plain(&mut schema);
    schema
}

/// Tools have their arguments checked within limits, and so have we.
fn read(describe: Describe) -> Result<Check, String> {
    let name = ToolName::new("request").map_err(|it| it.to_string())?;
    let schema = RawJson::from_value(&alone(describe));
    let tool = Tool { input_schema: schema, ..Tool::new(ToolId::new(SourceId::app(), name)) };
    Check::of(&tool).map_err(|it| it.to_string())
}
