//! Where the journal began, recorded in the store: if all files of the journal are deleted, none of
//! them can show it.

use super::line::ChainHash;
use toolscout_core::{Namespace, Store, StoreError};

const KEY: &str = "start";

/// The beginning of a journal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct JournalStart {
    /// The hash of the first line.
    pub(super) first: ChainHash,
    /// The number of the last line when a file was last completed.
    pub(super) records: u64,
}

impl JournalStart {
    /// The recorded start; `None` if there is none, or it cannot be read.
    pub(super) fn read(store: &dyn Store) -> Option<Self> {
        let bytes = store.read(Namespace::JournalStart, KEY).ok()??;
        let (first, records) = std::str::from_utf8(&bytes).ok()?.split_once(' ')?;
        Some(Self { first: ChainHash::read(first)?, records: records.parse().ok()? })
    }

    /// Records this start in place of an earlier one.
    pub(super) fn write(self, store: &dyn Store) -> Result<(), StoreError> {
        let text = format!("{} {}", self.first, self.records);
        store.write(Namespace::JournalStart, KEY, text.as_bytes())
    }
}
