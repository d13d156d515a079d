//! Tells whether a file is still the one that was read, without reading it.

use super::files;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// How files were when somebody last looked, those that were not there too.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Stamps(Vec<(PathBuf, Option<Stamp>)>);

/// Changes with every way of changing a file: in place, or by putting another one there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Stamp {
    inode: u64,
    length: u64,
    written: (i64, i64),
}

impl Stamps {
    /// Every file that could be configuration, as it is now.
    pub(super) fn of_configuration(root: Option<&Path>, user: Option<&Path>) -> Self {
        Self::of(files::candidates(root, user))
    }

    /// These files, as they are now.
    pub(crate) fn of(paths: impl IntoIterator<Item = PathBuf>) -> Self {
        let stamp = |path: PathBuf| {
            let now = path.metadata().ok().map(|it| Stamp {
                inode: it.ino(),
                length: it.len(),
                written: (it.mtime(), it.mtime_nsec()),
            });
            (path, now)
        };
        Self(paths.into_iter().map(stamp).collect())
    }

    /// The same files, as they are now.
    pub(crate) fn again(&self) -> Self {
        Self::of(self.0.iter().map(|(path, _)| path.clone()))
    }
}
