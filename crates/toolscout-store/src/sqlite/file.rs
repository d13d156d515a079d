//! The database file and its folder: accessible to one user only, set aside if damaged.

use std::ffi::OsString;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};
use toolscout_core::Digest;

/// Creates the file's folder (0700) if it is missing. An existing folder keeps its mode, since the
/// user may have chosen it for other uses, too.
pub(super) fn create_folder(path: &Path) -> io::Result<()> {
    match path.parent().filter(|parent| !parent.is_dir()) {
        Some(dir) => private_dir().recursive(true).create(dir),
        None => Ok(()),
    }
}

/// Creates an empty file (0600) if it is missing. SQLite creates the files beside it with the same
/// mode.
pub(super) fn create_private(path: &Path) -> io::Result<()> {
    match private_file().create_new(true).write(true).open(path) {
        Err(cause) if cause.kind() == ErrorKind::AlreadyExists => Ok(()),
        other => other.map(drop),
    }
}

/// Waits until no process settles the file, and prevents settling until the lock is dropped.
pub(super) fn lock_shared(path: &Path) -> io::Result<File> {
    let file = File::open(with_suffix(path, ".lock"))?;
    file.lock_shared()?;
    Ok(file)
}

/// The exclusive lock for settling the file. Released when dropped.
pub(super) fn lock(path: &Path) -> io::Result<File> {
    let file =
        private_file().create(true).truncate(false).write(true).open(with_suffix(path, ".lock"))?;
    file.lock()?;
    Ok(file)
}

/// Opens a file (0600) for writing; creates it and its folder (0700) if missing.
pub(crate) fn open_private(path: &Path) -> io::Result<File> {
    create_folder(path)?;
    private_file().create(true).truncate(false).write(true).read(true).open(path)
}

/// Moves the file, and SQLite's files beside it, to the first free `….broken-N`; returns that path.
pub(super) fn set_aside(path: &Path) -> io::Result<PathBuf> {
    let target = broken_path(path, |value| !value.exists());
    fs::rename(path, &target)?;
    // SQLite would replay a WAL that is left behind into the new file.
    for beside in ["-wal", "-shm"] {
        if_exists(fs::rename(with_suffix(path, beside), with_suffix(&target, beside)))?;
    }
    Ok(target)
}

/// Copies the file and its WAL to the first free `….broken-N`, unless an identical copy exists
/// already; returns the path of the copy.
pub(super) fn copy_aside(path: &Path) -> io::Result<PathBuf> {
    let content = fs::read(path)?;
    let is_copy = |path: &Path| fs::read(path).is_ok_and(|bytes| bytes == content);
    let target = broken_path(path, |value| !value.exists() || is_copy(value));
    if !target.exists() {
        fs::copy(path, &target)?;
        if_exists(fs::copy(with_suffix(path, "-wal"), with_suffix(&target, "-wal")))?;
    }
    Ok(target)
}

/// Distinguishes this file from a later one with the same name; none if there is no file.
pub(super) fn identity(path: &Path) -> Option<FileIdentity> {
    fs::metadata(path).ok().map(|metadata| FileIdentity::new(&metadata))
}

/// Identifies the content of the file and of its WAL by their metadata: the system records the last
/// write to either, and no program can set back the change time (ctime) of the file. None if there
/// is no file.
pub(super) fn fingerprint(path: &Path) -> Option<Digest> {
    let file = fs::metadata(path).ok()?;
    let mut bytes = write_stamp(&file);
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        bytes.extend([file.ctime(), file.ctime_nsec()].into_iter().flat_map(i64::to_le_bytes));
    }
    // An empty WAL appears and disappears as processes open and close the file, and its owner
    // changes if root opens it.
    let log = fs::metadata(with_suffix(path, "-wal")).ok().filter(|metadata| metadata.len() > 0);
    bytes.extend(log.iter().flat_map(write_stamp));
    Some(Digest::of_bytes(&bytes))
}

fn write_stamp(file: &fs::Metadata) -> Vec<u8> {
    let since = |system_time: SystemTime| {
        system_time.duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos()
    };
    let FileIdentity(device, inode) = FileIdentity::new(file);
    let mut bytes: Vec<u8> =
        [device, inode, file.len()].into_iter().flat_map(u64::to_le_bytes).collect();
    bytes.extend(file.modified().map_or(0, since).to_le_bytes());
    bytes
}

#[derive(Debug, PartialEq, Eq)]
pub(super) struct FileIdentity(u64, u64);

impl FileIdentity {
    #[cfg(unix)]
    pub(super) fn new(file: &fs::Metadata) -> Self {
        use std::os::unix::fs::MetadataExt;
        Self(file.dev(), file.ino())
    }

    /// On other systems an open file cannot be moved.
    #[cfg(not(unix))]
    pub(super) fn new(_: &fs::Metadata) -> Self {
        Self(0, 0)
    }
}

fn broken_path(path: &Path, is_free: impl Fn(&Path) -> bool) -> PathBuf {
    let name = |number: u32| with_suffix(path, &format!(".broken-{number}"));
    (1..u32::MAX).map(name).find(|name| is_free(name)).unwrap_or_else(|| name(u32::MAX))
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut out = OsString::from(path);
    out.push(suffix);
    out.into()
}

#[cfg(unix)]
fn private_dir() -> DirBuilder {
    use std::os::unix::fs::DirBuilderExt;
    let mut builder = DirBuilder::new();
    builder.mode(0o700);
    builder
}

#[cfg(unix)]
fn private_file() -> OpenOptions {
    use std::os::unix::fs::OpenOptionsExt;
    let mut options = OpenOptions::new();
    options.mode(0o600);
    options
}

#[cfg(not(unix))]
fn private_dir() -> DirBuilder {
    DirBuilder::new()
}

#[cfg(not(unix))]
fn private_file() -> OpenOptions {
    OpenOptions::new()
}

/// `None` if there is no such file.
pub(crate) fn if_exists<T>(result: io::Result<T>) -> io::Result<Option<T>> {
    match result {
        Ok(result) => Ok(Some(result)),
        Err(cause) if cause.kind() == ErrorKind::NotFound => Ok(None),
        Err(cause) => Err(cause),
    }
}
