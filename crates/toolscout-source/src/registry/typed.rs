//! Schemas from Rust types: what a tool takes and gives is said once, by the types its closure works with.

use super::{CodeTool, RunError, ToolBuilder};
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::marker::PhantomData;
use toolscout_core::{Cx, ToolOutput};

/// A tool whose arguments are a type. What the type's documentation says about a field, the schema says too.
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
    takes: PhantomData<fn() -> T>,
}

impl ToolBuilder {
    /// The arguments are this type: their schema is derived from it, and what does not fit it never gets to the closure.
    pub fn typed<T: DeserializeOwned + JsonSchema>(self) -> TypedBuilder<T> {
        TypedBuilder { builder: self.input_schema(input::<T>()), takes: PhantomData }
    }
}

impl<T: DeserializeOwned + JsonSchema> TypedBuilder<T> {
    /// What does the work, and says the result in whatever form; see [`ToolBuilder::run`].
    pub fn run<F, W>(self, run: F) -> CodeTool
    where
        F: Fn(T, Cx) -> W + Send + Sync + 'static,
        W: Future<Output = Result<ToolOutput, RunError>> + Send + 'static,
    {
        self.builder.run_typed(run)
    }

    /// What does the work, and gives a type: its schema is that of the tool's result, which is structured, with the same as
    /// text beside it. A type that is no object, such as a number, is given as text only, since clients take no other.
    pub fn answer<R, F, W>(self, run: F) -> CodeTool
    where
        R: Serialize + JsonSchema,
        F: Fn(T, Cx) -> W + Send + Sync + 'static,
        W: Future<Output = Result<R, RunError>> + Send + 'static,
    {
        let schema = output::<R>();
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

fn input<T: JsonSchema>() -> Value {
    let mut schema = schema::<T>(SchemaSettings::draft2020_12().for_deserialize());
    if let Value::Object(map) = &mut schema {
        // Arguments are always an object; a type of several forms says what each has, and not that.
        map.entry("type").or_insert_with(|| "object".into());
    }
    schema
}

fn output<T: JsonSchema>() -> Value {
    schema::<T>(SchemaSettings::draft2020_12().for_serialize())
}

/// Written out in place, where that ends, since many clients follow no references; and without what only says how it was
/// made: the name of a type means nothing to who calls the tool.
fn schema<T: JsonSchema>(mut settings: SchemaSettings) -> Value {
    settings.inline_subschemas = true;
    settings.meta_schema = None;
    let mut schema = settings.into_generator().into_root_schema_for::<T>().to_value();
    if let Value::Object(map) = &mut schema {
        map.shift_remove("title");
    }
    schema
}
