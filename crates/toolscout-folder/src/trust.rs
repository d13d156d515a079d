//! Which folders a person trusts, so that what is in them may be started.
//!
//! Trust is of a folder, known by its real path and its owner, and of everything in it; not of what its files hold at
//! the moment. A cloned repository must not run code because somebody listed its tools.

use super::stamp::ScanStamp;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use toolscout_core::{Namespace, Store, StoreError};

/// The folders a person trusts, kept in a store.
#[derive(Clone)]
pub struct TrustedFolders {
    store: Arc<dyn Store>,
}

#[derive(Serialize, Deserialize)]
struct TrustRecord {
    version: u32,
    owner: u32,
    /// A person was asked and said no: not trusted, and not to be asked again.
    #[serde(default)]
    refused: bool,
}

impl TrustedFolders {
    /// Those kept in this store.
    pub fn new(store: Arc<dyn Store>) -> Self {
        Self { store }
    }

    /// Whether the folder, or one it lies in, is trusted and still belongs to whom it belonged to then. A store that
    /// cannot be read trusts nothing.
    pub fn covers(&self, folder: &Path) -> bool {
        let Ok(real) = std::fs::canonicalize(folder) else { return false };
        real.ancestors().any(|it| self.holds(it))
    }

    /// Trusts a folder; gives its real path.
    pub fn add(&self, folder: &Path) -> Result<PathBuf, StoreError> {
        self.keep(folder, false)
    }

    /// Remembers that a person does not trust the folder, so that nobody asks again.
    pub fn refuse(&self, folder: &Path) -> Result<PathBuf, StoreError> {
        self.keep(folder, true)
    }

    /// Whether a person has said something about this folder, one way or the other.
    pub fn knows(&self, folder: &Path) -> bool {
        std::fs::canonicalize(folder).is_ok_and(|it| self.record(&it).is_some())
    }

    fn keep(&self, folder: &Path, refused: bool) -> Result<PathBuf, StoreError> {
        let failed = |cause: Box<dyn std::error::Error + Send + Sync>| StoreError {
            what: format!("cannot trust `{}`", folder.display()),
            cause: Some(cause),
        };
        let real = std::fs::canonicalize(folder).map_err(|err| failed(err.into()))?;
        let owner = owner(&real).ok_or_else(|| failed("it is no folder".into()))?;
        let key = key(&real).ok_or_else(|| failed("its path is not UTF-8".into()))?;
        let record =
            serde_json::to_vec(&TrustRecord { version: 1, owner, refused }).map_err(|err| failed(err.into()))?;
        self.store.write(Namespace::Trust, key, &record)?;
        Ok(real)
    }

    /// Trusts a folder no longer; says whether it was trusted itself.
    pub fn remove(&self, folder: &Path) -> Result<bool, StoreError> {
        // A folder that is gone can still be forgotten.
        let real = std::fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned());
        key(&real).map_or(Ok(false), |it| self.store.remove(Namespace::Trust, it))
    }

    /// All trusted folders, sorted.
    pub fn list(&self) -> Result<Vec<PathBuf>, StoreError> {
        let folders = self.store.keys(Namespace::Trust)?.into_iter().map(PathBuf::from);
        Ok(folders.filter(|it| self.record(it).is_some_and(|it| !it.refused)).collect())
    }

    /// The question a folder source asks about each of its roots.
    pub fn question(self) -> Arc<dyn Fn(&Path) -> bool + Send + Sync> {
        Arc::new(move |it| self.covers(it))
    }

    fn holds(&self, folder: &Path) -> bool {
        self.record(folder).is_some_and(|it| !it.refused && owner(folder) == Some(it.owner))
    }

    fn record(&self, folder: &Path) -> Option<TrustRecord> {
        let bytes = self.store.read(Namespace::Trust, key(folder)?).ok()??;
        serde_json::from_slice(&bytes).ok().filter(|it: &TrustRecord| it.version == 1)
    }
}

fn key(folder: &Path) -> Option<&str> {
    folder.to_str()
}

fn owner(folder: &Path) -> Option<u32> {
    std::fs::metadata(folder).ok().filter(std::fs::Metadata::is_dir).map(|it| ScanStamp::of(&it).owner())
}
