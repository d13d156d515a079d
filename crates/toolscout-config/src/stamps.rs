//! Detects whether a file has changed since it was read, without reading it.

use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;

/// The recorded state of files, including those that did not exist.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FileStamps(Vec<(PathBuf, Option<FileStamp>)>);

/// Changes with every modification of a file: in place or by replacement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct FileStamp {
    inode: u64,
    length: u64,
    written: (i64, i64),
}

impl FileStamps {
    /// Records the current state of these files.
    pub fn record(paths: impl IntoIterator<Item = PathBuf>) -> Self {
        let stamp = |path: PathBuf| {
            let now = path.metadata().ok().map(|metadata| FileStamp {
                inode: metadata.ino(),
                length: metadata.len(),
                written: (metadata.mtime(), metadata.mtime_nsec()),
            });
            (path, now)
        };
        Self(paths.into_iter().map(stamp).collect())
    }

    /// Records the current state of the same files.
    pub fn current(&self) -> Self {
        Self::record(self.0.iter().map(|(path, _)| path.clone()))
    }
}
