//! Schemas from Rust types: the types of a tool's closure define its input and output.

use super::{CodeTool, RunError, ToolBuilder};
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::marker::PhantomData;
use toolscout_core::{Cx, ToolOutput};

/// A tool whose arguments are a type. The documentation of a field becomes its description in the
/// schema.
///
/// ```
/// use schemars::JsonSchema;
/// use serde::{Deserialize, Serialize};
/// use toolscout_source::{Registry, ToolBuilder};
///
/// #[derive(Deserialize, JsonSchema)]
/// struct Order {
///     /// What to bake
///     cake: String,
///     /// How many
///     #[serde(default)]
///     count: u32,
/// }
///
/// #[derive(Serialize, JsonSchema)]
/// struct Receipt {
///     price: u32,
/// }
///
/// let bake = ToolBuilder::new("bake")?
///     .description("Bake a cake")
///     .typed::<Order>()
///     .answer(|order, _cx| async move { Ok(Receipt { price: order.count * 12 }) });
/// Registry::new().register(bake)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use = "ends with `run` or `answer`"]
pub struct TypedBuilder<T> {
    builder: ToolBuilder,
    arguments_type: PhantomData<fn() -> T>,
}

impl ToolBuilder {
    /// The arguments are this type: their schema is derived from it, and arguments that do not
    /// match it never reach the closure.
    pub fn typed<T: DeserializeOwned + JsonSchema>(self) -> TypedBuilder<T> {
        TypedBuilder {
            builder: self.input_schema(input_schema_of::<T>()),
            arguments_type: PhantomData,
        }
    }
}

impl<T: DeserializeOwned + JsonSchema> TypedBuilder<T> {
    /// The implementation, which returns the result in any form; see [`ToolBuilder::run`].
    pub fn run<F, W>(self, run: F) -> CodeTool
    where
        F: Fn(T, Cx) -> W + Send + Sync + 'static,
        W: Future<Output = Result<ToolOutput, RunError>> + Send + 'static,
    {
        self.builder.run_typed(run)
    }

    /// The implementation, which returns a type. The tool's output schema is derived from it; the
    /// result is structured, and text as well. A type that is no object, such as a number, is
    /// returned as text only, since clients accept only objects as structured content.
    pub fn answer<R, F, W>(self, run: F) -> CodeTool
    where
        R: Serialize + JsonSchema,
        F: Fn(T, Cx) -> W + Send + Sync + 'static,
        W: Future<Output = Result<R, RunError>> + Send + 'static,
    {
        let schema = output_schema_of::<R>();
        let is_object = schema.get("type").and_then(Value::as_str) == Some("object");
        let builder = if is_object { self.builder.output_schema(schema) } else { self.builder };
        builder.run_typed(move |arguments, cx| {
            let work = run(arguments, cx);
            async move {
                let value = serde_json::to_value(work.await?)?;
                Ok(match value {
                    value if is_object => ToolOutput::structured(value),
                    Value::String(text) => ToolOutput::text(text),
                    value => ToolOutput::text(value.to_string()),
                })
            }
        })
    }
}

fn input_schema_of<T: JsonSchema>() -> Value {
    let mut schema = schema::<T>(SchemaSettings::draft2020_12().for_deserialize());
    if let Value::Object(map) = &mut schema {
        // Arguments are always an object; the schema of an enum describes its variants but lacks
        // the type.
        map.entry("type").or_insert_with(|| "object".into());
    }
    schema
}

fn output_schema_of<T: JsonSchema>() -> Value {
    schema::<T>(SchemaSettings::draft2020_12().for_serialize())
}

/// Inlines subschemas if they are not recursive, since many clients do not resolve references, and
/// drops the title: the name of a Rust type is of no use to a client.
fn schema<T: JsonSchema>(mut settings: SchemaSettings) -> Value {
    settings.inline_subschemas = true;
    settings.meta_schema = None;
    let mut schema = settings.into_generator().into_root_schema_for::<T>().to_value();
    if let Value::Object(map) = &mut schema {
        map.shift_remove("title");
    }
    schema
}
