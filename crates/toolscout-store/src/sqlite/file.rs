//! The file and its folder: made for one user only, set aside when damaged.

use std::ffi::OsString;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// Makes the file's folder (0700) where it is missing. One that exists keeps its mode: somebody may have chosen it for
/// other things, too.
pub(super) fn make_folder(path: &Path) -> io::Result<()> {
    match path.parent().filter(|it| !it.is_dir()) {
        Some(dir) => private_dir().recursive(true).create(dir),
        None => Ok(()),
    }
}

/// Makes an empty file (0600) where it is missing. SQLite gives what it puts beside the file the same mode.
pub(super) fn make(path: &Path) -> io::Result<()> {
    match private_file().create_new(true).write(true).open(path) {
        Err(cause) if cause.kind() == ErrorKind::AlreadyExists => Ok(()),
        other => other.map(drop),
    }
}

/// Waits until nobody settles the file; while this is held, nobody begins to. Released when dropped.
pub(super) fn lock_shared(path: &Path) -> io::Result<File> {
    let file = File::open(with_suffix(path, ".lock"))?;
    file.lock_shared()?;
    Ok(file)
}

/// Who settles the file is alone with it. Released when dropped.
pub(super) fn lock(path: &Path) -> io::Result<File> {
    let file = private_file().create(true).truncate(false).write(true).open(with_suffix(path, ".lock"))?;
    file.lock()?;
    Ok(file)
}

/// Moves the file, and what SQLite keeps beside it, to the first free `….broken-N`; says where that is.
pub(super) fn set_aside(path: &Path) -> io::Result<PathBuf> {
    let mut number = 1;
    let target = loop {
        let target = with_suffix(path, &format!(".broken-{number}"));
        if !target.exists() {
            break target;
        }
        number += 1;
    };
    fs::rename(path, &target)?;
    // A log left behind would be played into the fresh file.
    for beside in ["-wal", "-shm"] {
        match fs::rename(with_suffix(path, beside), with_suffix(&target, beside)) {
            Err(cause) if cause.kind() != ErrorKind::NotFound => return Err(cause),
            _ => {}
        }
    }
    Ok(target)
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
