//! One argument of a tool, described without writing JSON Schema.

use serde_json::{Map, Value};

/// One argument: its name, description and type. Optional unless [`Param::required`] is called.
///
/// Runs of whitespace in the description become one space, so that it may be written over several
/// lines of code.
#[derive(Debug, Clone, PartialEq)]
pub struct Param {
    name: String,
    required: bool,
    schema: Map<String, Value>,
}

impl Param {
    /// A text.
    pub fn string(name: impl Into<String>, description: &str) -> Self {
        Self::of_type("string", name, description)
    }

    /// A number, with or without a fraction.
    pub fn number(name: impl Into<String>, description: &str) -> Self {
        Self::of_type("number", name, description)
    }

    /// A whole number.
    pub fn integer(name: impl Into<String>, description: &str) -> Self {
        Self::of_type("integer", name, description)
    }

    /// True or false.
    pub fn boolean(name: impl Into<String>, description: &str) -> Self {
        Self::of_type("boolean", name, description)
    }

    /// A list; `item` describes its elements, and the name of `item` is not used.
    pub fn array_of(name: impl Into<String>, description: &str, item: Self) -> Self {
        Self::of_type("array", name, description).with("items", Value::Object(item.schema))
    }

    /// An object with its own fields and no others; without any field, an object that may have all.
    pub fn object(
        name: impl Into<String>,
        description: &str,
        fields: impl IntoIterator<Item = Self>,
    ) -> Self {
        let mut param = Self::of_type("object", name, description);
        let fields: Vec<_> = fields.into_iter().collect();
        if fields.is_empty() {
            return param.with("additionalProperties", true);
        }
        param.schema.extend(object_schema(fields));
        param
    }

    /// Makes the argument required. A required string must not be empty; see
    /// [`Param::allow_empty`].
    pub fn required(self) -> Self {
        Self { required: true, ..self }
    }

    /// Allows a required string to be empty, such as the new content of a file.
    pub fn allow_empty(self) -> Self {
        self.with("minLength", 0)
    }

    /// Limits the value to these.
    pub fn one_of<T: Into<Value>>(self, values: impl IntoIterator<Item = T>) -> Self {
        let values: Vec<Value> = values.into_iter().map(Into::into).collect();
        self.with("enum", values)
    }

    /// The default value.
    pub fn default(self, value: impl Into<Value>) -> Self {
        self.with("default", value)
    }

    /// Limits the value to this range, both ends included.
    pub fn range<T: Into<Value>>(self, from: T, to: T) -> Self {
        self.with("minimum", from).with("maximum", to)
    }

    /// Any other JSON Schema keyword, such as `format`, `pattern` or `minLength`.
    pub fn with(mut self, keyword: impl Into<String>, value: impl Into<Value>) -> Self {
        self.schema.insert(keyword.into(), value.into());
        self
    }

    fn of_type(kind: &str, name: impl Into<String>, description: &str) -> Self {
        let param =
            Self { name: name.into(), required: false, schema: Map::new() }.with("type", kind);
        let description = collapse_whitespace(description);
        if description.is_empty() { param } else { param.with("description", description) }
    }
}

/// The text with one space for every run of whitespace, and none at its ends.
pub(super) fn collapse_whitespace(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The schema of an object with exactly these fields, in this order.
pub(super) fn object_schema(fields: impl IntoIterator<Item = Param>) -> Map<String, Value> {
    let mut properties = Map::new();
    let mut required: Vec<String> = Vec::new();
    for Param { name, required: is_required, schema } in fields {
        required.retain(|item| *item != name);
        if is_required {
            required.push(name.clone());
        }
        properties.insert(name, Value::Object(schema));
    }
    let mut schema = Map::new();
    schema.insert("type".to_owned(), "object".into());
    schema.insert("properties".to_owned(), properties.into());
    if !required.is_empty() {
        schema.insert("required".to_owned(), required.into());
    }
    schema.insert("additionalProperties".to_owned(), false.into());
    schema
}
