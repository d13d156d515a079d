//! The content of a file from before we changed it, so that the change can be undone byte for byte.

use crate::ConfigError;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use toolscout_core::{Digest, Namespace, Store, StoreError};

/// The original content of a file, and the digest of the content that we wrote.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct FileBackup {
    /// `None` if the file did not exist.
    pub(super) original: Option<Vec<u8>>,
    /// The digest of the content that we wrote. While the file matches it, no other program has
    /// changed the file.
    pub(super) written: Digest,
    /// Folders that we created for it, outermost first.
    pub(super) folders: Vec<PathBuf>,
}

/// On disk: this header as one line of JSON, followed by the original bytes.
#[derive(Serialize, Deserialize)]
struct BackupHeader {
    version: u32,
    existed: bool,
    written: String,
    folders: Vec<PathBuf>,
}

const VERSION: u32 = 1;

impl FileBackup {
    pub(super) fn read(store: &dyn Store, path: &Path) -> Result<Option<Self>, ConfigError> {
        let kept = store.read(Namespace::Backup, &key(path)).map_err(unkept)?;
        Ok(kept.and_then(|it| Self::from_bytes(&it)))
    }

    /// Stores the backup. A file is not changed unless it can be restored.
    pub(super) fn keep(&self, store: &dyn Store, path: &Path) -> Result<(), ConfigError> {
        store.write(Namespace::Backup, &key(path), &self.to_bytes()).map_err(unkept)
    }

    pub(super) fn forget(store: &dyn Store, path: &Path) -> Result<(), ConfigError> {
        store.remove(Namespace::Backup, &key(path)).map(drop).map_err(unkept)
    }

    /// Whether the file still has exactly the content that we wrote.
    pub(super) fn is_untouched(&self, bytes: &[u8]) -> bool {
        Digest::of_bytes(bytes) == self.written
    }

    fn to_bytes(&self) -> Vec<u8> {
        let header = BackupHeader {
            version: VERSION,
            existed: self.original.is_some(),
            written: self.written.to_string(),
            folders: self.folders.clone(),
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
        Some(Self {
            original,
            written: Digest::from_hex(&header.written)?,
            folders: header.folders,
        })
    }
}

fn key(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

fn unkept(error: StoreError) -> ConfigError {
    ConfigError::Unavailable {
        message: format!("cannot store a backup of the file: {error}"),
        hint: "set TOOLSCOUT_STATE_DIR to a writable folder".to_owned(),
    }
}
