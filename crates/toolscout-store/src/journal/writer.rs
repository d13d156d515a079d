//! Appends records to the files of the journal, and counts those that could not be written.

use super::book::{JournalFolder, lost};
use super::{JournalRecord, OnWriteError};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

pub(super) struct Appender {
    folder: JournalFolder,
    /// Records that were not written. The next record written says how many.
    lost: AtomicU64,
    has_reported: AtomicBool,
    on_trouble: OnWriteError,
}

impl Appender {
    pub(super) fn new(book: JournalFolder, on_trouble: OnWriteError) -> Self {
        Self { folder: book, lost: AtomicU64::new(0), has_reported: AtomicBool::new(false), on_trouble }
    }

    pub(super) fn add_lost(&self, count: u64) {
        self.lost.fetch_add(count, Ordering::Relaxed);
    }

    pub(super) fn has_lost(&self) -> bool {
        self.lost.load(Ordering::Relaxed) > 0
    }

    /// Writes these, and before them how many are missing.
    pub(super) fn write(&self, mut records: Vec<JournalRecord>) {
        let missing = self.lost.swap(0, Ordering::Relaxed);
        let count = records.len() as u64;
        if missing > 0 {
            records.insert(0, lost(missing));
        }
        if let Err(cause) = self.folder.append(&records) {
            self.add_lost(missing + count);
            if !self.has_reported.swap(true, Ordering::Relaxed) {
                (self.on_trouble)(&cause);
            }
        }
    }
}
