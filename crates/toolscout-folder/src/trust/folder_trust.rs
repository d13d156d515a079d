//! What may be started of a folder: nothing, everything, or the content that the user has seen.

use crate::inspect::content_digest;
use parking_lot::Mutex;
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use toolscout_core::Digest;

/// Files whose content was asked for.
pub type SeenFiles = Arc<Mutex<BTreeMap<PathBuf, Digest>>>;

/// What may be started of a folder. Made for one discovery or one call, because it caches the
/// content that it has read.
#[derive(Clone)]
pub enum FolderTrust {
    /// Nothing.
    Untrusted,
    /// Everything.
    All,
    /// Everything below this folder, except in nested repositories.
    Author(PathBuf),
    /// The files below a folder with the content that the user has seen.
    Content(Arc<TrustedContent>),
    /// Nothing. Collects the files that would be started, so that the user can trust them.
    Collect(SeenFiles),
}

/// The trusted content of the files below a folder.
pub struct TrustedContent {
    folder: PathBuf,
    /// By path relative to the folder.
    files: BTreeMap<String, Digest>,
    checked: Mutex<HashMap<PathBuf, bool>>,
}

/// A file that a tool consists of or starts.
#[derive(Debug, Clone)]
pub struct FileToStart {
    /// The file.
    pub path: PathBuf,
    /// The digest of its content, if that is known.
    pub content: Option<Digest>,
}

impl From<bool> for FolderTrust {
    fn from(is_trusted: bool) -> Self {
        if is_trusted { Self::All } else { Self::Untrusted }
    }
}

impl FolderTrust {
    /// Whether the user trusts the folder. Some of its files may still be new or changed.
    pub fn is_trusted(&self) -> bool {
        matches!(self, Self::All | Self::Author(_) | Self::Content(_))
    }

    /// Whether these files may be started. May read them.
    pub fn covers(&self, files: &[FileToStart]) -> bool {
        match self {
            Self::Untrusted => false,
            Self::All => true,
            Self::Author(folder) => files.iter().all(|file| !is_nested(folder, &file.path)),
            Self::Content(content) => files.iter().all(|file| content.covers(file)),
            Self::Collect(seen) => {
                for file in files {
                    if let Some(content) = file.content.or_else(|| content_digest(&file.path).ok())
                    {
                        seen.lock().insert(file.path.clone(), content);
                    }
                }
                false
            }
        }
    }

    /// Whether [`FolderTrust::covers`] may read files, and must not run on an async thread.
    pub(crate) fn reads_files(&self) -> bool {
        matches!(self, Self::Author(_) | Self::Content(_) | Self::Collect(_))
    }
}

impl TrustedContent {
    pub(super) fn new(folder: PathBuf, files: BTreeMap<String, Digest>) -> Self {
        Self { folder, files, checked: Mutex::default() }
    }

    /// Whether the file has the content that the user has seen. A file outside of the folder is
    /// refused elsewhere.
    fn covers(&self, file: &FileToStart) -> bool {
        let Ok(relative) = file.path.strip_prefix(&self.folder) else { return true };
        if let Some(covered) = self.checked.lock().get(&file.path) {
            return *covered;
        }
        let trusted = relative.to_str().and_then(|relative| self.files.get(relative));
        let covered = trusted.is_some_and(|trusted| {
            file.content.or_else(|| content_digest(&file.path).ok()).as_ref() == Some(trusted)
        });
        self.checked.lock().insert(file.path.clone(), covered);
        covered
    }
}

/// Whether the file is in a repository below the folder.
pub(super) fn is_nested(folder: &Path, file: &Path) -> bool {
    let below = file.ancestors().skip(1).take_while(|ancestor| *ancestor != folder);
    file.starts_with(folder)
        && below.into_iter().any(|ancestor| ancestor.join(".git").symlink_metadata().is_ok())
}
