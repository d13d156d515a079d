//! Appends records to the files: one process at a time, several lines per write, then the head.

use super::head::LockedHead;
use super::line::{self, MAX_LINE_BYTES};
use super::start::JournalStart;
use super::tail::JournalTail;
use super::{JournalRecord, SEGMENT, paths, reader};
use std::fs;
use std::io::{self, Seek, SeekFrom, Write};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use toolscout_core::{Moment, Store};

/// Maximum wait for another process that holds the lock.
const LOCK_TIMEOUT: Duration = Duration::from_millis(500);
/// Minimum number of files, so that deleting the oldest leaves something.
const MIN_FILES: u64 = 2;

/// The files of a journal, as their writer.
pub(super) struct JournalFolder {
    dir: PathBuf,
    store: Arc<dyn Store>,
    /// Maximum number of files.
    files: u32,
    segment: u64,
}

impl JournalFolder {
    pub(super) fn new(dir: PathBuf, store: Arc<dyn Store>, limit: u64) -> Self {
        Self::with_segments(dir, store, limit, SEGMENT)
    }

    /// Like [`new`](Self::new), with another file size.
    pub(super) fn with_segments(
        dir: PathBuf,
        store: Arc<dyn Store>,
        limit: u64,
        segment: u64,
    ) -> Self {
        let files = u32::try_from((limit / segment).max(MIN_FILES)).unwrap_or(u32::MAX);
        Self { dir, store, files, segment }
    }

    /// The folder.
    pub(super) fn dir(&self) -> &std::path::Path {
        &self.dir
    }

    /// Appends all records. After an error, the text that could not be written completely is cut
    /// off again; records of the same batch in an earlier segment stay.
    pub(super) fn append(&self, records: &[JournalRecord]) -> io::Result<()> {
        let key = key(&*self.store)?;
        let mut locked = LockedHead::lock(&self.dir, LOCK_TIMEOUT)?;
        let mut tail = JournalTail::find(&self.dir, &key, &mut locked)?;
        let repairs: Vec<_> = tail.repairs.drain(..).map(|reason| repair_record(&reason)).collect();
        let mut text = String::with_capacity(512 * (records.len() + repairs.len()));
        let mut last = tail.head.last;
        let mut first = None;
        for record in repairs.iter().chain(records) {
            if tail.head.length + text.len() as u64 >= self.segment {
                self.write(&mut tail, &mut text, last, &mut locked, &key)?;
                self.rotate(&mut tail, &mut locked, &key)?;
                // The new segment may have existed already; its valid lines became a part of the
                // chain.
                last = tail.head.last;
            }
            last = line::write(&mut text, &key, last, &fit_line(record));
            if last.n == 1 {
                first = Some(last.hash);
            }
        }
        self.write(&mut tail, &mut text, last, &mut locked, &key)?;
        // The start of an earlier journal stays: its files were deleted.
        if let Some(first) = first.filter(|_| JournalStart::read(&*self.store).is_none()) {
            let _ = JournalStart { first, records: last.n }.write(&*self.store);
        }
        Ok(())
    }

    /// Appends the text completely, or truncates the file to its old length and returns the error.
    fn write(
        &self,
        tail: &mut JournalTail,
        text: &mut String,
        last: line::ChainPosition,
        locked: &mut LockedHead,
        key: &[u8; 32],
    ) -> io::Result<()> {
        if let Err(cause) = tail.file.write_all(text.as_bytes()) {
            let _ = tail.file.set_len(tail.head.length);
            let _ = tail.file.seek(SeekFrom::Start(tail.head.length));
            return Err(cause);
        }
        tail.head.length += text.len() as u64;
        tail.head.last = last;
        text.clear();
        locked.write(tail.head, key)
    }

    /// Starts the next file, and deletes the oldest if there are too many.
    fn rotate(
        &self,
        tail: &mut JournalTail,
        locked: &mut LockedHead,
        key: &[u8; 32],
    ) -> io::Result<()> {
        tail.rotate(&self.dir, key)?;
        if let Some(start) = JournalStart::read(&*self.store) {
            let records = start.records.max(tail.head.last.n);
            let _ = JournalStart { records, ..start }.write(&*self.store);
        }
        let (was, first) = (tail.head.first, (tail.head.segment + 1).saturating_sub(self.files));
        if first <= was {
            return Ok(());
        }
        // Update the head before deleting: a leftover file is harmless, but a file that the head
        // still lists would count as missing.
        let from = reader::first_line_number(&self.dir, first)?.unwrap_or(tail.head.last.n + 1);
        (tail.head.first, tail.head.from) = (first, from);
        locked.write(tail.head, key)?;
        for number in was..first {
            let _ = fs::remove_file(paths::segment(&self.dir, number));
        }
        Ok(())
    }
}

/// Derives a key for the journal, since the key of the store has other uses, too.
pub(super) fn key(store: &dyn Store) -> io::Result<[u8; 32]> {
    let key = store.key().map_err(io::Error::other)?;
    Ok(blake3::derive_key("toolscout journal of what happened", &key))
}

/// Replaces a record that is too long for a line by a count of lost records.
fn fit_line(record: &JournalRecord) -> std::borrow::Cow<'_, JournalRecord> {
    // The margin is for the number, the time, the kind and the hashes.
    if record.body.len() + 256 > MAX_LINE_BYTES || record.body.contains('\n') {
        std::borrow::Cow::Owned(lost(1))
    } else {
        std::borrow::Cow::Borrowed(record)
    }
}

/// A record of how many records are missing.
pub(super) fn lost(records: u64) -> JournalRecord {
    JournalRecord {
        at: Moment::now(),
        kind: "dropped",
        body: format!(r#"{{"records":{records}}}"#),
    }
}

fn repair_record(reason: &str) -> JournalRecord {
    JournalRecord {
        at: Moment::now(),
        kind: "repaired",
        body: format!(r#"{{"reason":"{reason}"}}"#),
    }
}
