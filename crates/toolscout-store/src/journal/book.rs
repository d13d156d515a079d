//! How records get into the files: one process at a time, some lines in one piece, then the head.

use super::head::LockedHead;
use super::line::{self, LONGEST};
use super::tail::JournalTail;
use super::{JournalRecord, SEGMENT, folder, reader};
use std::fs;
use std::io::{self, Seek, SeekFrom, Write};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use toolscout_core::{Moment, Store};

/// Longer nobody waits for another process to be done with its lines.
const PATIENCE: Duration = Duration::from_millis(500);
/// Fewer files are never kept, so that dropping the oldest leaves something.
const FEWEST: u64 = 2;

/// A folder of lines.
pub(super) struct JournalFolder {
    dir: PathBuf,
    store: Arc<dyn Store>,
    /// How many files are kept.
    files: u32,
    segment: u64,
}

impl JournalFolder {
    pub(super) fn new(dir: PathBuf, store: Arc<dyn Store>, keep: u64) -> Self {
        Self::with_segments(dir, store, keep, SEGMENT)
    }

    /// The same, with files of another size.
    pub(super) fn with_segments(dir: PathBuf, store: Arc<dyn Store>, keep: u64, segment: u64) -> Self {
        let files = u32::try_from((keep / segment).max(FEWEST)).unwrap_or(u32::MAX);
        Self { dir, store, files, segment }
    }

    /// Writes them all, or says why not; then none of those that a reader does not see.
    pub(super) fn append(&self, records: &[JournalRecord]) -> io::Result<()> {
        let key = key(&*self.store)?;
        let mut locked = LockedHead::take(&self.dir, PATIENCE)?;
        let mut tail = JournalTail::find(&self.dir, &key, &mut locked)?;
        let mended: Vec<_> = tail.mended.drain(..).map(|it| mended(&it)).collect();
        let mut text = String::with_capacity(512 * (records.len() + mended.len()));
        let mut last = tail.head.last;
        for record in mended.iter().chain(records) {
            if tail.head.length + text.len() as u64 >= self.segment {
                self.write(&mut tail, &mut text, last, &mut locked, &key)?;
                self.turn_over(&mut tail, &mut locked, &key)?;
                // Files that somebody has put there go into the chain.
                last = tail.head.last;
            }
            last = line::write(&mut text, &key, last, &fitting(record));
        }
        self.write(&mut tail, &mut text, last, &mut locked, &key)
    }

    /// What cannot be written whole is not written.
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

    /// Begins the next file, and lets go of the oldest where there are too many.
    fn turn_over(&self, tail: &mut JournalTail, locked: &mut LockedHead, key: &[u8; 32]) -> io::Result<()> {
        tail.turn_over(&self.dir, key)?;
        let (was, first) = (tail.head.first, (tail.head.segment + 1).saturating_sub(self.files));
        if first <= was {
            return Ok(());
        }
        // Said before it is done: a file too many is no harm, one that is missed would be.
        let from = reader::first_of(&self.dir, first)?.unwrap_or(tail.head.last.n + 1);
        (tail.head.first, tail.head.from) = (first, from);
        locked.write(tail.head, key)?;
        for number in was..first {
            let _ = fs::remove_file(folder::segment(&self.dir, number));
        }
        Ok(())
    }
}

/// The key of the store is for other things, too.
pub(super) fn key(store: &dyn Store) -> io::Result<[u8; 32]> {
    let key = store.key().map_err(io::Error::other)?;
    Ok(blake3::derive_key("toolscout journal of what happened", &key))
}

/// What is too long to be a line is only counted.
fn fitting(record: &JournalRecord) -> std::borrow::Cow<'_, JournalRecord> {
    // Room for the number, the time, the kind and the seals.
    if record.body.len() + 256 > LONGEST || record.body.contains('\n') {
        std::borrow::Cow::Owned(lost(1))
    } else {
        std::borrow::Cow::Borrowed(record)
    }
}

/// Says how many records are missing.
pub(super) fn lost(records: u64) -> JournalRecord {
    JournalRecord { at: Moment::now(), kind: "lost", body: format!(r#"{{"records":{records}}}"#) }
}

fn mended(reason: &str) -> JournalRecord {
    JournalRecord { at: Moment::now(), kind: "mended", body: format!(r#"{{"reason":"{reason}"}}"#) }
}
