//! The journal of changes: before a change writes a file, it records the original, so that `undo`
//! can restore it.

use crate::ConfigError;
use crate::backup::{FileBackup, OriginalEntry, store_failed};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use toolscout_core::{Moment, Namespace, Store};

/// The number of changes that can be undone.
const MAX_CHANGES: usize = 20;
/// The size of all recorded originals, in bytes. The last change is always kept.
const MAX_BYTES: usize = 64 << 20;
/// The beginning of all keys of the journal. Backups of connected clients are keyed by their paths.
const PREFIX: &str = "change/";

/// A change, and everything that it has written.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct ChangeRecord {
    pub(crate) number: u64,
    /// Milliseconds since 1970.
    pub(crate) time: u64,
    /// The operation: `server add`.
    pub(crate) operation: String,
    /// The change in words, as an imperative.
    pub(crate) summary: String,
    /// Written files; the backup of each has its index in its key.
    pub(crate) files: Vec<PathBuf>,
    /// Written rows of the store.
    #[serde(default)]
    pub(crate) rows: Vec<RecordedRow>,
    /// New entries of the system's keyring.
    #[serde(default)]
    pub(crate) keyring: Vec<String>,
    /// The size of all originals, in bytes.
    #[serde(default)]
    pub(crate) bytes: usize,
}

/// A row of the store: namespace and key.
pub(crate) type RecordedRow = (String, String);

/// Records what one change writes, before it is written. Records nothing if the change writes
/// nothing.
pub struct ChangeRecorder {
    store: Arc<dyn Store>,
    record: Mutex<ChangeRecord>,
}

impl ChangeRecorder {
    /// A recorder for one change: the operation, and the change in words.
    pub fn new(store: Arc<dyn Store>, operation: &str, summary: &str) -> Self {
        let record = ChangeRecord {
            number: 0,
            time: Moment::now().0,
            operation: operation.to_owned(),
            summary: summary.to_owned(),
            files: Vec::new(),
            rows: Vec::new(),
            keyring: Vec::new(),
            bytes: 0,
        };
        Self { store, record: Mutex::new(record) }
    }

    /// Records that a file is about to be written, or removed if `written` is none.
    pub(crate) fn file(
        &self,
        path: &Path,
        original: Option<&[u8]>,
        written: Option<&[u8]>,
        mut entries: Vec<OriginalEntry>,
    ) -> Result<(), ConfigError> {
        let mut backup = FileBackup::new(path, original, written);
        self.update(|record| {
            if let Some(index) = record.files.iter().position(|file| file == path) {
                // Written twice by one change: the original is that of the first time, unless
                // another program has changed the file in between.
                let key = file_key(record.number, index);
                let first = FileBackup::read(&*self.store, &key)?;
                if let Some(first) = first.filter(|first| first.is_unchanged(original)) {
                    let is_new = |(keys, _): &OriginalEntry| {
                        !first.entries.iter().any(|earlier| keys.starts_with(&earlier.keys))
                    };
                    entries.retain(is_new);
                    let earlier = first.entries.into_iter();
                    entries.splice(0..0, earlier.map(|entry| (entry.keys, entry.original)));
                    backup.original = first.original;
                    backup.folders = first.folders;
                    backup.mode = first.mode;
                }
                backup.set_entries(entries, path, written.unwrap_or_default());
                return backup.save(&*self.store, &key);
            }
            backup.set_entries(entries, path, written.unwrap_or_default());
            backup.save(&*self.store, &file_key(record.number, record.files.len()))?;
            record.bytes += original.map_or(0, <[u8]>::len);
            record.files.push(path.to_owned());
            Ok(())
        })
    }

    /// Removes the record of a file that could not be written in the end.
    pub(crate) fn retract_file(&self, path: &Path) -> Result<(), ConfigError> {
        let mut record = self.record.lock().unwrap_or_else(PoisonError::into_inner);
        if record.number == 0 || record.files.last().is_none_or(|last| last != path) {
            return Ok(());
        }
        record.files.pop();
        let key = file_key(record.number, record.files.len());
        self.store.remove(Namespace::Backup, &key).map_err(store_failed)?;
        if record.files.is_empty() && record.rows.is_empty() && record.keyring.is_empty() {
            let key = record_key(record.number);
            record.number = 0;
            return self.store.remove(Namespace::Backup, &key).map(drop).map_err(store_failed);
        }
        let value = serde_json::to_vec(&*record).unwrap_or_default();
        self.store
            .write(Namespace::Backup, &record_key(record.number), &value)
            .map_err(store_failed)
    }

    /// Whether a file belongs to the change already.
    pub(crate) fn has_file(&self, path: &Path) -> bool {
        let record = self.record.lock().unwrap_or_else(PoisonError::into_inner);
        record.files.iter().any(|file| file == path)
    }

    /// Records that a row of the store is about to be written or removed.
    pub fn row(&self, namespace: Namespace, key: &str) -> Result<(), ConfigError> {
        let value = self.store.read(namespace, key).map_err(store_failed)?;
        let row = (namespace.as_str().to_owned(), key.to_owned());
        self.update(|record| {
            if record.rows.contains(&row) {
                return Ok(());
            }
            if let Some(value) = &value {
                let key = row_key(record.number, record.rows.len());
                self.store.write(Namespace::Backup, &key, value).map_err(store_failed)?;
                record.bytes += value.len();
            }
            record.rows.push(row);
            Ok(())
        })
    }

    /// Records that an entry is about to be added to the system's keyring.
    pub(crate) fn keyring(&self, name: &str) -> Result<(), ConfigError> {
        self.update(|record| {
            record.keyring.push(name.to_owned());
            Ok(())
        })
    }

    /// Changes the record and stores it; the first change assigns its number.
    fn update(
        &self,
        change: impl FnOnce(&mut ChangeRecord) -> Result<(), ConfigError>,
    ) -> Result<(), ConfigError> {
        let mut record = self.record.lock().unwrap_or_else(PoisonError::into_inner);
        if record.number == 0 {
            let records = read_all(&*self.store)?;
            remove_oldest(&*self.store, &records)?;
            record.number = records.first().map_or(1, |newest| newest.number + 1);
            // Another process may take the same number at the same time.
            while !self.store_new(&record)? {
                record.number += 1;
            }
        }
        change(&mut record)?;
        let value = serde_json::to_vec(&*record).unwrap_or_default();
        self.store
            .write(Namespace::Backup, &record_key(record.number), &value)
            .map_err(store_failed)
    }

    fn store_new(&self, record: &ChangeRecord) -> Result<bool, ConfigError> {
        let value = serde_json::to_vec(record).unwrap_or_default();
        let key = record_key(record.number);
        self.store.swap(Namespace::Backup, &key, None, Some(&value)).map_err(store_failed)
    }
}

impl std::fmt::Debug for ChangeRecorder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("ChangeRecorder")
    }
}

/// All records, newest first. A record that cannot be read is left out.
pub(crate) fn read_all(store: &dyn Store) -> Result<Vec<ChangeRecord>, ConfigError> {
    let keys = store.keys(Namespace::Backup).map_err(store_failed)?;
    let is_record = |key: &&String| {
        key.strip_prefix(PREFIX).is_some_and(|number| number.bytes().all(|c| c.is_ascii_digit()))
    };
    let mut records = Vec::new();
    for key in keys.iter().filter(is_record) {
        let value = store.read(Namespace::Backup, key).map_err(store_failed)?;
        let record = value.and_then(|value| serde_json::from_slice::<ChangeRecord>(&value).ok());
        records.extend(record);
    }
    records.sort_by_key(|record| std::cmp::Reverse(record.number));
    Ok(records)
}

/// Removes a record with all its backups.
pub(crate) fn remove(store: &dyn Store, record: &ChangeRecord) -> Result<(), ConfigError> {
    let files = (0..record.files.len()).map(|index| file_key(record.number, index));
    let rows = (0..record.rows.len()).map(|index| row_key(record.number, index));
    for key in files.chain(rows).chain([record_key(record.number)]) {
        FileBackup::delete(store, &key)?;
    }
    Ok(())
}

/// The key of the backup of a file of a change.
pub(crate) fn file_key(number: u64, index: usize) -> String {
    format!("{PREFIX}{number:010}/file/{index}")
}

/// The key of the original of a row of a change.
pub(crate) fn row_key(number: u64, index: usize) -> String {
    format!("{PREFIX}{number:010}/row/{index}")
}

fn record_key(number: u64) -> String {
    format!("{PREFIX}{number:010}")
}

/// Makes room for one more change.
fn remove_oldest(store: &dyn Store, records: &[ChangeRecord]) -> Result<(), ConfigError> {
    let mut bytes = 0;
    for (index, record) in records.iter().enumerate() {
        bytes += record.bytes;
        if index + 1 >= MAX_CHANGES || bytes > MAX_BYTES {
            remove(store, record)?;
        }
    }
    Ok(())
}
