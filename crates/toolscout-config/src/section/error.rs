//! Errors about a table, with their keys.

use serde::de::{self, Expected, Unexpected};
use serde_json::Value;
use std::fmt;

/// An error about the value of a key. Never quotes the value, unless it is a number or should have
/// been one of a few words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SectionError {
    /// The keys that lead to the value.
    pub(crate) path: Vec<String>,
    /// A sentence whose subject is the key: `is missing`.
    reason: String,
}

/// A key that a struct has no field for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct UnknownKey {
    /// The keys that lead to it, itself last.
    pub(crate) path: Vec<String>,
    pub(crate) nearest: Option<&'static str>,
}

impl UnknownKey {
    pub(crate) fn name(&self) -> &str {
        self.path.last().map_or("", String::as_str)
    }

    /// `; did you mean …?`, if a known key is similar.
    pub(crate) fn suggestion(&self) -> String {
        self.nearest.map(|nearest| format!("; did you mean `{nearest}`?")).unwrap_or_default()
    }
}

impl From<UnknownKey> for SectionError {
    fn from(key: UnknownKey) -> Self {
        let reason = format!("is an unknown key{}", key.suggestion());
        Self { path: key.path, reason }
    }
}

impl SectionError {
    pub(crate) fn wrong_type(value: &Value, expected: &str) -> Self {
        let found = match value {
            Value::Null => "nothing".to_owned(),
            Value::Bool(_) => "true or false".to_owned(),
            Value::Number(number) => format!("`{number}`"),
            Value::String(_) => "a string".to_owned(),
            Value::Array(_) => "a list".to_owned(),
            Value::Object(_) => "a table".to_owned(),
        };
        de::Error::custom(format!("is {found}; it must be {expected}"))
    }

    pub(crate) fn wrong_type_at(key: &str, value: &Value, expected: &str) -> Self {
        Self::wrong_type(value, expected).prefixed(&[key.to_owned()])
    }

    /// The same error for the value at this path, unless its path already starts with it.
    pub(super) fn prefixed(mut self, path: &[String]) -> Self {
        if !self.path.starts_with(path) {
            self.path = path.iter().cloned().chain(self.path).collect();
        }
        self
    }

    /// The keys, for a position in the document.
    pub(crate) fn keys<'a>(&'a self, outer: &'a [String]) -> Vec<&'a str> {
        outer.iter().chain(&self.path).map(String::as_str).collect()
    }
}

impl fmt::Display for SectionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.path.as_slice() {
            [] => write!(f, "it {}", self.reason),
            path => write!(f, "`{}` {}", path.join("."), self.reason),
        }
    }
}

impl std::error::Error for SectionError {}

impl de::Error for SectionError {
    fn custom<T: fmt::Display>(reason: T) -> Self {
        Self { path: Vec::new(), reason: reason.to_string() }
    }

    fn invalid_type(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        let found = match found {
            Unexpected::Bool(value) => Value::Bool(value),
            Unexpected::Unsigned(unsigned) => Value::from(unsigned),
            Unexpected::Signed(signed) => Value::from(signed),
            Unexpected::Float(float) => Value::from(float),
            Unexpected::Seq => Value::Array(Vec::new()),
            Unexpected::Map => Value::Object(Default::default()),
            Unexpected::Unit => Value::Null,
            _ => Value::String(String::new()),
        };
        Self::wrong_type(&found, type_for_users(&expected.to_string()))
    }

    fn invalid_value(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::invalid_type(found, expected)
    }

    fn unknown_variant(value: &str, expected: &'static [&'static str]) -> Self {
        Self::custom(format!("is `{value}`; use {}", alternatives(expected)))
    }

    fn missing_field(field: &'static str) -> Self {
        Self { path: vec![field.to_owned()], reason: "is missing".to_owned() }
    }
}

/// Translates serde's type names into words for users.
fn type_for_users(expected: &str) -> &str {
    match expected {
        "a boolean" => "true or false",
        "path string" => "a string",
        "a sequence" => "a list",
        "a map" => "a table",
        "u64" => "a whole number",
        other => other,
    }
}

/// `a, b or c`.
pub(crate) fn alternatives(words: &[&str]) -> String {
    match words {
        [rest @ .., last] if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
        words => words.join(""),
    }
}
