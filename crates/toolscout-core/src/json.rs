//! JSON text, stored as its author wrote it.

use crate::Digest;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;
use serde_json::value::RawValue;
use std::fmt;
use std::ops::Range;
use std::sync::{Arc, LazyLock};

/// A well-formed JSON text, stored byte for byte and parsed only on demand.
///
/// Schemas and results pass through toolscout. The text loses nothing of them and takes a fifth of
/// the memory of a parsed tree. Cloning is cheap.
#[derive(Clone)]
pub struct RawJson {
    text: Arc<JsonText>,
    /// Byte range within a [`JsonText::Many`]; unused for [`JsonText::One`].
    from: u32,
    to: u32,
}

enum JsonText {
    /// Exactly one JSON value.
    One(Box<RawValue>),
    /// A text with many JSON values, each used in place without a copy.
    Many { text: String, identity: Digest },
}

/// A long text that contains many JSON texts. Its creator guarantees that they were validated
/// before and have not changed since. Cloning is cheap.
#[derive(Clone)]
pub struct CheckedText(Arc<JsonText>);

impl CheckedText {
    /// `identity` identifies the text: no two texts may have the same identity.
    pub fn new(text: String, identity: Digest) -> Self {
        Self(Arc::new(JsonText::Many { text, identity }))
    }

    /// A slice of the text; none if the range exceeds the text or splits a character.
    pub fn slice(&self, range: Range<usize>) -> Option<&str> {
        self.0.as_str().get(range)
    }
}

impl JsonText {
    fn as_str(&self) -> &str {
        match self {
            Self::One(raw) => raw.get(),
            Self::Many { text, .. } => text,
        }
    }
}

impl PartialEq for CheckedText {
    fn eq(&self, other: &Self) -> bool {
        self.0.as_str() == other.0.as_str()
    }
}

/// Prints the length only, since the text may be megabytes.
impl fmt::Debug for CheckedText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes", self.0.as_str().len())
    }
}

impl RawJson {
    /// Checks that the text is one JSON value and stores it.
    pub fn parse(text: &str) -> Result<Self, serde_json::Error> {
        serde_json::from_str::<Box<RawValue>>(text).map(Self::from)
    }

    /// Serializes the value compactly, keys in their order.
    pub fn from_value(value: &Value) -> Self {
        Self::from(
            serde_json::value::to_raw_value(value).expect("a JSON value can always be written"),
        )
    }

    /// One of the JSON texts in this text, without a copy and without parsing; none if the range is
    /// invalid.
    pub fn part_of(text: &CheckedText, range: Range<usize>) -> Option<Self> {
        text.slice(range.clone())?;
        let (from, to) = (u32::try_from(range.start).ok()?, u32::try_from(range.end).ok()?);
        Some(Self { text: text.0.clone(), from, to })
    }

    /// The schema of a tool without arguments; always the same instance.
    pub fn no_arguments() -> Self {
        static SCHEMA: LazyLock<RawJson> = LazyLock::new(|| {
            RawJson::from_value(&serde_json::json!({"type": "object", "properties": {}}))
        });
        SCHEMA.clone()
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        match &*self.text {
            JsonText::One(raw) => raw.get(),
            JsonText::Many { text, .. } => &text[self.from as usize..self.to as usize],
        }
    }

    /// Parses the text, on every call.
    pub fn to_value(&self) -> Value {
        serde_json::from_str(self.as_str()).unwrap_or(Value::Null)
    }

    /// Appends bytes that identify this text: the whole text, or the identity and range of the text
    /// that it is a part of. Equal bytes imply equal texts; equal texts may have different bytes.
    pub fn append_identity(&self, out: &mut Vec<u8>) {
        match &*self.text {
            JsonText::One(raw) => {
                out.push(0);
                out.extend((raw.get().len() as u64).to_le_bytes());
                out.extend_from_slice(raw.get().as_bytes());
            }
            JsonText::Many { identity, .. } => {
                out.push(1);
                out.extend_from_slice(identity.as_bytes());
                out.extend([self.from, self.to].map(u32::to_le_bytes).as_flattened());
            }
        }
    }
}

/// Wraps a value that is already parsed, without parsing it again.
impl From<Box<RawValue>> for RawJson {
    fn from(raw: Box<RawValue>) -> Self {
        Self { text: Arc::new(JsonText::One(raw)), from: 0, to: 0 }
    }
}

impl fmt::Debug for RawJson {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Equal if the texts are equal: `{"a":1}` and `{ "a": 1 }` differ. Compare digests to compare
/// values.
impl PartialEq for RawJson {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}

impl Eq for RawJson {}

impl Serialize for RawJson {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &*self.text {
            JsonText::One(raw) => raw.serialize(serializer),
            JsonText::Many { .. } => {
                let raw: &RawValue =
                    serde_json::from_str(self.as_str()).map_err(serde::ser::Error::custom)?;
                raw.serialize(serializer)
            }
        }
    }
}

impl<'de> Deserialize<'de> for RawJson {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Box::<RawValue>::deserialize(deserializer).map(Self::from)
    }
}
