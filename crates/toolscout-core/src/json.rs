//! JSON kept as its author wrote it.

use crate::Digest;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;
use serde_json::value::RawValue;
use std::fmt;
use std::ops::Range;
use std::sync::{Arc, LazyLock};

/// A well-formed JSON text, kept byte for byte and parsed only by who needs it.
///
/// Schemas and results pass through toolscout; keeping the text loses nothing of them and takes a fifth of the memory
/// of a parsed tree. Cloning is cheap.
#[derive(Clone)]
pub struct RawJson {
    of: Arc<JsonText>,
    /// Where it stands in a text that holds many.
    from: u32,
    to: u32,
}

enum JsonText {
    /// This one and nothing else.
    One(Box<RawValue>),
    /// Many in one, none of which was copied.
    Many { text: String, mark: Digest },
}

/// A long text that holds many JSON texts. Whoever makes one vouches for them: they were read before, and have not changed since.
/// Cloning is cheap.
#[derive(Clone)]
pub struct CheckedText(Arc<JsonText>);

impl CheckedText {
    /// `mark` stands for the text: no two texts have the same.
    pub fn new(text: String, mark: Digest) -> Self {
        Self(Arc::new(JsonText::Many { text, mark }))
    }

    /// A piece of the text; none where it does not reach so far, or not to whole characters.
    pub fn piece(&self, range: Range<usize>) -> Option<&str> {
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

/// The text may be megabytes.
impl fmt::Debug for CheckedText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes", self.0.as_str().len())
    }
}

impl RawJson {
    /// Checks that the text is one JSON value and keeps it.
    pub fn parse(text: &str) -> Result<Self, serde_json::Error> {
        serde_json::from_str::<Box<RawValue>>(text).map(Self::from)
    }

    /// Writes the value down, compactly, keys in their order.
    pub fn from_value(value: &Value) -> Self {
        Self::from(serde_json::value::to_raw_value(value).expect("a JSON value can always be written"))
    }

    /// One of the JSON texts in this one, as it is and unread; none where the text has no such piece.
    pub fn part_of(text: &CheckedText, range: Range<usize>) -> Option<Self> {
        text.piece(range.clone())?;
        let (from, to) = (u32::try_from(range.start).ok()?, u32::try_from(range.end).ok()?);
        Some(Self { of: text.0.clone(), from, to })
    }

    /// The schema of arguments of which there are none; always the same one.
    pub fn no_arguments() -> Self {
        static SCHEMA: LazyLock<RawJson> =
            LazyLock::new(|| RawJson::from_value(&serde_json::json!({"type": "object", "properties": {}})));
        SCHEMA.clone()
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        match &*self.of {
            JsonText::One(raw) => raw.get(),
            JsonText::Many { text, .. } => &text[self.from as usize..self.to as usize],
        }
    }

    /// Parses the text; the cost is that of parsing, each time.
    pub fn to_value(&self) -> Value {
        serde_json::from_str(self.as_str()).unwrap_or(Value::Null)
    }

    /// Appends what stands for this text among others: all of it, or the mark of what it is a part of. Two that stand for
    /// the same are the same text; the same text may be stood for in two ways.
    pub fn stand_in(&self, all: &mut Vec<u8>) {
        match &*self.of {
            JsonText::One(raw) => {
                all.push(0);
                all.extend((raw.get().len() as u64).to_le_bytes());
                all.extend_from_slice(raw.get().as_bytes());
            }
            JsonText::Many { mark, .. } => {
                all.push(1);
                all.extend_from_slice(mark.as_bytes());
                all.extend([self.from, self.to].map(u32::to_le_bytes).as_flattened());
            }
        }
    }
}

/// Takes what was already read as it is, and does not read it again.
impl From<Box<RawValue>> for RawJson {
    fn from(raw: Box<RawValue>) -> Self {
        Self { of: Arc::new(JsonText::One(raw)), from: 0, to: 0 }
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
        match &*self.of {
            JsonText::One(raw) => raw.serialize(serializer),
            JsonText::Many { .. } => {
                let raw: &RawValue = serde_json::from_str(self.as_str()).map_err(serde::ser::Error::custom)?;
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
