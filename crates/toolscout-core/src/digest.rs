//! Digests of definitions and file contents, 32 bytes each.
//!
//! A digest is taken over canonical JSON (keys sorted bytewise, no white space), so it does not
//! depend on how a definition happened to be written down, nor on the order of keys on the wire.

use crate::ToolId;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use serde_json::Value;
use std::borrow::Cow;
use std::fmt;

/// A BLAKE3 digest; shown as 64 hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest([u8; 32]);

impl Digest {
    /// The digest of plain bytes, such as a file's content.
    pub fn of_bytes(bytes: &[u8]) -> Self {
        Self(*blake3::hash(bytes).as_bytes())
    }

    /// The digest of a complete definition, bound to the id of the tool.
    pub fn of_definition(id: &ToolId, definition: &Value) -> Self {
        let mut text = String::new();
        canonical(definition, &mut text);
        Self::of_canonical(id, &text)
    }

    /// The same digest, from the canonical JSON of the definition.
    pub fn of_canonical(id: &ToolId, definition: &str) -> Self {
        let mut owner = String::new();
        quote(id.source.as_str(), &mut owner);
        quote(id.name.as_str(), &mut owner);
        let mut hasher = blake3::Hasher::new();
        hasher.update(owner.as_bytes()).update(definition.as_bytes());
        Self(*hasher.finalize().as_bytes())
    }

    /// Wraps bytes that were computed elsewhere, for example with a secret key.
    pub fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// The 32 bytes.
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// Parses 64 hexadecimal digits.
    pub fn from_hex(text: &str) -> Option<Self> {
        blake3::Hash::from_hex(text).ok().map(|value| Self(*value.as_bytes()))
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&blake3::Hash::from_bytes(self.0).to_hex())
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

impl Serialize for Digest {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Digest {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Cow::<'de, str>::deserialize(deserializer)?;
        Self::from_hex(&text).ok_or_else(|| de::Error::custom("invalid digest"))
    }
}

/// Appends the value's canonical JSON: keys sorted by their bytes, no white space.
pub fn canonical(value: &Value, out: &mut String) {
    match value {
        Value::Object(map) => {
            let mut entries: Vec<_> = map.iter().collect();
            entries.sort_unstable_by_key(|(key, _)| key.as_bytes());
            out.push('{');
            for (at, (key, value)) in entries.into_iter().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                quote(key, out);
                out.push(':');
                canonical(value, out);
            }
            out.push('}');
        }
        Value::Array(items) => {
            out.push('[');
            for (at, item) in items.iter().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                canonical(item, out);
            }
            out.push(']');
        }
        Value::String(text) => quote(text, out),
        scalar => out.push_str(&scalar.to_string()),
    }
}

/// Appends the text as JSON. Nearly all texts need no escapes, and a listing has thousands of them.
fn quote(text: &str, out: &mut String) {
    if text.bytes().any(|byte| byte < b' ' || matches!(byte, b'"' | b'\\')) {
        return out.push_str(&Value::from(text).to_string());
    }
    out.push('"');
    out.push_str(text);
    out.push('"');
}
