//! The content of a file from before we changed it, so that the change can be undone byte for byte.

use crate::document::DocumentFormat;
use crate::{ConfigError, document, file};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::path::{Path, PathBuf};
use toolscout_core::{Digest, Namespace, Store, StoreError, digest};

/// The original content of a file, and the digest of the content that we wrote.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct FileBackup {
    /// `None` if the file did not exist.
    pub(crate) original: Option<Vec<u8>>,
    /// The digest of the content that we wrote; `None` if we removed the file. While the file
    /// matches it, no other program has changed the file.
    pub(crate) written: Option<Digest>,
    /// Folders that we created for it, outermost first.
    pub(crate) folders: Vec<PathBuf>,
    /// The permission bits of the original.
    pub(crate) mode: Option<u32>,
    /// The entries that we changed.
    pub(crate) entries: Vec<ChangedEntry>,
}

/// The keys that lead to an entry, and its value before a change; `None` for a new entry.
pub(crate) type OriginalEntry = (Vec<String>, Option<Value>);

/// An entry of a file that we changed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct ChangedEntry {
    /// The keys that lead to it.
    pub(crate) keys: Vec<String>,
    /// Its value before the change; `None` for a new entry.
    pub(crate) original: Option<Value>,
    /// The digest of the value that we wrote, which may contain a secret.
    written: Digest,
}

impl ChangedEntry {
    /// An entry of a file that now has this content.
    fn new((keys, original): OriginalEntry, written: &Map<String, Value>) -> Self {
        let written = value_digest(document::value_at(written, &keys));
        Self { keys, original, written }
    }

    /// Whether the entry has the value from before the change, or the one that we wrote.
    pub(crate) fn is_original_or_ours(&self, current: &Map<String, Value>) -> bool {
        let value = document::value_at(current, &self.keys);
        value == self.original.as_ref() || value_digest(value) == self.written
    }
}

/// The digest of a value, regardless of the order of its keys.
fn value_digest(value: Option<&Value>) -> Digest {
    let mut text = String::new();
    match value {
        Some(Value::Object(map)) => {
            digest::canonical(&document::without_empty_tables(map.clone()).into(), &mut text);
        }
        Some(value) => digest::canonical(value, &mut text),
        None => {}
    }
    Digest::of_bytes(text.as_bytes())
}

/// On disk: this header as one line of JSON, followed by the original bytes.
#[derive(Serialize, Deserialize)]
struct BackupHeader {
    version: u32,
    existed: bool,
    #[serde(default)]
    written: Option<String>,
    folders: Vec<PathBuf>,
    #[serde(default)]
    mode: Option<u32>,
    #[serde(default)]
    changed_entries: Vec<ChangedEntry>,
}

const VERSION: u32 = 1;

impl FileBackup {
    /// The backup of a file that is about to change from `original` to `written`.
    pub(crate) fn new(path: &Path, original: Option<&[u8]>, written: Option<&[u8]>) -> Self {
        Self {
            original: original.map(<[u8]>::to_vec),
            written: written.map(Digest::of_bytes),
            folders: file::missing_folders(path),
            mode: file::mode(path),
            entries: Vec::new(),
        }
    }

    /// Sets the entries that change, in a file that now has this content.
    pub(crate) fn set_entries(&mut self, entries: Vec<OriginalEntry>, path: &Path, written: &[u8]) {
        let text = std::str::from_utf8(written).unwrap_or_default();
        let written = DocumentFormat::from_path(path).parse(text).unwrap_or_default();
        let entries = entries.into_iter().map(|entry| ChangedEntry::new(entry, &written));
        self.entries = entries.collect();
    }

    /// The backup stored under this key; `None` if there is none, or it cannot be read.
    pub(crate) fn read(store: &dyn Store, key: &str) -> Result<Option<Self>, ConfigError> {
        let stored = store.read(Namespace::Backup, key).map_err(store_failed)?;
        Ok(stored.and_then(|value| Self::from_bytes(&value)))
    }

    /// Stores the backup. A file of a client is not changed unless it can be restored.
    pub(crate) fn save(&self, store: &dyn Store, key: &str) -> Result<(), ConfigError> {
        store.write(Namespace::Backup, key, &self.to_bytes()).map_err(store_failed)
    }

    pub(crate) fn delete(store: &dyn Store, key: &str) -> Result<(), ConfigError> {
        store.remove(Namespace::Backup, key).map(drop).map_err(store_failed)
    }

    /// Whether the file still has exactly the content that we wrote.
    pub(crate) fn is_unchanged(&self, bytes: Option<&[u8]>) -> bool {
        bytes.map(Digest::of_bytes) == self.written
    }

    /// Restores the original, if the file still has this content.
    pub(crate) fn restore(&self, path: &Path, current: Option<&[u8]>) -> Result<(), ConfigError> {
        match (&self.original, current) {
            (Some(original), Some(current)) => file::replace(path, Some(current), original),
            (Some(original), None) => {
                // Created with its permissions first: it may contain secrets.
                file::create_empty(path, self.mode.unwrap_or(0o600))?;
                file::replace(path, Some(b""), original)
            }
            (None, Some(current)) => file::remove(path, current, &self.folders),
            (None, None) => Ok(()),
        }
    }

    fn to_bytes(&self) -> Vec<u8> {
        let header = BackupHeader {
            version: VERSION,
            existed: self.original.is_some(),
            written: self.written.as_ref().map(Digest::to_string),
            folders: self.folders.clone(),
            mode: self.mode,
            changed_entries: self.entries.clone(),
        };
        let mut bytes = serde_json::to_vec(&header).unwrap_or_default();
        bytes.push(b'\n');
        bytes.extend(self.original.iter().flatten());
        bytes
    }

    fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let end = bytes.iter().position(|byte| *byte == b'\n')?;
        let header: BackupHeader = serde_json::from_slice(&bytes[..end])
            .ok()
            .filter(|header: &BackupHeader| header.version == VERSION)?;
        let original = header.existed.then(|| bytes[end + 1..].to_vec());
        let written = match header.written {
            Some(hex) => Some(Digest::from_hex(&hex)?),
            None => None,
        };
        Some(Self {
            original,
            written,
            folders: header.folders,
            mode: header.mode,
            entries: header.changed_entries,
        })
    }
}

/// The key of the backup of a connected client's file.
pub(crate) fn client_key(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

pub(crate) fn store_failed(error: StoreError) -> ConfigError {
    ConfigError::Unavailable {
        message: format!("the backups of changed files are not available: {error}"),
        hint: "set TOOLSCOUT_STATE_DIR to a writable folder".to_owned(),
    }
}
