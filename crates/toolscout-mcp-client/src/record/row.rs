//! How a record lies in the store: what is said about the definitions as JSON, then the definitions.
//!
//! Definitions are most of it, and of nearly all of them nothing but a few parts is needed; so they are not JSON within JSON,
//! which would have to be read from end to end, but lie as [`super::packed`] says.

use super::DiscoveryRecord;
use super::packed::{self, PackedDefinitions};

const VERSION: u32 = 2;
/// The last bytes of a row, behind the length of the JSON.
const END: &[u8; 4] = b"rec2";

pub(super) fn write(record: &DiscoveryRecord) -> Result<Vec<u8>, serde_json::Error> {
    let mut bytes = serde_json::to_vec(&DiscoveryRecord { version: VERSION, ..record.clone() })?;
    let length = bytes.len();
    if let Some(tools) = &record.tools {
        bytes.extend(packed::of(&tools.definitions));
    }
    // What is longer than this could not be read; it is far beyond all limits.
    bytes.extend(u32::try_from(length).unwrap_or(u32::MAX).to_le_bytes());
    bytes.extend(END);
    Ok(bytes)
}

/// None where it is not one of ours, or of another version.
pub(super) fn read(mut bytes: Vec<u8>, key: &[u8; 32]) -> Option<DiscoveryRecord> {
    let (rest, length) = bytes.strip_suffix(END)?.split_last_chunk()?;
    let (length, whole) = (u32::from_le_bytes(*length) as usize, rest.len());
    let mut record: DiscoveryRecord = serde_json::from_slice(rest.get(..length)?).ok()?;
    if record.version != VERSION {
        return None;
    }
    let Some(tools) = &mut record.tools else { return Some(record) };
    bytes.truncate(whole);
    let mark = packed::mark(key, &bytes[length..]);
    let is_checked = record.checked.as_ref().is_some_and(|it| *it == mark.to_string());
    let packed = PackedDefinitions::read(bytes, length, mark)?;
    tools.definitions = if is_checked { packed.parts() } else { packed.parsed() };
    record.packed = is_checked.then_some(packed);
    Some(record)
}
