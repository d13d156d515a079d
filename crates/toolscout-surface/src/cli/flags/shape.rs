//! The type of flag for a schema, and the conversion of typed text to its value.

use super::schemas::{Schemas, alternatives};
use crate::cli::ValueKind;
use crate::cli::value::{self, Reason, scalar_text};
use serde_json::{Map, Value};

/// The maximum nesting of alternatives; deeper ones become [`Shape::Any`].
const MAX_DEPTH: u8 = 6;

/// The type of a flag's value.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Shape {
    Text,
    Integer,
    Number,
    Switch,
    /// One of these values, each with its typed form.
    Choice(Vec<(String, Value)>),
    /// JSON of one of these types, or plain text if text is one of them.
    Any(Types),
    /// An object without known properties, or nested too deeply for flags of its own.
    JsonObject,
    JsonArray,
    /// The flag may be repeated, once per item.
    List(Box<Shape>),
    /// An object with properties: flattened, not a flag itself.
    Object,
}

impl Shape {
    pub(super) fn from_schema(schemas: &Schemas, schema: &Value) -> Self {
        Self::at_depth(schemas, schema, 0)
    }

    /// Whether items of this shape can be separated by commas.
    pub(super) fn is_scalar(&self) -> bool {
        matches!(self, Self::Text | Self::Integer | Self::Number | Self::Switch | Self::Choice(_))
    }

    fn at_depth(schemas: &Schemas, schema: &Value, depth: u8) -> Self {
        let Value::Object(map) = schemas.resolve(schema) else { return Self::Any(Types::ALL) };
        if let Some(choices) = choices(schemas, map, depth).filter(|choice| !choice.is_empty()) {
            return Self::Choice(choices);
        }
        let types = Types::from_schema(schemas, map, depth);
        match types.without_null() {
            Types::TEXT => Self::Text,
            Types::INTEGER => Self::Integer,
            Types::NUMBER | Types::NUMERIC => Self::Number,
            Types::BOOLEAN => Self::Switch,
            Types::OBJECT if schemas.properties(schema).is_empty() => Self::JsonObject,
            Types::OBJECT => Self::Object,
            Types::ARRAY => Self::list(schemas, map, depth),
            _ => Self::Any(types),
        }
    }

    fn list(schemas: &Schemas, map: &Map<String, Value>, depth: u8) -> Self {
        // Nested lists are JSON anyway; a deeper look would follow a recursive schema.
        if map.contains_key("prefixItems") || depth > 0 {
            return Self::JsonArray;
        }
        let item = map
            .get("items")
            .map_or(Self::Any(Types::ALL), |items| Self::at_depth(schemas, items, depth + 1));
        Self::List(Box::new(if item == Self::Object { Self::JsonObject } else { item }))
    }

    /// Parses the typed value.
    pub(super) fn parse(&self, text: &str) -> Result<Value, (ValueKind, Reason)> {
        let number = |value: Option<_>, kind| value.map(Value::Number).ok_or((kind, None));
        let json = |kind| value::json(kind, text).map_err(|reason| (kind, reason));
        match self {
            Self::Text => Ok(text.into()),
            Self::Integer => number(value::integer(text), ValueKind::Integer),
            Self::Number => number(value::number(text), ValueKind::Number),
            Self::Switch => text.parse().map(Value::Bool).map_err(|_| (ValueKind::Switch, None)),
            Self::Choice(choices) => {
                let chosen = choices.iter().find(|(typed, _)| typed == text);
                chosen.map(|(_, value)| value.clone()).ok_or((ValueKind::Text, None))
            }
            Self::Any(types) => types.parse(text),
            Self::JsonArray | Self::List(_) => json(ValueKind::JsonArray),
            Self::JsonObject | Self::Object => json(ValueKind::JsonObject),
        }
    }

    /// Parses the items of one typed text: one item, or those of a JSON array, unless the items
    /// are arrays.
    pub(super) fn parse_items(&self, text: &str) -> Result<Vec<Value>, (ValueKind, Reason)> {
        let spreads =
            matches!(self, Self::JsonObject | Self::Any(_)) && text.trim_start().starts_with('[');
        match value::json(ValueKind::JsonArray, text) {
            Ok(Value::Array(items)) if spreads => Ok(items),
            _ => self.parse(text).map(|value| vec![value]),
        }
    }
}

/// A set of JSON types. Null is ignored when a flag's shape is chosen: a nullable value may be
/// left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Types(u8);

impl Types {
    const NONE: Self = Self(0);
    const TEXT: Self = Self(1);
    const INTEGER: Self = Self(2);
    const NUMBER: Self = Self(4);
    const NUMERIC: Self = Self(6);
    const BOOLEAN: Self = Self(8);
    const OBJECT: Self = Self(16);
    const ARRAY: Self = Self(32);
    const NULL: Self = Self(64);
    pub(super) const ALL: Self = Self(127);

    fn from_schema(schemas: &Schemas, map: &Map<String, Value>, depth: u8) -> Self {
        match map.get("type") {
            Some(Value::String(name)) => Self::union([Self::from_name(name)].into_iter()),
            Some(Value::Array(names)) => {
                Self::union(names.iter().map(|name| Self::from_name(name.as_str().unwrap_or(""))))
            }
            _ if map.contains_key("properties") || map.contains_key("additionalProperties") => {
                Self::OBJECT
            }
            _ if map.contains_key("items") || map.contains_key("prefixItems") => Self::ARRAY,
            _ if depth >= MAX_DEPTH => Self::ALL,
            _ => {
                let each = alternatives(map, "anyOf").chain(alternatives(map, "oneOf"));
                Self::union(each.map(|each| Self::from_alternative(schemas, each, depth + 1)))
            }
        }
    }

    fn from_alternative(schemas: &Schemas, schema: &Value, depth: u8) -> Self {
        let Value::Object(map) = schemas.resolve(schema) else { return Self::ALL };
        let listed =
            map.get("enum").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        match Self::union(listed.iter().chain(map.get("const")).map(Self::from_value)) {
            Self::ALL => Self::from_schema(schemas, map, depth),
            types => types,
        }
    }

    /// The union; all types if it is empty or has only null.
    fn union(each: impl Iterator<Item = Self>) -> Self {
        let all = each.fold(Self::NONE, |all, each| Self(all.0 | each.0));
        if all.without_null() == Self::NONE { Self::ALL } else { all }
    }

    fn without_null(self) -> Self {
        Self(self.0 & !Self::NULL.0)
    }

    fn from_name(name: &str) -> Self {
        match name {
            "string" => Self::TEXT,
            "integer" => Self::INTEGER,
            "number" => Self::NUMBER,
            "boolean" => Self::BOOLEAN,
            "object" => Self::OBJECT,
            "array" => Self::ARRAY,
            "null" => Self::NULL,
            _ => Self::ALL,
        }
    }

    fn from_value(value: &Value) -> Self {
        match value {
            Value::Null => Self::NULL,
            Value::Bool(_) => Self::BOOLEAN,
            Value::Number(number) if number.is_f64() => Self::NUMBER,
            Value::Number(_) => Self::NUMERIC,
            Value::String(_) => Self::TEXT,
            Value::Array(_) => Self::ARRAY,
            Value::Object(_) => Self::OBJECT,
        }
    }

    fn has(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// JSON if its type matches; otherwise the text itself, unless it is clearly malformed
    /// JSON.
    fn parse(self, text: &str) -> Result<Value, (ValueKind, Reason)> {
        let looks_like_json = || {
            let structured = self.has(Self::OBJECT) || self.has(Self::ARRAY);
            structured && text.trim_start().starts_with(['{', '['])
        };
        match value::json(ValueKind::Json, text) {
            Ok(value) if self.has(Self::from_value(&value)) => Ok(value),
            Err(reason) if looks_like_json() => Err((ValueKind::Json, reason)),
            _ if self.has(Self::TEXT) => Ok(text.into()),
            Ok(_) => Err((self.kind(), None)),
            Err(reason) => Err((self.kind(), reason)),
        }
    }

    fn kind(self) -> ValueKind {
        match self.without_null() {
            Self::OBJECT => ValueKind::JsonObject,
            Self::ARRAY => ValueKind::JsonArray,
            _ => ValueKind::Json,
        }
    }
}

/// The values a schema lists, each with its spelling; `None` if it lists none, or some that
/// cannot be typed.
fn choices(schemas: &Schemas, map: &Map<String, Value>, depth: u8) -> Option<Vec<(String, Value)>> {
    if let Some(only) = map.get("const") {
        return scalar_text(only.clone()).map(|text| vec![(text, only.clone())]);
    }
    if let Some(Value::Array(all)) = map.get("enum") {
        let all = all.iter().filter(|item| !item.is_null());
        return all.map(|value| Some((scalar_text(value.clone())?, value.clone()))).collect();
    }
    let each: Vec<_> = alternatives(map, "oneOf").chain(alternatives(map, "anyOf")).collect();
    if each.is_empty() || depth >= MAX_DEPTH {
        return None;
    }
    let mut found = Vec::new();
    for schema in each {
        found.extend(choices(schemas, schemas.resolve(schema).as_object()?, depth + 1)?);
    }
    Some(found)
}
