//! Tells whether a file is still the one that was read, without reading it.

use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;

/// How files were when somebody last looked, those that were not there too.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FileStamps(Vec<(PathBuf, Option<FileStamp>)>);

/// Changes with every way of changing a file: in place, or by putting another one there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct FileStamp {
    inode: u64,
    length: u64,
    written: (i64, i64),
}

impl FileStamps {
    /// These files, as they are now.
    pub fn of(paths: impl IntoIterator<Item = PathBuf>) -> Self {
        let stamp = |path: PathBuf| {
            let now = path.metadata().ok().map(|it| FileStamp {
                inode: it.ino(),
                length: it.len(),
                written: (it.mtime(), it.mtime_nsec()),
            });
            (path, now)
        };
        Self(paths.into_iter().map(stamp).collect())
    }

    /// The same files, as they are now.
    pub fn again(&self) -> Self {
        Self::of(self.0.iter().map(|(path, _)| path.clone()))
    }
}
