//! Parses TOML, JSON and YAML into one tree, strictly: a duplicate key is an error, and each error
//! contains its position.

use serde::de::{self, Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};
use std::fmt;

/// The format of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ToolFileFormat {
    Toml,
    Json,
    Yaml,
}

/// The document as a tree, with keys in the author's order; `None` if it is empty. The error is a
/// reason for the user, with line and column.
pub(super) fn parse(format: ToolFileFormat, bytes: &[u8]) -> Result<Option<Value>, String> {
    let text = text(bytes)?;
    if text.trim().is_empty() {
        return Ok(None);
    }
    let StrictValue(value) = match format {
        ToolFileFormat::Toml => toml::from_str(text).map_err(|err| toml_reason(text, &err))?,
        ToolFileFormat::Json => serde_json::from_str(text).map_err(|err| err.to_string())?,
        ToolFileFormat::Yaml => yaml(text)?,
    };
    let is_empty = value.is_null() || value.as_object().is_some_and(Map::is_empty);
    Ok(if is_empty { None } else { Some(value) })
}

/// The bytes as text, if they are valid UTF-8 without a byte order mark.
pub(super) fn text(bytes: &[u8]) -> Result<&str, String> {
    if bytes.starts_with(b"\xef\xbb\xbf") {
        return Err("it starts with a byte order mark; save it as UTF-8 without one".to_owned());
    }
    let text = std::str::from_utf8(bytes).map_err(|err| {
        let (line, column) = position(bytes, err.valid_up_to());
        format!("it is not UTF-8 at line {line} column {column}")
    })?;
    match bytes.iter().position(|byte| *byte == 0) {
        None => Ok(text),
        Some(at) => {
            let (line, column) = position(bytes, at);
            Err(format!("it has a NUL byte at line {line} column {column}"))
        }
    }
}

/// Line and column, both starting at one; the column counts bytes.
fn position(bytes: &[u8], at: usize) -> (usize, usize) {
    let before = &bytes[..at.min(bytes.len())];
    let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
    let column = before.iter().rev().take_while(|byte| **byte != b'\n').count() + 1;
    (line, column)
}

fn toml_reason(text: &str, err: &toml::de::Error) -> String {
    let message = err.message().replace('\n', ", ");
    match err.span() {
        Some(span) => {
            let (line, column) = position(text.as_bytes(), span.start);
            format!("{message} at line {line} column {column}")
        }
        None => message,
    }
}

/// Parses YAML. Aliases can expand, so the parser has limits far above the needs of a tool file.
fn yaml(text: &str) -> Result<StrictValue, String> {
    let mut options = serde_saphyr::Options::default();
    options.with_snippet = false;
    if let Some(budget) = &mut options.budget {
        budget.max_nodes = 50_000;
        budget.max_aliases = 1_000;
        budget.max_anchors = 1_000;
    }
    options.alias_limits.max_total_replayed_events = 50_000;
    serde_saphyr::from_str_with_options(text, options).map_err(|err| {
        // The message may include an excerpt; its first line is the reason.
        let message = err.to_string();
        let message = message.lines().next().unwrap_or("it cannot be parsed").trim().to_owned();
        match err.location() {
            Some(at) if !message.contains("line ") => {
                format!("{message} at line {} column {}", at.line(), at.column())
            }
            _ => message,
        }
    })
}

/// A tree without duplicate keys.
struct StrictValue(Value);

impl<'de> Deserialize<'de> for StrictValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(StrictVisitor).map(Self)
    }
}

struct StrictVisitor;

impl<'de> Visitor<'de> for StrictVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value that JSON can represent")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Value, E> {
        Ok(number.into())
    }

    fn visit_u64<E>(self, number: u64) -> Result<Value, E> {
        Ok(number.into())
    }

    fn visit_f64<E: de::Error>(self, number: f64) -> Result<Value, E> {
        serde_json::Number::from_f64(number)
            .map(Value::Number)
            .ok_or_else(|| E::custom(format_args!("`{number}` is not a JSON number")))
    }

    fn visit_str<E>(self, text: &str) -> Result<Value, E> {
        Ok(Value::String(text.to_owned()))
    }

    fn visit_string<E>(self, text: String) -> Result<Value, E> {
        Ok(Value::String(text))
    }

    fn visit_none<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Value, A::Error> {
        let mut items = Vec::new();
        while let Some(StrictValue(item)) = list.next_element()? {
            items.push(item);
        }
        Ok(Value::Array(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut map = Map::new();
        while let Some(key) = entries.next_key::<String>()? {
            if map.contains_key(&key) {
                return Err(de::Error::custom(format_args!("duplicate key `{key}`")));
            }
            let StrictValue(value) = entries.next_value()?;
            // The TOML parser passes dates as a map with this single key; in a schema they are
            // strings.
            if key == "$__toml_private_datetime" {
                return Ok(value);
            }
            map.insert(key, value);
        }
        Ok(Value::Object(map))
    }
}

/// One table of a document, read key by key. Errors name the key.
pub(super) struct DocumentTable {
    map: Map<String, Value>,
    /// A prefix for keys in errors, such as `[run] `; empty at the top level.
    prefix: &'static str,
}

impl DocumentTable {
    /// Wraps the table, if it contains only known keys.
    pub(super) fn new(
        prefix: &'static str,
        map: Map<String, Value>,
        known: &[&str],
    ) -> Result<Self, String> {
        match map.keys().find(|key| !known.contains(&key.as_str())) {
            None => Ok(Self { map, prefix }),
            Some(unknown) => {
                Err(format!("{prefix}unknown key `{unknown}`{}", did_you_mean(unknown, known)))
            }
        }
    }

    /// Removes and returns the raw value.
    pub(super) fn take(&mut self, key: &str) -> Option<Value> {
        self.map.shift_remove(key)
    }

    pub(super) fn text(&mut self, key: &str) -> Result<Option<String>, String> {
        match self.take(key) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(other) => Err(self.type_error(key, &other, "a string")),
        }
    }

    pub(super) fn flag(&mut self, key: &str) -> Result<Option<bool>, String> {
        match self.take(key) {
            None => Ok(None),
            Some(Value::Bool(value)) => Ok(Some(value)),
            Some(other) => Err(self.type_error(key, &other, "true or false")),
        }
    }

    pub(super) fn texts(&mut self, key: &str) -> Result<Option<Vec<String>>, String> {
        let items = match self.take(key) {
            None => return Ok(None),
            Some(Value::Array(items)) => items,
            Some(other) => return Err(self.type_error(key, &other, "a list of strings")),
        };
        let text = |item: Value| match item {
            Value::String(text) => Ok(text),
            other => Err(format!(
                "{}`{key}` contains {}; it must be a list of strings",
                self.prefix,
                type_name(&other)
            )),
        };
        items.into_iter().map(text).collect::<Result<_, _>>().map(Some)
    }

    pub(super) fn table(&mut self, key: &str) -> Result<Option<Map<String, Value>>, String> {
        match self.take(key) {
            None => Ok(None),
            Some(Value::Object(map)) => Ok(Some(map)),
            Some(other) => Err(self.type_error(key, &other, "a table")),
        }
    }

    /// An integer number of milliseconds, from one to a day.
    pub(super) fn milliseconds(&mut self, key: &str) -> Result<Option<u64>, String> {
        match self.take(key) {
            None => Ok(None),
            Some(value) => match value.as_u64() {
                Some(value @ 1..=86_400_000) => Ok(Some(value)),
                _ => Err(format!(
                    "{}`{key}` is `{value}`; it must be a whole number from 1 to 86400000",
                    self.prefix
                )),
            },
        }
    }

    fn type_error(&self, key: &str, value: &Value, right: &str) -> String {
        format!("{}`{key}` is {}; it must be {right}", self.prefix, type_name(value))
    }
}

/// The type of a value, as a phrase for error messages.
pub(super) fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "empty",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "a table",
    }
}

/// `; did you mean …?`, if one of the known words is similar.
pub(super) fn did_you_mean(word: &str, known: &[&str]) -> String {
    let nearest = known.iter().map(|item| (strsim::osa_distance(word, item), item)).min();
    match nearest {
        Some((distance, value)) if distance <= (word.chars().count() / 3).max(1) => {
            format!("; did you mean `{value}`?")
        }
        _ => String::new(),
    }
}
