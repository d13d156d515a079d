//! Reads a table of a configuration file into a struct, through serde.
//!
//! The differences from reading JSON: messages never quote a value, because a secret may be in the
//! wrong place; an error contains the key path, which gives its position in the file; unknown keys
//! are collected instead of rejected; a key may be in camel case; null counts as absent; in lists
//! and tables of strings, numbers and booleans count as strings.

mod error;
#[cfg(test)]
mod tests;
mod values;

pub(crate) use error::{SectionError, UnknownKey, alternatives};
pub(crate) use values::{milliseconds, one_of, path, paths, roots, text, texts};

use serde::de::value::StringDeserializer;
use serde::de::{
    DeserializeOwned, DeserializeSeed, IntoDeserializer, MapAccess, SeqAccess, Visitor,
};
use serde::{Deserializer, forward_to_deserialize_any};
use serde_json::{Map, Value};
use std::cell::RefCell;
use std::path::Path;
use toolscout_core::nearest;

/// A parsed struct, and the keys of the table that it has no field for.
#[derive(Debug)]
pub(crate) struct ParsedSection<T> {
    pub(crate) value: T,
    pub(crate) unknown: Vec<UnknownKey>,
}

impl<T> ParsedSection<T> {
    /// The struct; an error if a key of the table is unknown.
    pub(crate) fn strict(self) -> Result<T, SectionError> {
        match self.unknown.into_iter().next() {
            Some(key) => Err(key.into()),
            None => Ok(self.value),
        }
    }
}

/// Reads a table. Relative paths in it are relative to `folder`.
pub(crate) fn read<T: DeserializeOwned>(
    table: Map<String, Value>,
    folder: &Path,
) -> Result<ParsedSection<T>, SectionError> {
    read_value(Value::Object(table), folder)
}

/// Like [`read`], for a value that must be a table.
pub(crate) fn read_value<T: DeserializeOwned>(
    value: Value,
    folder: &Path,
) -> Result<ParsedSection<T>, SectionError> {
    let unknown = RefCell::default();
    let reader =
        ValueReader { value, path: Vec::new(), is_element: false, folder, unknown: &unknown };
    let value = T::deserialize(reader)?;
    Ok(ParsedSection { value, unknown: unknown.into_inner() })
}

/// The name of the tuple struct for a string together with the folder of its file.
const LOCATED_TEXT: &str = "LocatedText";

/// A value and its key path in the table.
struct ValueReader<'a> {
    value: Value,
    path: Vec<String>,
    /// Whether it is an element of a list or of a table of strings, in which scalars count as
    /// strings.
    is_element: bool,
    folder: &'a Path,
    unknown: &'a RefCell<Vec<UnknownKey>>,
}

impl<'a> ValueReader<'a> {
    fn child(&self, key: Option<String>, value: Value, is_element: bool) -> Self {
        let path = self.path.iter().cloned().chain(key).collect();
        Self { value, path, is_element, folder: self.folder, unknown: self.unknown }
    }

    /// The entries of a struct under the names of its fields. Entries without a field are collected
    /// as unknown.
    fn fields(
        &self,
        table: Map<String, Value>,
        fields: &'static [&'static str],
    ) -> Vec<(String, ValueReader<'a>)> {
        let mut found: Vec<(String, ValueReader<'a>)> = Vec::new();
        for (key, value) in table.into_iter().filter(|(_, value)| !value.is_null()) {
            let name = if fields.contains(&key.as_str()) { key.clone() } else { snake_case(&key) };
            let child = self.child(Some(key), value, false);
            if !fields.contains(&name.as_str()) {
                let nearest = nearest(&name, fields.iter().copied());
                self.unknown.borrow_mut().push(UnknownKey { path: child.path, nearest });
                continue;
            }
            match found.iter_mut().find(|(other, _)| *other == name) {
                // Of two spellings of a key, the snake case one wins.
                Some(existing) if child.path.last() == Some(&name) => existing.1 = child,
                Some(_) => {}
                None => found.push((name, child)),
            }
        }
        found
    }
}

impl<'de> Deserializer<'de> for ValueReader<'_> {
    type Error = SectionError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, SectionError> {
        match self.value {
            Value::Null => visitor.visit_unit(),
            Value::Bool(value) => visitor.visit_bool(value),
            Value::Number(value) => match (value.as_u64(), value.as_i64()) {
                (Some(number), _) => visitor.visit_u64(number),
                (None, Some(number)) => visitor.visit_i64(number),
                (None, None) => visitor.visit_f64(value.as_f64().unwrap_or(f64::NAN)),
            },
            Value::String(text) => visitor.visit_string(text),
            Value::Array(_) => self.deserialize_seq(visitor),
            Value::Object(_) => self.deserialize_map(visitor),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, SectionError> {
        if self.value.is_null() { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    fn deserialize_string<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value, SectionError> {
        self.value = match self.value {
            Value::Bool(value) if self.is_element => Value::String(value.to_string()),
            Value::Number(number) if self.is_element => Value::String(number.to_string()),
            other => other,
        };
        self.deserialize_any(visitor)
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, SectionError> {
        self.deserialize_string(visitor)
    }

    /// A single table counts as a list of one.
    fn deserialize_seq<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value, SectionError> {
        let items = match self.value.take() {
            Value::Array(items) => items,
            table @ Value::Object(_) => vec![table],
            value => return Self { value, ..self }.deserialize_any(visitor),
        };
        let items: Vec<_> = items.into_iter().map(|item| self.child(None, item, true)).collect();
        visitor.visit_seq(ElementReader(items.into_iter()))
    }

    /// A table with keys of any name.
    fn deserialize_map<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value, SectionError> {
        let table = match self.value.take() {
            Value::Object(table) => table,
            value => return Self { value, ..self }.deserialize_any(visitor),
        };
        let entries = table.into_iter().filter(|(_, value)| !value.is_null());
        let entries: Vec<_> =
            entries.map(|(key, value)| (key.clone(), self.child(Some(key), value, true))).collect();
        visitor.visit_map(MapReader { entries: entries.into_iter(), value: None })
    }

    fn deserialize_struct<V: Visitor<'de>>(
        mut self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, SectionError> {
        match self.value.take() {
            Value::Object(table) => {
                let entries = self.fields(table, fields);
                visitor.visit_map(MapReader { entries: entries.into_iter(), value: None })
            }
            other => Err(SectionError::wrong_type(&other, "a table")),
        }
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        _: usize,
        visitor: V,
    ) -> Result<V::Value, SectionError> {
        match &self.value {
            Value::String(text) if name == LOCATED_TEXT => {
                let folder = self.folder.to_string_lossy().into_owned();
                let items = [text.clone(), folder]
                    .map(|value| self.child(None, Value::String(value), true));
                visitor.visit_seq(ElementReader(Vec::from(items).into_iter()))
            }
            other => Err(SectionError::wrong_type(other, "a string")),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, SectionError> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, SectionError> {
        match self.value {
            Value::String(word) => {
                let word: StringDeserializer<SectionError> = word.into_deserializer();
                visitor.visit_enum(word)
            }
            other => Err(SectionError::wrong_type(&other, "a string")),
        }
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char bytes byte_buf unit unit_struct tuple identifier
        ignored_any
    }
}

struct ElementReader<'a>(std::vec::IntoIter<ValueReader<'a>>);

impl<'de> SeqAccess<'de> for ElementReader<'_> {
    type Error = SectionError;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, SectionError> {
        self.0.next().map(|item| deserialize_at(seed, item)).transpose()
    }
}

struct MapReader<'a> {
    entries: std::vec::IntoIter<(String, ValueReader<'a>)>,
    value: Option<ValueReader<'a>>,
}

impl<'de> MapAccess<'de> for MapReader<'_> {
    type Error = SectionError;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, SectionError> {
        let Some((name, value)) = self.entries.next() else { return Ok(None) };
        self.value = Some(value);
        let name: StringDeserializer<SectionError> = name.into_deserializer();
        seed.deserialize(name).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(
        &mut self,
        seed: V,
    ) -> Result<V::Value, SectionError> {
        match self.value.take() {
            Some(value) => deserialize_at(seed, value),
            None => Err(serde::de::Error::custom("has no value")),
        }
    }
}

/// Reads a value; an error in it gets the path of the value.
fn deserialize_at<'de, T: DeserializeSeed<'de>>(
    seed: T,
    reader: ValueReader<'_>,
) -> Result<T::Value, SectionError> {
    let path = reader.path.clone();
    seed.deserialize(reader).map_err(|error| error.prefixed(&path))
}

/// `callTimeoutMs` and `call-timeout-ms` as `call_timeout_ms`.
pub(crate) fn snake_case(key: &str) -> String {
    let mut snake = String::with_capacity(key.len() + 4);
    for character in key.chars() {
        match character {
            'A'..='Z' if snake.is_empty() => snake.push(character.to_ascii_lowercase()),
            'A'..='Z' => snake.extend(['_', character.to_ascii_lowercase()]),
            '-' => snake.push('_'),
            character => snake.push(character),
        }
    }
    snake
}
