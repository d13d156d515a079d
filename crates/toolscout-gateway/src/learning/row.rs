//! The binary format of feedback records and recent searches: texts and vectors one after the
//! other, each with a length prefix.

use toolscout_core::{SourceId, ToolId, ToolName};
use toolscout_index::Vector;

/// The header of a row. A row with another header counts as empty.
const HEADER: &[u8] = b"learned 1\n";

pub(super) fn new_row() -> Vec<u8> {
    HEADER.to_vec()
}

pub(super) fn number(out: &mut Vec<u8>, number: u64) {
    out.extend_from_slice(&number.to_le_bytes());
}

pub(super) fn text(out: &mut Vec<u8>, text: &str) {
    bytes(out, text.as_bytes());
}

pub(super) fn tool(out: &mut Vec<u8>, tool: &ToolId) {
    text(out, tool.source.as_str());
    text(out, tool.name.as_str());
}

pub(super) fn embedding(out: &mut Vec<u8>, embedding: Option<&(u64, Vector)>) {
    match embedding {
        Some((space, vector)) => {
            bytes(out, &vector.to_bytes());
            number(out, *space);
        }
        None => bytes(out, &[]),
    }
}

fn bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    out.extend_from_slice(&(bytes.len() as u32).to_le_bytes());
    out.extend_from_slice(bytes);
}

/// The id of a vector space. Vectors of different encoders cannot be compared.
pub(super) fn space(encoder: &str) -> u64 {
    let hash = blake3::hash(encoder.as_bytes());
    hash.as_bytes().first_chunk().map_or(0, |first_chunk| u64::from_le_bytes(*first_chunk))
}

/// Reads a row. Each method returns `None` on malformed data.
pub(super) struct FeedbackRowReader<'a> {
    rest: &'a [u8],
}

impl<'a> FeedbackRowReader<'a> {
    pub(super) fn new(row: &'a [u8]) -> Option<Self> {
        row.strip_prefix(HEADER).map(|rest| Self { rest })
    }

    pub(super) fn number(&mut self) -> Option<u64> {
        let (number, rest) = self.rest.split_first_chunk()?;
        self.rest = rest;
        Some(u64::from_le_bytes(*number))
    }

    pub(super) fn text(&mut self) -> Option<String> {
        String::from_utf8(self.bytes()?.to_vec()).ok()
    }

    pub(super) fn tool(&mut self) -> Option<ToolId> {
        let source = SourceId::new(&self.text()?).ok()?;
        Some(ToolId::new(source, ToolName::new(&self.text()?).ok()?))
    }

    #[expect(clippy::option_option, reason = "a row may end here, or hold no vector here")]
    pub(super) fn embedding(&mut self) -> Option<Option<(u64, Vector)>> {
        let bytes = self.bytes()?;
        if bytes.is_empty() {
            return Some(None);
        }
        let vector = Vector::from_bytes(bytes)?;
        Some(Some((self.number()?, vector)))
    }

    fn bytes(&mut self) -> Option<&'a [u8]> {
        let (length, rest) = self.rest.split_first_chunk()?;
        let (bytes, rest) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
        self.rest = rest;
        Some(bytes)
    }
}
