//! A table of a file, taken apart key by key; each reason names the key in it.

use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use toolscout_core::nearest;

/// A table while it is read.
pub(super) struct Keys {
    map: Map<String, Value>,
    /// How names are written that are written differently.
    written: BTreeMap<String, String>,
}

/// A key whose value cannot be, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Wrong {
    pub(super) key: String,
    pub(super) reason: String,
}

impl Keys {
    pub(super) fn new(map: Map<String, Value>) -> Self {
        Self { map, written: BTreeMap::new() }
    }

    /// The same with each name as our own files write it: `callTimeoutMs` is `call_timeout_ms`. Where both are there,
    /// ours stays.
    pub(super) fn snake(map: Map<String, Value>) -> Self {
        let (mut ours, mut written) = (Map::with_capacity(map.len()), BTreeMap::new());
        for (key, value) in map {
            let name = snake(&key);
            if name == key {
                ours.insert(name, value);
            } else if !ours.contains_key(&name) {
                ours.insert(name.clone(), value);
                written.insert(name, key);
            }
        }
        Self { map: ours, written }
    }

    /// What nobody has taken: its name, and how that is written.
    pub(super) fn left(&self) -> impl Iterator<Item = (&str, &str)> {
        self.map.keys().map(|it| (it.as_str(), self.written.get(it).unwrap_or(it).as_str()))
    }

    /// The value as it is; one that is null is as good as left out.
    pub(super) fn take(&mut self, key: &str) -> Option<Value> {
        self.map.shift_remove(key).filter(|it| !it.is_null())
    }

    pub(super) fn is_list(&self, key: &str) -> bool {
        self.map.get(key).is_some_and(Value::is_array)
    }

    pub(super) fn text(&mut self, key: &str) -> Result<Option<String>, Wrong> {
        self.read(key, "a text", |value| match value {
            Value::String(text) => Ok(text),
            other => Err(other),
        })
    }

    pub(super) fn flag(&mut self, key: &str) -> Result<Option<bool>, Wrong> {
        self.read(key, "true or false", |value| value.as_bool().ok_or(value))
    }

    /// One of the words, as whatever it stands for.
    pub(super) fn choice<T: Copy>(&mut self, key: &str, words: &[(&str, T)]) -> Result<Option<T>, Wrong> {
        let Some(text) = self.text(key)? else { return Ok(None) };
        match words.iter().find(|(word, _)| *word == text) {
            Some((_, it)) => Ok(Some(*it)),
            None => {
                let words: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
                Err(Wrong { key: key.to_owned(), reason: format!("`{key}` is `{text}`; use {}", either(&words)) })
            }
        }
    }

    /// A list of texts; numbers and such count as the text they are written as.
    pub(super) fn texts(&mut self, key: &str) -> Result<Option<Vec<String>>, Wrong> {
        self.read(key, "a list of texts", |value| match value {
            Value::Array(items) => items.into_iter().map(scalar).collect(),
            other => Err(other),
        })
    }

    /// A list of paths, those that are relative being relative to this folder.
    pub(super) fn paths(&mut self, key: &str, folder: &Path) -> Result<Option<Vec<PathBuf>>, Wrong> {
        Ok(self.texts(key)?.map(|it| it.into_iter().map(|it| folder.join(it)).collect()))
    }

    /// A table of texts; numbers and such count as the text they are written as, and nothing as left out.
    pub(super) fn table(&mut self, key: &str) -> Result<BTreeMap<String, String>, Wrong> {
        let table = self.read(key, "a table of texts", |value| match value {
            Value::Object(map) => map
                .into_iter()
                .filter(|(_, value)| !value.is_null())
                .map(|(name, value)| Ok((name, scalar(value)?)))
                .collect(),
            other => Err(other),
        });
        Ok(table?.unwrap_or_default())
    }

    /// A table of anything.
    pub(super) fn inner(&mut self, key: &str) -> Result<Option<Self>, Wrong> {
        self.read(key, "a table", |value| match value {
            Value::Object(map) => Ok(Self::snake(map)),
            other => Err(other),
        })
    }

    /// From one to a day.
    pub(super) fn milliseconds(&mut self, key: &str) -> Result<Option<u64>, Wrong> {
        self.read(key, "a whole number from 1 to 86400000", |value| match value.as_u64() {
            Some(it @ 1..=86_400_000) => Ok(it),
            _ => Err(value),
        })
    }

    fn read<T>(
        &mut self,
        key: &str,
        right: &str,
        read: impl FnOnce(Value) -> Result<T, Value>,
    ) -> Result<Option<T>, Wrong> {
        let Some(value) = self.take(key) else { return Ok(None) };
        // The value itself is not said: it may be a secret in the wrong place.
        let wrong = |value: Value| match value {
            Value::Number(it) => format!("`{key}` is `{it}`; it must be {right}"),
            other => format!("`{key}` is, or holds, {}; it must be {right}", sort_of(&other)),
        };
        read(value).map(Some).map_err(|value| Wrong { key: key.to_owned(), reason: wrong(value) })
    }
}

/// `a, b or c`.
pub(super) fn either(words: &[&str]) -> String {
    match words {
        [rest @ .., last] if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
        words => words.join(""),
    }
}

/// `; did you mean …?`, where one of the known words is near.
pub(super) fn did_you_mean(word: &str, known: &[&str]) -> String {
    nearest(word, known.iter().copied()).map(|it| format!("; did you mean `{it}`?")).unwrap_or_default()
}

/// What sort of thing a value is, in words for people.
fn sort_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "nothing",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "a table",
    }
}

fn scalar(value: Value) -> Result<String, Value> {
    match value {
        Value::String(text) => Ok(text),
        Value::Bool(it) => Ok(it.to_string()),
        Value::Number(it) => Ok(it.to_string()),
        other => Err(other),
    }
}

fn snake(key: &str) -> String {
    let mut snake = String::with_capacity(key.len() + 4);
    for letter in key.chars() {
        match letter {
            'A'..='Z' if snake.is_empty() => snake.push(letter.to_ascii_lowercase()),
            'A'..='Z' => snake.extend(['_', letter.to_ascii_lowercase()]),
            '-' => snake.push('_'),
            letter => snake.push(letter),
        }
    }
    snake
}
