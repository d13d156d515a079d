//! Walks the folders of a root and lists their files, without opening any file.
//!
//! The order is the byte order of the relative paths. Links are followed as long as they stay
//! inside the root. A folder is entered once, even if several paths lead to it, so loops end.

use super::matcher::Matcher;
use super::stamp::ScanStamp;
use std::collections::HashSet;
use std::fs::{self, DirEntry, FileType};
use std::path::{Path, PathBuf};
use toolscout_core::{Diagnostic, DiagnosticKind, escape};

/// Limits on the size of a walk.
#[derive(Debug, Clone, Copy)]
pub(super) struct WalkLimits {
    /// The maximum number of matching files. The walk visits at most ten times as many entries.
    pub(super) files: usize,
    /// The maximum nesting depth of folders.
    pub(super) depth: usize,
}

impl Default for WalkLimits {
    fn default() -> Self {
        Self { files: 100_000, depth: 40 }
    }
}

impl WalkLimits {
    /// The limits for a root.
    pub(super) fn of_root(is_trusted: bool) -> Self {
        if is_trusted { Self::default() } else { Self { files: 5_000, depth: 40 } }
    }
}

/// A regular file inside the root.
#[derive(Debug, Clone)]
pub(super) struct WalkedFile {
    pub(super) relative: String,
    pub(super) stamp: ScanStamp,
    /// Whether one of its parent folders is world-writable.
    pub(super) in_world_writable_folder: bool,
    /// The target of a link; `None` for a file that is not a link.
    real: Option<PathBuf>,
}

/// The result of a walk.
#[derive(Debug, Default)]
pub(super) struct Walked {
    pub(super) files: Vec<WalkedFile>,
    pub(super) diagnostics: Vec<Diagnostic>,
}

/// Walks all matching files below a root, which must be a real path.
pub(super) fn walk(root: &Path, matcher: &Matcher, limits: WalkLimits) -> Walked {
    let mut walker = Walker::new(root, matcher, limits);
    for base in matcher.bases() {
        walker.enter_base(base);
    }
    walker.run();
    walker.finish()
}

/// Looks up one file as the walk would.
pub(super) fn walk_to(root: &Path, relative: &str) -> Result<WalkedFile, NotAFile> {
    let path = root.join(relative);
    let real = fs::canonicalize(&path).map_err(|_| NotAFile::Missing)?;
    if !real.starts_with(root) {
        return Err(NotAFile::Outside);
    }
    let metadata = fs::metadata(&real).map_err(|_| NotAFile::Missing)?;
    if !metadata.is_file() {
        return Err(NotAFile::Other(file_kind(metadata.file_type())));
    }
    let folders = path.ancestors().skip(1).take_while(|ancestor| ancestor.starts_with(root));
    let in_world_writable_folder = folders.into_iter().any(is_world_writable_folder);
    let real = (real != path).then_some(real);
    Ok(WalkedFile {
        relative: relative.to_owned(),
        stamp: ScanStamp::from_metadata(&metadata),
        in_world_writable_folder,
        real,
    })
}

/// The reason why a path is not a usable file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NotAFile {
    Missing,
    Outside,
    /// A folder, a pipe and so on.
    Other(&'static str),
}

struct Folder {
    /// A real path, without links.
    path: PathBuf,
    relative: String,
    depth: usize,
    is_world_writable: bool,
}

struct Walker<'a> {
    root: &'a Path,
    matcher: &'a Matcher,
    limits: WalkLimits,
    folders: Vec<Folder>,
    /// Entered after all real folders, so that a file is listed under its real path if the walk
    /// reaches that path.
    linked: Vec<Folder>,
    entered: HashSet<PathBuf>,
    entries: usize,
    full: bool,
    walked: Walked,
}

impl<'a> Walker<'a> {
    fn new(root: &'a Path, matcher: &'a Matcher, limits: WalkLimits) -> Self {
        let (folders, linked, entered) = (Vec::new(), Vec::new(), HashSet::new());
        Self {
            root,
            matcher,
            limits,
            folders,
            linked,
            entered,
            entries: 0,
            full: false,
            walked: Walked::default(),
        }
    }

    fn enter_base(&mut self, base: &str) {
        let path = self.root.join(base);
        // A missing base is not a diagnostic: most projects have no `src/tools`.
        let Ok(real) = fs::canonicalize(&path) else { return };
        if !real.starts_with(self.root) {
            return self.warn_leads_outside(path, &real);
        }
        let is_world_writable = real
            .ancestors()
            .take_while(|ancestor| ancestor.starts_with(self.root))
            .any(is_world_writable_folder);
        if real.is_dir() {
            self.folders.push(Folder {
                path: real,
                relative: base.to_owned(),
                depth: 0,
                is_world_writable,
            });
        }
    }

    fn run(&mut self) {
        while let Some(folder) = self.next_folder() {
            if self.full {
                return;
            }
            if self.entered.insert(folder.path.clone()) {
                self.read(&folder);
            }
        }
    }

    fn next_folder(&mut self) -> Option<Folder> {
        if self.folders.is_empty() && !self.linked.is_empty() {
            self.linked.sort_by(|a, b| b.relative.cmp(&a.relative));
            return self.linked.pop();
        }
        self.folders.pop()
    }

    fn read(&mut self, folder: &Folder) {
        if folder.depth > self.limits.depth {
            let message =
                format!("more than {} folders deep; deeper folders are skipped", self.limits.depth);
            return self.warn(DiagnosticKind::Limit, folder.path.clone(), message);
        }
        let entries = match fs::read_dir(&folder.path) {
            Ok(entries) => entries,
            Err(err) => {
                return self.warn(
                    DiagnosticKind::Unavailable,
                    folder.path.clone(),
                    format!("it cannot be read: {err}"),
                );
            }
        };
        for entry in entries.flatten() {
            self.entries += 1;
            let most = self.limits.files.saturating_mul(10);
            let excess = if self.walked.files.len() >= self.limits.files {
                Some(format!("{} files", self.limits.files))
            } else {
                (self.entries > most).then(|| format!("{most} entries"))
            };
            if let Some(excess) = excess {
                let message = format!("more than {excess}; the rest is skipped");
                self.warn(DiagnosticKind::Limit, self.root.to_owned(), message);
                self.full = true;
                return;
            }
            self.entry(folder, &entry);
        }
    }

    fn entry(&mut self, folder: &Folder, entry: &DirEntry) {
        let name = entry.file_name();
        let Some(name) = name.to_str() else {
            return self.warn(
                DiagnosticKind::Forbidden,
                entry.path(),
                "its name is not UTF-8".to_owned(),
            );
        };
        let relative = if folder.relative.is_empty() {
            name.to_owned()
        } else {
            format!("{}/{name}", folder.relative)
        };
        if self.matcher.ignores(&relative, name) {
            return;
        }
        let Ok(kind) = entry.file_type() else { return };
        if kind.is_symlink() {
            self.link(folder, entry.path(), relative);
        } else if kind.is_dir() {
            self.folder(folder, entry.path(), relative);
        } else if self.matcher.matches(&relative) {
            match entry.metadata() {
                Ok(metadata) if metadata.is_file() => self.file(folder, relative, &metadata, None),
                Ok(_) => self.special(entry.path(), kind),
                // Deleted since the folder was read.
                Err(_) => {}
            }
        }
    }

    fn folder(&mut self, parent: &Folder, path: PathBuf, relative: String) {
        let is_world_writable = parent.is_world_writable || is_world_writable_folder(&path);
        self.folders.push(Folder { path, relative, depth: parent.depth + 1, is_world_writable });
    }

    fn link(&mut self, parent: &Folder, path: PathBuf, relative: String) {
        let Ok(real) = fs::canonicalize(&path) else {
            if self.matcher.matches(&relative) {
                self.warn(
                    DiagnosticKind::Unavailable,
                    path,
                    "it is a broken symbolic link".to_owned(),
                );
            }
            return;
        };
        let Ok(metadata) = fs::metadata(&real) else { return };
        if !real.starts_with(self.root) {
            if metadata.is_dir() || self.matcher.matches(&relative) {
                self.warn_leads_outside(path, &real);
            }
        } else if metadata.is_dir() {
            let is_world_writable = parent.is_world_writable
                || real
                    .ancestors()
                    .take_while(|ancestor| ancestor.starts_with(self.root))
                    .any(is_world_writable_folder);
            self.linked.push(Folder {
                path: real,
                relative,
                depth: parent.depth + 1,
                is_world_writable,
            });
        } else if self.matcher.matches(&relative) {
            if metadata.is_file() {
                self.file(parent, relative, &metadata, Some(real));
            } else {
                self.special(path, metadata.file_type());
            }
        }
    }

    fn file(
        &mut self,
        folder: &Folder,
        relative: String,
        metadata: &fs::Metadata,
        real: Option<PathBuf>,
    ) {
        let stamp = ScanStamp::from_metadata(metadata);
        self.walked.files.push(WalkedFile {
            relative,
            stamp,
            in_world_writable_folder: folder.is_world_writable,
            real,
        });
    }

    fn special(&mut self, path: PathBuf, kind: FileType) {
        self.warn(
            DiagnosticKind::Forbidden,
            path,
            format!("it is {}, not a file", file_kind(kind)),
        );
    }

    fn warn_leads_outside(&mut self, path: PathBuf, real: &Path) {
        let real = real.display().to_string();
        let message = format!(
            "it is a symbolic link that leads out of the folder, to `{}`",
            escape::line(&real)
        );
        self.warn(DiagnosticKind::Forbidden, path, message);
    }

    fn warn(&mut self, kind: DiagnosticKind, path: PathBuf, message: String) {
        self.walked.diagnostics.push(Diagnostic::warning(kind, message).with_path(path));
    }

    /// Sorts, and drops links to files that the walk also found directly.
    fn finish(self) -> Walked {
        let Walked { mut files, mut diagnostics } = self.walked;
        files.sort_unstable_by(|a, b| a.relative.cmp(&b.relative));
        diagnostics.sort_by(|a, b| a.path.cmp(&b.path));
        if files.iter().any(|file| file.real.is_some()) {
            let plain = files
                .iter()
                .filter(|file| file.real.is_none())
                .map(|file| self.root.join(&file.relative));
            let mut seen: HashSet<PathBuf> = plain.collect();
            files.retain(|file| file.real.as_ref().is_none_or(|real| seen.insert(real.clone())));
        }
        Walked { files, diagnostics }
    }
}

fn is_world_writable_folder(folder: &Path) -> bool {
    fs::metadata(folder)
        .is_ok_and(|metadata| ScanStamp::from_metadata(&metadata).is_world_writable())
}

#[cfg(unix)]
fn file_kind(kind: FileType) -> &'static str {
    use std::os::unix::fs::FileTypeExt;
    if kind.is_dir() {
        "a folder"
    } else if kind.is_fifo() {
        "a pipe"
    } else if kind.is_socket() {
        "a socket"
    } else if kind.is_block_device() || kind.is_char_device() {
        "a device"
    } else {
        "something else"
    }
}

#[cfg(not(unix))]
fn file_kind(kind: FileType) -> &'static str {
    if kind.is_dir() { "a folder" } else { "something else" }
}
