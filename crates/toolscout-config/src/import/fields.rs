//! Reads the entry of another program key by key; keys that were not read are reported, so that
//! nothing is lost silently.

use super::references::{self, TextContext};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// A server entry while it is read.
pub(crate) struct ClientFields<'a> {
    unread: Map<String, Value>,
    context: TextContext<'a>,
    notes: Vec<String>,
}

impl<'a> ClientFields<'a> {
    /// Wraps the entry, which must be a table.
    pub(super) fn new(entry: Value, context: TextContext<'a>) -> Result<Self, String> {
        match entry {
            Value::Object(unread) => Ok(Self { unread, context, notes: Vec::new() }),
            _ => Err("its entry is not a table".to_owned()),
        }
    }

    pub(super) fn has(&self, key: &str) -> bool {
        self.unread.get(key).is_some_and(|value| !value.is_null())
    }

    /// A text, with its variables in our syntax.
    pub(super) fn text(&mut self, key: &str) -> Result<Option<String>, String> {
        Ok(self.plain_text(key)?.map(|word| self.translate(&word)))
    }

    /// A text that cannot contain variables.
    pub(super) fn plain_text(&mut self, key: &str) -> Result<Option<String>, String> {
        match self.take(key) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => Err(format!("its `{key}` is not a string")),
        }
    }

    /// A list of texts, with their variables in our syntax.
    pub(super) fn texts(&mut self, key: &str) -> Result<Vec<String>, String> {
        Ok(self.plain_texts(key)?.iter().map(|word| self.translate(word)).collect())
    }

    /// A list of texts that cannot contain variables.
    pub(super) fn plain_texts(&mut self, key: &str) -> Result<Vec<String>, String> {
        let invalid = || format!("its `{key}` is not a list of strings");
        match self.take(key) {
            None => Ok(Vec::new()),
            Some(Value::Array(items)) => {
                items.into_iter().map(|item| scalar(item).ok_or_else(invalid)).collect()
            }
            Some(_) => Err(invalid()),
        }
    }

    /// A table of texts, with their variables in our syntax. Null values are omitted.
    pub(super) fn table(&mut self, key: &str) -> Result<BTreeMap<String, String>, String> {
        let invalid = || format!("its `{key}` is not a table of strings");
        let map = match self.take(key) {
            None => return Ok(BTreeMap::new()),
            Some(Value::Object(map)) => map,
            Some(_) => return Err(invalid()),
        };
        let mut table = BTreeMap::new();
        for (name, value) in map.into_iter().filter(|(_, value)| !value.is_null()) {
            let value = scalar(value).ok_or_else(invalid)?;
            table.insert(name, self.translate(&value));
        }
        Ok(table)
    }

    /// A list of any values; a value that is not a list stays.
    pub(super) fn list(&mut self, key: &str) -> Option<Vec<Value>> {
        self.unread.get(key)?.as_array()?;
        match self.take(key) {
            Some(Value::Array(items)) => Some(items),
            _ => None,
        }
    }

    pub(super) fn boolean(&mut self, key: &str) -> Option<bool> {
        self.unread.get(key)?.as_bool()?;
        self.take(key)?.as_bool()
    }

    /// A duration, in units of this many milliseconds.
    pub(super) fn duration(&mut self, key: &str, unit: f64) -> Option<u64> {
        let number = self.take(key)?.as_f64()?;
        (number > 0.0 && number.is_finite()).then_some((number * unit) as u64)
    }

    /// A table within the entry; a value that is not a table stays.
    pub(super) fn nested_table(&mut self, key: &str) -> Option<Map<String, Value>> {
        self.unread.get(key)?.as_object()?;
        match self.take(key) {
            Some(Value::Object(map)) => Some(map),
            _ => None,
        }
    }

    /// Adds these keys, unless the entry already contains them.
    pub(super) fn add(&mut self, map: Map<String, Value>) {
        for (key, value) in map {
            self.unread.entry(key).or_insert(value);
        }
    }

    /// The working directory of the server; `None` if it is the default one.
    pub(super) fn folder(&mut self, key: &str) -> Result<Option<String>, String> {
        let Some(written) = self.text(key)? else { return Ok(None) };
        let home = self.context.home.map(|home| home.display().to_string());
        let expanded = match (written.as_str(), home) {
            ("env:HOME" | "~", Some(home)) => home,
            (path, Some(home)) => {
                match path.strip_prefix("${HOME}/").or_else(|| path.strip_prefix("~/")) {
                    Some(rest) => format!("{home}/{rest}"),
                    None => written,
                }
            }
            _ => written,
        };
        Ok(Some(expanded).filter(|expanded| !matches!(expanded.as_str(), "" | "." | "./")))
    }

    /// Drops a key that is not relevant for toolscout.
    pub(super) fn ignore(&mut self, key: &str) {
        self.take(key);
    }

    /// Adds a note for the user about this server.
    pub(super) fn note(&mut self, note: impl Into<String>) {
        self.notes.push(note.into());
    }

    /// The text, with its variables in our syntax.
    pub(super) fn translate(&mut self, text: &str) -> String {
        references::translate(text, &self.context, &mut self.notes)
    }

    /// All notes, with one that names the keys that were not read.
    pub(super) fn into_notes(mut self) -> Vec<String> {
        let unread: Vec<_> = self
            .unread
            .iter()
            .filter(|(_, value)| !value.is_null())
            .map(|(key, _)| format!("`{key}`"))
            .collect();
        if !unread.is_empty() {
            self.notes.push(format!("not imported: {}", unread.join(", ")));
        }
        self.notes.dedup();
        self.notes
    }

    fn take(&mut self, key: &str) -> Option<Value> {
        self.unread.shift_remove(key).filter(|value| !value.is_null())
    }
}

/// A scalar as text.
fn scalar(value: Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(truth) => Some(truth.to_string()),
        _ => None,
    }
}
