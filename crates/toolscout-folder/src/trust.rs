//! The folders whose files the user allows to be started, and the content that the user has seen.
//!
//! Trust covers a folder, identified by its real path and its owner. It is bound to the content of
//! the files that existed then: a new or changed file waits until the user trusts the folder again.
//! Listing the tools of a cloned repository must not run its code, and neither must pulling into
//! it. A repository below a trusted folder is not covered.

mod folder_trust;

pub use folder_trust::{FileToStart, FolderTrust, SeenFiles};

use super::stamp::ScanStamp;
use crate::inspect::content_digest;
use folder_trust::{TrustedContent, is_nested};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use toolscout_core::{Digest, Namespace, Store, StoreError};

/// Version of the stored record. Records of other versions trust nothing.
const VERSION: u32 = 2;

/// The trusted folders, in a store.
#[derive(Clone)]
pub struct TrustedFolders {
    store: Arc<dyn Store>,
}

/// What the user trusts of a folder.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct TrustGrant {
    /// Whether all content is trusted, also if it is new or changed: the folder of an author.
    #[serde(default)]
    pub is_author: bool,
    /// The content of each file that may be started, by path relative to the folder.
    #[serde(default)]
    pub files: BTreeMap<String, Digest>,
    /// The servers that may be started, by id.
    #[serde(default)]
    pub servers: BTreeMap<String, TrustedServer>,
}

/// A configured server as the user has seen it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TrustedServer {
    /// The fingerprint of its entry.
    pub fingerprint: String,
    /// Its command line or address, without secrets.
    pub command: String,
}

#[derive(Serialize, Deserialize)]
struct TrustRecord {
    version: u32,
    owner: u32,
    /// The user declined to trust the folder: it is not trusted, and the prompt is not repeated.
    #[serde(default)]
    refused: bool,
    #[serde(flatten)]
    grant: TrustGrant,
}

impl TrustedFolders {
    /// The trusted folders in this store.
    pub fn new(store: Arc<dyn Store>) -> Self {
        Self { store }
    }

    /// Whether the folder or one of its ancestors is trusted.
    pub fn covers(&self, folder: &Path) -> bool {
        self.grant(folder).is_some()
    }

    /// What may be started of a folder. A store that cannot be read trusts nothing.
    pub fn of(&self, folder: &Path) -> FolderTrust {
        match self.grant(folder) {
            None => FolderTrust::Untrusted,
            Some((folder, grant)) if grant.is_author => FolderTrust::Author(folder),
            Some((folder, grant)) => {
                FolderTrust::Content(Arc::new(TrustedContent::new(folder, grant.files)))
            }
        }
    }

    /// The trusted folder that covers this one, and what is trusted of it. The search upward ends
    /// at the root of a repository.
    pub fn grant(&self, folder: &Path) -> Option<(PathBuf, TrustGrant)> {
        let real = std::fs::canonicalize(folder).ok()?;
        for ancestor in real.ancestors() {
            let trusted = self
                .record(ancestor)
                .filter(|record| !record.refused && owner(ancestor) == Some(record.owner));
            if let Some(record) = trusted {
                return Some((ancestor.to_owned(), record.grant));
            }
            if ancestor.join(".git").symlink_metadata().is_ok() {
                return None;
            }
        }
        None
    }

    /// Trusts a folder; returns its real path.
    pub fn add(&self, folder: &Path, grant: TrustGrant) -> Result<PathBuf, StoreError> {
        self.write(folder, false, grant)
    }

    /// Trusts the present content of these files, if their folder is trusted: the user has just
    /// written them with a command.
    pub fn add_files(&self, folder: &Path, files: &[PathBuf]) -> Result<(), StoreError> {
        let Some((folder, mut grant)) = self.grant(folder) else { return Ok(()) };
        if grant.is_author {
            return Ok(());
        }
        for file in files {
            let Some((key, content)) = file_key(&folder, file).zip(content_digest(file).ok())
            else {
                continue;
            };
            grant.files.insert(key, content);
        }
        self.add(&folder, grant).map(drop)
    }

    /// Records that the user does not trust the folder, so that the prompt is not repeated.
    pub fn refuse(&self, folder: &Path) -> Result<PathBuf, StoreError> {
        self.write(folder, true, TrustGrant::default())
    }

    /// Whether the user has made a decision about this folder, either way.
    pub fn has_decision(&self, folder: &Path) -> bool {
        std::fs::canonicalize(folder).is_ok_and(|path| self.record(&path).is_some())
    }

    fn write(
        &self,
        folder: &Path,
        refused: bool,
        grant: TrustGrant,
    ) -> Result<PathBuf, StoreError> {
        let failed = |cause: Box<dyn std::error::Error + Send + Sync>| StoreError {
            what: format!("cannot trust `{}`", folder.display()),
            cause: Some(cause),
        };
        let real = std::fs::canonicalize(folder).map_err(|err| failed(err.into()))?;
        let owner = owner(&real).ok_or_else(|| failed("it is not a folder".into()))?;
        let key = key(&real).ok_or_else(|| failed("its path is not UTF-8".into()))?;
        let record = TrustRecord { version: VERSION, owner, refused, grant };
        let record = serde_json::to_vec(&record).map_err(|err| failed(err.into()))?;
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
        Ok(folders
            .filter(|folder| self.record(folder).is_some_and(|record| !record.refused))
            .collect())
    }

    fn record(&self, folder: &Path) -> Option<TrustRecord> {
        let bytes = self.store.read(Namespace::Trust, key(folder)?).ok()??;
        serde_json::from_slice(&bytes)
            .ok()
            .filter(|trust_record: &TrustRecord| trust_record.version == VERSION)
    }
}

/// The seen files that trust in `folder` covers, by relative path: those below it, except in
/// nested repositories.
pub fn files_below(folder: &Path, seen: &SeenFiles) -> BTreeMap<String, Digest> {
    let seen = seen.lock();
    let below = seen.iter().filter(|(file, _)| !is_nested(folder, file));
    below.filter_map(|(file, content)| Some((file_key(folder, file)?, *content))).collect()
}

fn file_key(folder: &Path, file: &Path) -> Option<String> {
    file.strip_prefix(folder).ok()?.to_str().map(str::to_owned)
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
