//! Appends records to the files of the journal, and counts those that could not be written.

use super::append::{JournalFolder, lost};
use super::{JournalRecord, OnWriteError};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

pub(super) struct Appender {
    folder: JournalFolder,
    /// Number of records that were not written. The next successful write records it.
    lost: AtomicU64,
    has_reported: AtomicBool,
    on_error: OnWriteError,
}

impl Appender {
    pub(super) fn new(folder: JournalFolder, on_error: OnWriteError) -> Self {
        Self { folder, lost: AtomicU64::new(0), has_reported: AtomicBool::new(false), on_error }
    }

    pub(super) fn add_lost(&self, count: u64) {
        self.lost.fetch_add(count, Ordering::Relaxed);
    }

    pub(super) fn has_lost(&self) -> bool {
        self.lost.load(Ordering::Relaxed) > 0
    }

    /// Writes these records, preceded by the number of missing ones, if any.
    pub(super) fn write(&self, mut records: Vec<JournalRecord>) {
        let missing = self.lost.swap(0, Ordering::Relaxed);
        let count = records.len() as u64;
        if missing > 0 {
            records.insert(0, lost(missing));
        }
        if let Err(cause) = self.folder.append(&records) {
            self.add_lost(missing + count);
            if !self.has_reported.swap(true, Ordering::Relaxed) {
                (self.on_error)(&cause);
            }
        }
    }
}
