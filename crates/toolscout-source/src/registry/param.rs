//! One argument of a tool, said in words instead of JSON Schema.

use serde_json::{Map, Value};

/// One argument: its name, what it is for, and what it may be. Optional until [`Param::required`] is said.
#[derive(Debug, Clone, PartialEq)]
pub struct Param {
    name: String,
    required: bool,
    schema: Map<String, Value>,
}

impl Param {
    /// A text.
    pub fn string(name: impl Into<String>, about: &str) -> Self {
        Self::of("string", name, about)
    }

    /// A number, with or without a fraction.
    pub fn number(name: impl Into<String>, about: &str) -> Self {
        Self::of("number", name, about)
    }

    /// A whole number.
    pub fn integer(name: impl Into<String>, about: &str) -> Self {
        Self::of("integer", name, about)
    }

    /// True or false.
    pub fn boolean(name: impl Into<String>, about: &str) -> Self {
        Self::of("boolean", name, about)
    }

    /// A list; `item` says what is in it, and its name is only for who reads the code.
    pub fn array_of(name: impl Into<String>, about: &str, item: Self) -> Self {
        Self::of("array", name, about).with("items", Value::Object(item.schema))
    }

    /// An object with fields of its own.
    pub fn object(name: impl Into<String>, about: &str, fields: impl IntoIterator<Item = Self>) -> Self {
        let mut param = Self::of("object", name, about);
        param.schema.extend(object_schema(fields));
        param
    }

    /// A call without it is refused.
    pub fn required(self) -> Self {
        Self { required: true, ..self }
    }

    /// One of these values and no other.
    pub fn one_of<T: Into<Value>>(self, values: impl IntoIterator<Item = T>) -> Self {
        let values: Vec<Value> = values.into_iter().map(Into::into).collect();
        self.with("enum", values)
    }

    /// What it is when nobody says.
    pub fn default(self, value: impl Into<Value>) -> Self {
        self.with("default", value)
    }

    /// From and up to these numbers, both included.
    pub fn range<T: Into<Value>>(self, from: T, to: T) -> Self {
        self.with("minimum", from).with("maximum", to)
    }

    /// Any other word of JSON Schema, such as `format`, `pattern` or `minLength`.
    pub fn with(mut self, word: impl Into<String>, value: impl Into<Value>) -> Self {
        self.schema.insert(word.into(), value.into());
        self
    }

    fn of(kind: &str, name: impl Into<String>, about: &str) -> Self {
        let param = Self { name: name.into(), required: false, schema: Map::new() }.with("type", kind);
        if about.is_empty() { param } else { param.with("description", about) }
    }
}

/// The schema of an object with these fields, in this order.
pub(super) fn object_schema(fields: impl IntoIterator<Item = Param>) -> Map<String, Value> {
    let mut properties = Map::new();
    let mut required: Vec<String> = Vec::new();
    for Param { name, required: is_required, schema } in fields {
        required.retain(|it| *it != name);
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
    schema
}
