//! The location of a file in its root, and the paths its author may refer to from there.

use std::path::{Component, Path, PathBuf};

/// One file of a root. Its paths are compared as text; links are resolved and checked when a file
/// is opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FileInRoot<'a> {
    /// The root's real path.
    pub(super) root: &'a Path,
    /// The path relative to the root, with `/` as the separator.
    pub(super) relative: &'a str,
}

impl FileInRoot<'_> {
    pub(super) fn path(&self) -> PathBuf {
        self.root.join(self.relative)
    }

    /// The folder that contains the file.
    pub(super) fn folder(&self) -> PathBuf {
        self.path().parent().map_or_else(|| self.root.to_owned(), Path::to_owned)
    }

    /// Resolves `given`, a path written in this file, to a path relative to the root; `None` if it
    /// leads out of the root.
    pub(super) fn resolve(&self, given: &str) -> Option<String> {
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
