//! `[journal]`: how much of what happened is kept.

use super::keys::{Keys, Wrong, did_you_mean};
use serde_json::Value;

const KEY: &str = "journal";
const KEYS: [&str; 1] = ["keep"];
/// In megabytes; less than two files of it cannot be kept.
const FEWEST: u64 = 8;
const MOST: u64 = 4_096;

/// What is configured; every field may be left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct JournalSettings {
    /// How much is kept.
    pub keep: Option<JournalRetention>,
}

/// How much of what happened is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JournalRetention {
    /// Nothing is written down.
    Off,
    /// So many bytes; the oldest goes first.
    Bytes(u64),
}

impl JournalSettings {
    pub(super) fn read(keys: &mut Keys) -> Result<Self, Wrong> {
        let Some(mut inner) = keys.inner(KEY)? else { return Ok(Self::default()) };
        let wrong = |reason: String| Wrong { key: KEY.to_owned(), reason: format!("`{KEY}`: {reason}") };
        let keep = match inner.take("keep") {
            None => None,
            Some(Value::String(word)) if word == "off" => Some(JournalRetention::Off),
            Some(value) => match value.as_u64() {
                Some(megabytes @ FEWEST..=MOST) => Some(JournalRetention::Bytes(megabytes << 20)),
                _ => return Err(wrong(format!("`keep` must be megabytes, from {FEWEST} to {MOST}, or `off`"))),
            },
        };
        match inner.left().next() {
            Some((_, key)) => Err(wrong(format!("unknown key `{key}`{}", did_you_mean(key, &KEYS)))),
            None => Ok(Self { keep }),
        }
    }

    pub(super) fn or(self, other: Self) -> Self {
        Self { keep: self.keep.or(other.keep) }
    }
}
