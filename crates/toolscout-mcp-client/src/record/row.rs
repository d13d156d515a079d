//! The storage format of a record: metadata as JSON, then the definitions.
//!
//! The definitions are most of the data, and usually only a few parts of them are needed. Therefore
//! they are not nested in the JSON, which would have to be parsed completely, but stored in the
//! format of [`super::packed`].

use super::DiscoveryRecord;
use super::packed::{self, PackedDefinitions};
use std::ops::Range;
use toolscout_core::is_newer_row;

/// The major version.
const VERSION: u32 = 2;
/// The last bytes of a row, after the length of the JSON. They are the same in every later version.
const TRAILER: &[u8; 4] = b"rec2";

pub(super) fn write(record: &DiscoveryRecord) -> Result<Vec<u8>, serde_json::Error> {
    let mut bytes = serde_json::to_vec(&DiscoveryRecord { version: VERSION, ..record.clone() })?;
    let length = bytes.len();
    if let Some(tools) = &record.tools {
        bytes.extend(packed::pack(&tools.definitions));
    }
    // A longer row could not be read back, but this is far beyond all limits.
    bytes.extend(u32::try_from(length).unwrap_or(u32::MAX).to_le_bytes());
    bytes.extend(TRAILER);
    Ok(bytes)
}

/// A later major version wrote the record.
#[derive(Debug)]
pub(super) struct NewerRecord;

/// The JSON of a row, and the length of everything before the trailer.
fn metadata(bytes: &[u8]) -> Option<(&[u8], usize)> {
    let (rest, length) = bytes.strip_suffix(TRAILER)?.split_last_chunk()?;
    Some((rest.get(..u32::from_le_bytes(*length) as usize)?, rest.len()))
}

/// `None` if the bytes are not a record, or one of an earlier version.
pub(super) fn read(bytes: Vec<u8>, key: &[u8; 32]) -> Result<Option<DiscoveryRecord>, NewerRecord> {
    let Some((json, whole)) = metadata(&bytes) else { return Ok(None) };
    let length = json.len();
    let record: Option<DiscoveryRecord> = serde_json::from_slice(json).ok();
    match record.filter(|record| record.version == VERSION) {
        Some(record) => Ok(with_definitions(record, bytes, length..whole, key)),
        None if is_newer_row(json, VERSION) => Err(NewerRecord),
        None => Ok(None),
    }
}

fn with_definitions(
    mut record: DiscoveryRecord,
    mut bytes: Vec<u8>,
    Range { start: length, end: whole }: Range<usize>,
    key: &[u8; 32],
) -> Option<DiscoveryRecord> {
    let Some(tools) = &mut record.tools else { return Some(record) };
    bytes.truncate(whole);
    let mark = packed::mark(key, &bytes[length..]);
    let is_checked = record.checked.as_ref().is_some_and(|checked| *checked == mark.to_string());
    let packed = PackedDefinitions::read(bytes, length, mark)?;
    tools.definitions = if is_checked { packed.parts() } else { packed.parsed() };
    record.packed = is_checked.then_some(packed);
    Some(record)
}
