//! Where a file lies in its root, and what its author may point at from there.

use std::path::{Component, Path, PathBuf};

/// One file of a root. Paths in it are compared as text: links are followed, and judged, where files are opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FileInRoot<'a> {
    /// The root's real path.
    pub(super) root: &'a Path,
    /// The file, relative to the root, parts joined by `/`.
    pub(super) relative: &'a str,
}

impl FileInRoot<'_> {
    pub(super) fn path(&self) -> PathBuf {
        self.root.join(self.relative)
    }

    /// The folder the file is in.
    pub(super) fn folder(&self) -> PathBuf {
        self.path().parent().map_or_else(|| self.root.to_owned(), Path::to_owned)
    }

    /// What `given`, written in this file, names inside the root: a path relative to the root, or nothing if it leads out.
    pub(super) fn inside(&self, given: &str) -> Option<String> {
        let given = Path::new(given);
        let mut parts: Vec<&str> = Vec::new();
        let rest = if given.is_absolute() {
            given.strip_prefix(self.root).ok()?
        } else {
            parts.extend(self.relative.split('/'));
            parts.pop();
            given
        };
        for part in rest.components() {
            match part {
                Component::Normal(part) => parts.push(part.to_str()?),
                Component::CurDir => {}
                Component::ParentDir => drop(parts.pop()?),
                Component::RootDir | Component::Prefix(_) => return None,
            }
        }
        Some(parts.join("/"))
    }
}
