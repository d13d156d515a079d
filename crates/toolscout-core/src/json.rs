//! JSON kept as its author wrote it.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;
use serde_json::value::RawValue;
use std::fmt;
use std::sync::Arc;

/// A well-formed JSON text, kept byte for byte and parsed only by who needs it.
///
/// Schemas and results pass through toolscout; keeping the text loses nothing of them and takes a fifth of the memory
/// of a parsed tree. Cloning is cheap.
#[derive(Clone)]
pub struct RawJson(Arc<RawValue>);

impl RawJson {
    /// Checks that the text is one JSON value and keeps it.
    pub fn parse(text: &str) -> Result<Self, serde_json::Error> {
        serde_json::from_str::<Box<RawValue>>(text).map(|it| Self(it.into()))
    }

    /// Writes the value down, compactly, keys in their order.
    pub fn from_value(value: &Value) -> Self {
        Self(serde_json::value::to_raw_value(value).expect("a JSON value can always be written").into())
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        self.0.get()
    }

    /// Parses the text; the cost is that of parsing, each time.
    pub fn to_value(&self) -> Value {
        serde_json::from_str(self.as_str()).unwrap_or(Value::Null)
    }
}

/// Takes what was already read as it is, and does not read it again.
impl From<Box<RawValue>> for RawJson {
    fn from(raw: Box<RawValue>) -> Self {
        Self(raw.into())
    }
}

impl fmt::Debug for RawJson {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Equal when the texts are: `{"a":1}` and `{ "a": 1 }` differ. Compare digests to compare meaning.
impl PartialEq for RawJson {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}

impl Eq for RawJson {}

impl Serialize for RawJson {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for RawJson {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Box::<RawValue>::deserialize(deserializer).map(|it| Self(it.into()))
    }
}
