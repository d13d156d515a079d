//! Work in progress: the record that the journal gets if this process is killed before the work
//! ends.
//!
//! Each process has a file of its own, with a slot for each running piece of work. Writing a slot
//! is one system call without a lock, because it happens before every call of a tool. The file is
//! locked while its process lives; the first process that writes to the journal afterwards moves
//! the records of a dead one into the chain.

use super::JournalRecord;
use crate::sqlite::file::{if_exists, open_private};
use parking_lot::Mutex;
use std::fs::{self, File, TryLockError};
use std::hash::{BuildHasher, RandomState};
use std::io::{self, BufRead, BufReader, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use toolscout_core::Moment;

/// The start of the names of the files, in the folder of the journal.
const PREFIX: &str = "running-";
/// Bytes of a slot.
const SLOT: u64 = 4_096;
/// Maximum number of slots; work beyond it has none.
const MAX_SLOTS: u64 = 4_096;
/// The kind of the records.
const KIND: &str = "call";

/// The slots of this process.
pub(super) struct InFlightFile {
    dir: PathBuf,
    slots: Mutex<Slots>,
}

#[derive(Default)]
struct Slots {
    /// Opened for the first piece of work.
    file: Option<(File, PathBuf)>,
    free: Vec<u64>,
    used: u64,
}

/// A running piece of work. Dropping it clears its slot, so it must be kept until the record of
/// its end is written.
pub struct InFlight {
    owner: Arc<InFlightFile>,
    slot: u64,
}

impl InFlightFile {
    /// The file of this process in this folder of a journal; opens nothing.
    pub(super) fn new(dir: &Path) -> Self {
        Self { dir: dir.to_owned(), slots: Mutex::default() }
    }

    /// Writes the record into a free slot; none if it does not fit or cannot be written.
    pub(super) fn begin(self: &Arc<Self>, at: Moment, body: &str) -> Option<InFlight> {
        let line = format!("{} {body}\n", at.0);
        if line.len() as u64 > SLOT || body.contains('\n') {
            return None;
        }
        let mut slots = self.slots.lock();
        let slot = slots.free.last().copied().unwrap_or(slots.used);
        if slot >= MAX_SLOTS {
            return None;
        }
        if slots.file.is_none() {
            slots.file = Some(create(&self.dir).ok()?);
        }
        slots.write(slot, line.as_bytes()).ok()?;
        if slots.free.pop().is_none() {
            slots.used += 1;
        }
        Some(InFlight { owner: self.clone(), slot })
    }
}

impl Slots {
    fn write(&mut self, slot: u64, bytes: &[u8]) -> io::Result<()> {
        let Some((file, _)) = &mut self.file else { return Ok(()) };
        file.seek(SeekFrom::Start(slot * SLOT))?;
        file.write_all(bytes)
    }
}

impl Drop for InFlight {
    fn drop(&mut self) {
        let mut slots = self.owner.slots.lock();
        if slots.write(self.slot, b"\n").is_ok() {
            slots.free.push(self.slot);
        }
    }
}

impl Drop for InFlightFile {
    /// Nothing is running any more.
    fn drop(&mut self) {
        if let Some((_, path)) = self.slots.lock().file.take() {
            let _ = fs::remove_file(path);
        }
    }
}

/// Creates a locked file. It gets its name after it is locked, so that another process does not
/// take it for that of a dead one.
fn create(dir: &Path) -> io::Result<(File, PathBuf)> {
    fs::create_dir_all(dir)?;
    let random = RandomState::new().hash_one(std::process::id());
    let path = dir.join(format!("{PREFIX}{random:016x}"));
    let unnamed = path.with_extension("new");
    let file = open_private(&unnamed)?;
    file.lock()?;
    fs::rename(&unnamed, &path)?;
    Ok((file, path))
}

/// The files that dead processes have left, locked by this process. Dropping it without
/// [`remove`](Self::remove) leaves them to another one.
#[derive(Default)]
pub(super) struct Abandoned {
    files: Vec<(File, PathBuf)>,
    /// The records of the work that did not end.
    pub(super) records: Vec<JournalRecord>,
}

impl Abandoned {
    /// Looks for files of dead processes in this folder of a journal.
    pub(super) fn find(dir: &Path) -> io::Result<Self> {
        let mut found = Self::default();
        let Some(entries) = if_exists(fs::read_dir(dir))? else { return Ok(found) };
        for entry in entries {
            let path = entry?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            if !name.starts_with(PREFIX) || path.extension().is_some() {
                continue;
            }
            let Some(file) = if_exists(File::open(&path))? else { continue };
            match file.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => continue,
                Err(TryLockError::Error(error)) => return Err(error),
            }
            // Another process may have moved the records since the file was opened.
            if path.exists() {
                found.records.extend(records(&file)?);
                found.files.push((file, path));
            }
        }
        found.records.sort_by_key(|record| record.at);
        Ok(found)
    }

    /// Removes the files: their records are in the journal.
    pub(super) fn remove(self) {
        for (_file, path) in self.files {
            let _ = fs::remove_file(path);
        }
    }
}

fn records(file: &File) -> io::Result<Vec<JournalRecord>> {
    let slots = file.metadata()?.len().div_ceil(SLOT).min(MAX_SLOTS);
    let mut records = Vec::new();
    let mut file = BufReader::new(file);
    for slot in 0..slots {
        file.seek(SeekFrom::Start(slot * SLOT))?;
        let mut line = Vec::new();
        io::Read::take(&mut file, SLOT).read_until(b'\n', &mut line)?;
        records.extend(std::str::from_utf8(&line).ok().and_then(record));
    }
    Ok(records)
}

fn record(line: &str) -> Option<JournalRecord> {
    let (at, body) = line.strip_suffix('\n')?.split_once(' ')?;
    let is_object = body.starts_with('{') && body.ends_with('}');
    let at = Moment(at.parse().ok()?);
    is_object.then(|| JournalRecord { at, kind: KIND, body: body.to_owned() })
}
