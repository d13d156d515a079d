//! JSON Schemas of inputs and outputs, generated from their types.

use super::OperationError;
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::{Map, Value, json};
use std::sync::OnceLock;
use toolscout_core::{RawJson, SourceId, Tool, ToolId, ToolName};
use toolscout_gateway::{ArgumentValidator, Error};

/// The query parameter of a dry run.
pub(crate) const DRY_RUN: &str = "dryRun";

/// The schema of an output: described on request, as part of a document.
#[derive(Clone, Copy)]
pub(crate) struct OutputSchema(fn(&mut SchemaGenerator) -> Schema);

impl OutputSchema {
    pub(crate) fn for_type<T: JsonSchema>() -> Self {
        Self(|generator| generator.subschema_for::<T>())
    }

    pub(crate) fn describe(self, generator: &mut SchemaGenerator) -> Value {
        (self.0)(generator).to_value()
    }

    /// The whole schema, without references.
    pub(crate) fn inlined(self) -> Value {
        inlined(self.0, schema_settings().for_serialize())
    }
}

/// The schema of an input: published to clients, and used to check requests.
pub(crate) struct InputSchema {
    describe: fn(&mut SchemaGenerator) -> Schema,
    inlined: OnceLock<Value>,
    query: OnceLock<Value>,
    check: OnceLock<Result<ArgumentValidator, String>>,
}

impl InputSchema {
    pub(crate) fn for_type<T: JsonSchema>() -> Self {
        let describe = |generator: &mut SchemaGenerator| generator.subschema_for::<T>();
        Self { describe, inlined: OnceLock::new(), query: OnceLock::new(), check: OnceLock::new() }
    }

    /// The input with its defaults filled in, or every violation of the schema.
    pub(crate) fn check(
        &self,
        part: &str,
        input: Map<String, Value>,
    ) -> Result<Map<String, Value>, OperationError> {
        let check = self.check.get_or_init(|| compile(self.inlined())).as_ref();
        let checked = check.map_err(OperationError::invalid)?.arguments(input);
        checked.map_err(|error| match error {
            Error::InvalidArguments { violations, .. } => {
                OperationError::violations(part, &violations)
            }
            other => other.into(),
        })
    }

    /// Whether the input has a field of this name.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.inlined()["properties"].get(name).is_some()
    }

    /// The whole schema with `dryRun` added: the allowed parameters of a query string.
    pub(crate) fn query(&self) -> &Value {
        self.query.get_or_init(|| {
            let mut schema = self.inlined().clone();
            schema["properties"][DRY_RUN] = json!({"type": "boolean"});
            schema
        })
    }

    /// The whole schema, without references.
    pub(crate) fn inlined(&self) -> &Value {
        self.inlined.get_or_init(|| inlined(self.describe, schema_settings()))
    }

    /// The whole schema without the extensions for the command line.
    pub(crate) fn for_programs(&self) -> Value {
        let mut schema = self.inlined().clone();
        if let Some(object) = schema.as_object_mut() {
            object.retain(|key, _| !matches!(key.as_str(), "title" | "x-cli-rest"));
        }
        let properties = schema.get_mut("properties").and_then(Value::as_object_mut);
        for property in
            properties.into_iter().flat_map(Map::values_mut).filter_map(Value::as_object_mut)
        {
            property.shift_remove("x-cli");
        }
        schema
    }
}

fn inlined(describe: fn(&mut SchemaGenerator) -> Schema, settings: SchemaSettings) -> Value {
    let mut generator =
        settings.with(|settings| settings.inline_subschemas = true).into_generator();
    let mut schema = describe(&mut generator).to_value();
    inline_string_enums(&mut schema);
    schema
}

/// Settings shared by all generated schemas.
pub(crate) fn schema_settings() -> SchemaSettings {
    SchemaSettings::draft2020_12().with(|settings| settings.meta_schema = None)
}

/// Turns `oneOf` of described string constants into a plain `enum`: violations then name the
/// allowed values.
pub(crate) fn inline_string_enums(schema: &mut Value) {
    match schema {
        Value::Object(map) => {
            let is_constants =
                |variants: &[Value]| variants.iter().all(|variant| variant["const"].is_string());
            let variants = map
                .get("oneOf")
                .and_then(Value::as_array)
                .filter(|variants| is_constants(variants));
            if let Some(variants) = variants {
                let values: Vec<_> =
                    variants.iter().map(|variant| variant["const"].clone()).collect();
                map.shift_remove("oneOf");
                map.insert("type".to_owned(), "string".into());
                map.insert("enum".to_owned(), values.into());
            }
            map.values_mut().for_each(inline_string_enums);
        }
        Value::Array(all) => all.iter_mut().for_each(inline_string_enums),
        _ => {}
    }
}

/// Compiles a validator. Inputs of operations are checked by the same code, and within the same
/// limits, as arguments of tools.
fn compile(schema: &Value) -> Result<ArgumentValidator, String> {
    let name = ToolName::new("input").map_err(|error| error.to_string())?;
    let tool = Tool {
        input_schema: RawJson::from_value(schema),
        ..Tool::new(ToolId::new(SourceId::app(), name))
    };
    ArgumentValidator::new(&tool).map_err(|error| error.to_string())
}
