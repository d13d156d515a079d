//! Appends records to the files of the journal, and counts those that could not be written.

use super::append::{JournalFolder, lost};
use super::in_flight::Abandoned;
use super::{JournalRecord, OnWriteError};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

pub(super) struct Appender {
    folder: JournalFolder,
    /// Number of records that were not written. The next successful write records it.
    lost: AtomicU64,
    has_reported: AtomicBool,
    /// Whether this process has looked for work of dead processes.
    has_adopted: AtomicBool,
    on_error: OnWriteError,
}

impl Appender {
    pub(super) fn new(folder: JournalFolder, on_error: OnWriteError) -> Self {
        Self {
            folder,
            lost: AtomicU64::new(0),
            has_reported: AtomicBool::new(false),
            has_adopted: AtomicBool::new(false),
            on_error,
        }
    }

    pub(super) fn add_lost(&self, count: u64) {
        self.lost.fetch_add(count, Ordering::Relaxed);
    }

    /// Whether there is something to write besides queued records.
    pub(super) fn has_more(&self) -> bool {
        self.lost.load(Ordering::Relaxed) > 0
            || (!self.has_adopted.load(Ordering::Relaxed) && !self.abandoned().records.is_empty())
    }

    /// Writes these records, preceded by those of dead processes and by the number of missing ones,
    /// if any.
    pub(super) fn write(&self, mut records: Vec<JournalRecord>) {
        let missing = self.lost.swap(0, Ordering::Relaxed);
        let count = records.len() as u64;
        let mut abandoned = Abandoned::default();
        if !self.has_adopted.swap(true, Ordering::Relaxed) {
            abandoned = self.abandoned();
            records.splice(0..0, abandoned.records.drain(..));
        }
        if missing > 0 {
            records.insert(0, lost(missing));
        }
        if records.is_empty() {
            return;
        }
        if let Err(cause) = self.folder.append(&records) {
            self.add_lost(missing + count);
            if !self.has_reported.swap(true, Ordering::Relaxed) {
                (self.on_error)(&cause);
            }
            return;
        }
        abandoned.remove();
    }

    /// The work of dead processes. A file that cannot be read is left to another process.
    fn abandoned(&self) -> Abandoned {
        Abandoned::find(self.folder.dir()).unwrap_or_default()
    }
}
