//! The short form of parameter descriptions: a name, a type and a few words each, converted to a
//! JSON Schema.
//!
//! Tool files (`[[parameters]]`), manifests (`args`) and headers (`param …`) all use it, so a type
//! word has the same meaning everywhere: `string number integer boolean object array`, `array:` and
//! one of them for its items, and the short forms `int float bool`. The author's order is
//! preserved.

use super::document::{did_you_mean, type_name};
use serde_json::{Map, Value, json};
use toolscout_core::RawJson;

/// One validated parameter.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Parameter {
    name: String,
    required: bool,
    schema: Map<String, Value>,
}

/// JSON Schema keywords that may accompany a type word; they are passed on as written.
const KEYWORDS: [&str; 24] = [
    "title",
    "description",
    "enum",
    "const",
    "default",
    "examples",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minLength",
    "maxLength",
    "pattern",
    "format",
    "items",
    "minItems",
    "maxItems",
    "uniqueItems",
    "properties",
    "additionalProperties",
    "minProperties",
    "maxProperties",
    "deprecated",
];

const TYPES: [&str; 9] =
    ["string", "number", "integer", "boolean", "object", "array", "int", "float", "bool"];

impl Parameter {
    /// Validates one parameter; the error is a reason for the user that names it.
    pub(super) fn new(name: &str, keys: Map<String, Value>) -> Result<Self, String> {
        if name.trim().is_empty() {
            return Err("a parameter name is empty".to_owned());
        }
        Self::checked(name, keys).map_err(|reason| format!("parameter `{name}`: {reason}"))
    }

    /// The name.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Gives it another name.
    pub(super) fn rename(&mut self, name: String) {
        self.name = name;
    }

    /// Limits a text to this pattern, unless it has choices or a pattern of its own. Refuses lists
    /// and objects: they are passed as JSON, which contains any text.
    pub(super) fn limit_text(&mut self, pattern: &str) -> Result<(), String> {
        let word = self.schema.get("type").and_then(Value::as_str).unwrap_or_default();
        if matches!(word, "array" | "object") {
            return Err(format!("parameter `{}`: its type cannot be {word} here", self.name));
        }
        let is_limited = ["enum", "pattern"].iter().any(|key| self.schema.contains_key(*key));
        if word == "string" && !is_limited {
            self.schema.insert("pattern".into(), pattern.into());
        }
        Ok(())
    }

    fn checked(name: &str, mut keys: Map<String, Value>) -> Result<Self, String> {
        let required = match keys.shift_remove("required") {
            None => false,
            Some(Value::Bool(value)) => value,
            Some(other) => {
                return Err(format!(
                    "`required` is {}; it must be true or false",
                    type_name(&other)
                ));
            }
        };
        let mut schema = match keys.shift_remove("type") {
            None => typed("string")?,
            Some(Value::String(word)) => typed(&word)?,
            Some(other) => {
                return Err(format!(
                    "`type` is {}; it must be a word such as `string`",
                    type_name(&other)
                ));
            }
        };
        for (key, value) in keys {
            if !KEYWORDS.contains(&key.as_str()) {
                let known: Vec<&str> =
                    KEYWORDS.iter().copied().chain(["type", "required", "name"]).collect();
                return Err(format!("unknown key `{key}`{}", did_you_mean(&key, &known)));
            }
            schema.insert(key, value);
        }
        fits(&schema)?;
        Ok(Self { name: name.to_owned(), required, schema })
    }
}

/// The schema of an object with these parameters, in this order.
pub(super) fn input_schema(parameters: Vec<Parameter>) -> Result<RawJson, String> {
    let mut properties = Map::new();
    let mut required = Vec::new();
    for parameter in parameters {
        if properties.contains_key(&parameter.name) {
            return Err(format!("duplicate parameter `{}`", parameter.name));
        }
        if parameter.required {
            required.push(parameter.name.clone());
        }
        properties.insert(parameter.name, Value::Object(parameter.schema));
    }
    Ok(RawJson::from_value(&object_schema(properties, &required)))
}

/// The schema of an object with these properties.
pub(super) fn object_schema(properties: Map<String, Value>, required: &[String]) -> Value {
    let mut schema = json!({"type": "object", "properties": properties});
    if !required.is_empty() {
        schema["required"] = required.into();
    }
    schema
}

/// The schema for a type word.
pub(super) fn typed(word: &str) -> Result<Map<String, Value>, String> {
    let mut schema = Map::new();
    if let Some(items) = word.strip_prefix("array:") {
        if items.matches(':').count() > 4 {
            return Err("`type` nests arrays too deep".to_owned());
        }
        schema.insert("type".into(), "array".into());
        schema.insert("items".into(), typed(items)?.into());
        return Ok(schema);
    }
    let word = match word {
        "int" => "integer",
        "float" => "number",
        "bool" => "boolean",
        word if TYPES.contains(&word) => word,
        _ => {
            let nearest = did_you_mean(word, &TYPES);
            let hint = if nearest.is_empty() { ";" } else { &nearest };
            let valid = TYPES.join(", ");
            return Err(format!("`{word}` is not a type{hint} valid types: {valid}, array:TYPE"));
        }
    };
    schema.insert("type".into(), word.into());
    Ok(schema)
}

/// Checks that `enum` and `default` match the type. A default that no call could pass is a mistake
/// of the author.
fn fits(schema: &Map<String, Value>) -> Result<(), String> {
    let choices = match schema.get("enum") {
        None => None,
        Some(Value::Array(choices)) if !choices.is_empty() => Some(choices),
        Some(Value::Array(_)) => return Err("`enum` is empty".to_owned()),
        Some(other) => return Err(format!("`enum` is {}; it must be a list", type_name(other))),
    };
    let word = schema.get("type").and_then(Value::as_str).unwrap_or_default();
    if let Some(choice) = choices.into_iter().flatten().find(|choice| !is_a(word, choice)) {
        return Err(format!("`enum` contains `{choice}`, which is not of type {word}"));
    }
    let Some(default) = schema.get("default") else { return Ok(()) };
    if !default.is_null() && !is_a(word, default) {
        return Err(format!("`default` is `{default}`, which is not of type {word}"));
    }
    if choices.is_some_and(|choices| !choices.contains(default)) {
        return Err(format!("`default` is `{default}`, which is not in `enum`"));
    }
    Ok(())
}

fn is_a(word: &str, value: &Value) -> bool {
    match word {
        "string" => value.is_string(),
        "number" => value.is_number(),
        "integer" => {
            value.is_i64()
                || value.is_u64()
                || value.as_f64().is_some_and(|value| value.fract() == 0.0)
        }
        "boolean" => value.is_boolean(),
        "object" => value.is_object(),
        "array" => value.is_array(),
        _ => true,
    }
}
