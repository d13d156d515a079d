//! What is said about a span, each thing once, and never more of it than anybody reads.

/// Bytes of a text; what is longer is cut.
const LONGEST: usize = 4 << 10;
/// Texts of a list.
const MOST: usize = 128;

#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Attributes(Vec<(String, Value)>);

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Value {
    Text(String),
    Flag(bool),
    Whole(i64),
    Number(f64),
    Texts(Vec<String>),
}

impl Attributes {
    pub(super) fn with(mut self, key: impl Into<String>, value: impl Into<Value>) -> Self {
        self.set(key, value);
        self
    }

    /// Nothing is said where there is nothing to say.
    pub(super) fn maybe(self, key: &str, value: Option<impl Into<Value>>) -> Self {
        match value {
            Some(value) => self.with(key, value),
            None => self,
        }
    }

    /// Says this instead of what was said.
    pub(super) fn set(&mut self, key: impl Into<String>, value: impl Into<Value>) {
        let (key, value) = (key.into(), value.into());
        match self.0.iter_mut().find(|(it, _)| *it == key) {
            Some((_, there)) => *there = value,
            None => self.0.push((key, value)),
        }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &(String, Value)> {
        self.0.iter()
    }
}

/// As much of a text as there is room for.
pub(super) fn clip(text: &str) -> String {
    let end = (0..=LONGEST.min(text.len())).rev().find(|it| text.is_char_boundary(*it));
    text[..end.unwrap_or_default()].to_owned()
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(clip(text))
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::from(text.as_str())
    }
}

impl From<bool> for Value {
    fn from(it: bool) -> Self {
        Self::Flag(it)
    }
}

impl From<usize> for Value {
    fn from(it: usize) -> Self {
        Self::Whole(i64::try_from(it).unwrap_or(i64::MAX))
    }
}

impl From<u64> for Value {
    fn from(it: u64) -> Self {
        Self::Whole(i64::try_from(it).unwrap_or(i64::MAX))
    }
}

impl From<f64> for Value {
    fn from(it: f64) -> Self {
        Self::Number(it)
    }
}

impl From<Vec<String>> for Value {
    fn from(texts: Vec<String>) -> Self {
        Self::Texts(texts.iter().take(MOST).map(|it| clip(it)).collect())
    }
}
