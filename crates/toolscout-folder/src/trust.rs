//! The folders whose files the user allows to be started, and the content that the user has seen.
//!
//! Trust covers a folder, identified by its real path and its owner, with everything below it; it
//! does not depend on the current content of the files. Listing the tools of a cloned repository
//! must not run its code.

use super::stamp::ScanStamp;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use toolscout_core::{Namespace, Store, StoreError};

/// The trusted folders, in a store.
#[derive(Clone)]
pub struct TrustedFolders {
    store: Arc<dyn Store>,
}

#[derive(Serialize, Deserialize)]
struct TrustRecord {
    version: u32,
    owner: u32,
    /// The user declined to trust the folder: it is not trusted, and the prompt is not repeated.
    #[serde(default)]
    refused: bool,
}

impl TrustedFolders {
    /// The trusted folders in this store.
    pub fn new(store: Arc<dyn Store>) -> Self {
        Self { store }
    }

    /// Whether the folder or one of its ancestors is trusted.
    pub fn covers(&self, folder: &Path) -> bool {
        let Ok(real) = std::fs::canonicalize(folder) else { return false };
        real.ancestors().any(|it| self.holds(it))
    }

    /// Trusts a folder; returns its real path.
    pub fn add(&self, folder: &Path) -> Result<PathBuf, StoreError> {
        self.keep(folder, false)
    }

    /// Records that the user does not trust the folder, so that the prompt is not repeated.
    pub fn refuse(&self, folder: &Path) -> Result<PathBuf, StoreError> {
        self.keep(folder, true)
    }

    /// Whether the user has made a decision about this folder, either way.
    pub fn has_decision(&self, folder: &Path) -> bool {
        std::fs::canonicalize(folder).is_ok_and(|path| self.record(&path).is_some())
    }

    fn keep(&self, folder: &Path, refused: bool) -> Result<PathBuf, StoreError> {
        let failed = |cause: Box<dyn std::error::Error + Send + Sync>| StoreError {
            what: format!("cannot trust `{}`", folder.display()),
            cause: Some(cause),
        };
        let real = std::fs::canonicalize(folder).map_err(|err| failed(err.into()))?;
        let owner = owner(&real).ok_or_else(|| failed("it is not a folder".into()))?;
        let key = key(&real).ok_or_else(|| failed("its path is not UTF-8".into()))?;
        let record = serde_json::to_vec(&TrustRecord { version: 1, owner, refused })
            .map_err(|err| failed(err.into()))?;
        self.store.write(Namespace::Trust, key, &record)?;
        Ok(real)
    }

    /// Removes a folder from the list; returns whether it had an entry itself.
    pub fn remove(&self, folder: &Path) -> Result<bool, StoreError> {
        // A deleted folder can still be removed from the list.
        let real = std::fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned());
        key(&real).map_or(Ok(false), |key| self.store.remove(Namespace::Trust, key))
    }

    /// All trusted folders, sorted.
    pub fn list(&self) -> Result<Vec<PathBuf>, StoreError> {
        let folders = self.store.keys(Namespace::Trust)?.into_iter().map(PathBuf::from);
        Ok(folders.filter(|it| self.record(it).is_some_and(|it| !it.refused)).collect())
    }

    /// The trust predicate that a folder source applies to each of its roots.
    pub fn question(self) -> Arc<dyn Fn(&Path) -> bool + Send + Sync> {
        Arc::new(move |it| self.covers(it))
    }

    fn holds(&self, folder: &Path) -> bool {
        self.record(folder).is_some_and(|it| !it.refused && owner(folder) == Some(it.owner))
    }

    fn record(&self, folder: &Path) -> Option<TrustRecord> {
        let bytes = self.store.read(Namespace::Trust, key(folder)?).ok()??;
        serde_json::from_slice(&bytes)
            .ok()
            .filter(|trust_record: &TrustRecord| trust_record.version == VERSION)
    }
}

fn key(folder: &Path) -> Option<&str> {
    folder.to_str()
}

fn owner(folder: &Path) -> Option<u32> {
    std::fs::metadata(folder)
        .ok()
        .filter(std::fs::Metadata::is_dir)
        .map(|metadata| ScanStamp::from_metadata(&metadata).owner())
}
