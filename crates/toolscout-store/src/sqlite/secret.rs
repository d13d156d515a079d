//! The store's own secret: 32 bytes of chance, made once.

use super::file::{self, FileIdentity};
use parking_lot::Mutex;
use std::fmt;
use std::fs;
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// The secret of one store. Every row that is precious asks for it, so it is read again only where its file is another.
#[derive(Debug)]
pub(super) struct StoreSecret {
    path: PathBuf,
    read: Mutex<Option<CachedKey>>,
}

struct CachedKey {
    stamp: SecretStamp,
    key: [u8; 32],
}

type SecretStamp = (FileIdentity, Option<SystemTime>);

impl StoreSecret {
    /// Reads nothing yet.
    pub(super) fn new(path: PathBuf) -> Self {
        Self { path, read: Mutex::default() }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// The 32 bytes, as the file has them now.
    pub(super) fn key(&self) -> io::Result<[u8; 32]> {
        let mut read = self.read.lock();
        let stamp = stamp(&self.path);
        if let Some(read) = read.as_ref().filter(|it| stamp.as_ref() == Some(&it.stamp)) {
            return Ok(read.key);
        }
        let key = of(&self.path)?;
        // Looked at before it was read: what was written in between is read again.
        *read = stamp.map(|stamp| CachedKey { stamp, key });
        Ok(key)
    }
}

/// The bytes are nobody's to see.
impl fmt::Debug for CachedKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Read").field("stamp", &self.stamp).finish_non_exhaustive()
    }
}

fn stamp(path: &Path) -> Option<SecretStamp> {
    let file = fs::metadata(path).ok()?;
    Some((FileIdentity::of(&file), file.modified().ok()))
}

/// The 32 bytes kept in this file; made where it is missing. Of several who make it at once, all get the same.
fn of(path: &Path) -> io::Result<[u8; 32]> {
    match read(path) {
        Err(cause) if cause.kind() == ErrorKind::NotFound => {}
        other => return other,
    }
    match make(path) {
        // Another was faster.
        Err(cause) if cause.kind() == ErrorKind::AlreadyExists => read(path),
        other => other,
    }
}

fn read(path: &Path) -> io::Result<[u8; 32]> {
    let unfit = |_| io::Error::other("it does not hold 32 bytes; remove it to have a new one, and approve tools again");
    fs::read(path)?.try_into().map_err(unfit)
}

/// Made aside (0600) and put in place whole, so that nobody reads half of it.
fn make(path: &Path) -> io::Result<[u8; 32]> {
    file::make_folder(path)?;
    let mut bytes = [0; 32];
    ring::rand::SecureRandom::fill(&ring::rand::SystemRandom::new(), &mut bytes)
        .map_err(|_| io::Error::other("the system gives no random bytes"))?;
    let mut aside = tempfile::Builder::new().prefix(".key-").tempfile_in(path.parent().unwrap_or(Path::new(".")))?;
    aside.write_all(&bytes)?;
    aside.as_file().sync_all()?;
    aside.persist_noclobber(path).map_err(|error| error.error)?;
    Ok(bytes)
}
