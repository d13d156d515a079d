//! A line of the journal: a JSON object whose first fields identify it, and whose last fields seal
//! it.
//!
//! `{"n":7,"at":"2026-07-28T12:00:00.000Z","kind":"call",…,"prev":"<32 digits>","hash":"<32
//! digits>"}`. The hash covers all bytes before it, so a line can be verified without parsing it as
//! JSON.

use super::JournalRecord;
use std::fmt::{self, Write as _};

/// Maximum length of a line in bytes.
pub(super) const MAX_LINE_BYTES: usize = 16 << 10;

/// The seal of a line: the first half of a keyed hash.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChainHash([u8; 16]);

impl ChainHash {
    /// The `prev` of the first line.
    pub(super) const NONE: Self = Self([0; 16]);

    pub(super) fn keyed(key: &[u8; 32], bytes: &[u8]) -> Self {
        let mut hash = [0; 16];
        hash.copy_from_slice(&blake3::keyed_hash(key, bytes).as_bytes()[..16]);
        Self(hash)
    }

    /// Parses 32 hexadecimal digits.
    pub fn read(digits: &str) -> Option<Self> {
        let is_hex = digits.len() == 32
            && digits.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        u128::from_str_radix(digits, 16)
            .ok()
            .filter(|_| is_hex)
            .map(|value| Self(value.to_be_bytes()))
    }
}

impl fmt::Display for ChainHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", u128::from_be_bytes(self.0))
    }
}

/// The position of a line in the chain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChainPosition {
    /// The number of the line.
    pub n: u64,
    /// Its hash.
    pub hash: ChainHash,
}

impl ChainPosition {
    /// The position before the first line.
    pub const START: Self = Self { n: 0, hash: ChainHash::NONE };
}

/// Appends the line that follows this position, with its line end; returns its position.
pub(super) fn write(
    out: &mut String,
    key: &[u8; 32],
    after: ChainPosition,
    record: &JournalRecord,
) -> ChainPosition {
    let start = out.len();
    let n = after.n + 1;
    // Writing to a `String` cannot fail.
    let _ = write!(out, r#"{{"n":{n},"at":"{}","kind":"{}""#, record.at, record.kind);
    let body =
        record.body.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')).unwrap_or_default();
    if !body.is_empty() {
        out.push(',');
        out.push_str(body);
    }
    let _ = write!(out, r#","prev":"{}""#, after.hash);
    let hash = ChainHash::keyed(key, &out.as_bytes()[start..]);
    let _ = writeln!(out, r#","hash":"{hash}"}}"#);
    ChainPosition { n, hash }
}

/// A line as found in a file.
#[derive(Debug, Clone, Copy)]
pub(super) struct JournalLine<'a> {
    pub(super) start: LineStart<'a>,
    pub(super) prev: ChainHash,
    pub(super) hash: ChainHash,
    sealed: &'a str,
}

/// The first fields of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct LineStart<'a> {
    pub(super) n: u64,
    /// RFC 3339, always of the same length, so text order is time order.
    pub(super) at: &'a str,
    pub(super) kind: &'a str,
}

impl<'a> LineStart<'a> {
    pub(super) fn read(line: &'a str) -> Option<Self> {
        let rest = line.strip_prefix(r#"{"n":"#)?;
        let (n, rest) = rest.split_once(r#","at":""#)?;
        let (at, rest) = rest.split_once(r#"","kind":""#)?;
        let (kind, _) = rest.split_once('"')?;
        Some(Self { n: n.parse().ok()?, at, kind })
    }
}

impl<'a> JournalLine<'a> {
    /// Splits a line into its parts; none if it does not have the shape of a line.
    pub(super) fn read(line: &'a str) -> Option<Self> {
        let (sealed, end) = line.split_at_checked(line.len().checked_sub(43)?)?;
        let hash = ChainHash::read(end.strip_prefix(r#","hash":""#)?.strip_suffix("\"}")?)?;
        let (_, end) = sealed.split_at_checked(sealed.len().checked_sub(42)?)?;
        let prev = ChainHash::read(end.strip_prefix(r#","prev":""#)?.strip_suffix('"')?)?;
        Some(Self { start: LineStart::read(line)?, prev, hash, sealed })
    }

    /// Why the line is not as it was written, or does not follow this position; none if it does.
    /// Without a position, it may be any line of the chain.
    pub(super) fn error(&self, key: &[u8; 32], last: Option<ChainPosition>) -> Option<String> {
        let n = self.start.n;
        if !self.is_sealed(key) {
            return Some(format!("record {n} was changed: its hash does not match its content"));
        }
        let last = last?;
        match n {
            _ if self.follows(last) => None,
            n if n > last.n + 1 => Some(format!("records {} to {} are missing", last.n + 1, n - 1)),
            n if n <= last.n => Some(format!("record {n} comes after record {}", last.n)),
            n => {
                Some(format!("record {n} does not continue the hash chain of the record before it"))
            }
        }
    }

    /// Whether the line is as it was written.
    pub(super) fn is_sealed(&self, key: &[u8; 32]) -> bool {
        ChainHash::keyed(key, self.sealed.as_bytes()) == self.hash
    }

    /// Whether it is the line directly after this position.
    pub(super) fn follows(&self, position: ChainPosition) -> bool {
        self.prev == position.hash && self.start.n == position.n + 1
    }

    pub(super) fn position(&self) -> ChainPosition {
        ChainPosition { n: self.start.n, hash: self.hash }
    }
}
