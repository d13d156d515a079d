//! Digests: what a definition or a content is, in 32 bytes.
//!
//! A digest is taken over canonical JSON (keys sorted bytewise, no white space), so it does not depend on how a
//! definition happened to be written down, nor on the order of keys on the wire.

use crate::ToolId;
use serde_json::Value;
use std::fmt;

/// A BLAKE3 digest; shown as 64 hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest([u8; 32]);

impl Digest {
    /// The digest of plain bytes, such as a file's content.
    pub fn of_bytes(bytes: &[u8]) -> Self {
        Self(*blake3::hash(bytes).as_bytes())
    }

    /// The digest of a complete definition, bound to whose it is.
    pub fn of_definition(id: &ToolId, definition: &Value) -> Self {
        let mut text = String::new();
        canonical(&Value::from(id.source.as_str()), &mut text);
        canonical(&Value::from(id.name.as_str()), &mut text);
        canonical(definition, &mut text);
        Self::of_bytes(text.as_bytes())
    }

    /// Reads 64 hexadecimal digits.
    pub fn from_hex(text: &str) -> Option<Self> {
        blake3::Hash::from_hex(text).ok().map(|it| Self(*it.as_bytes()))
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
                canonical(&Value::from(key.as_str()), out);
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
        scalar => out.push_str(&scalar.to_string()),
    }
}
