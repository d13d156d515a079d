//! The store's secret key: 32 random bytes, created once.

use super::file::{self, FileIdentity};
use parking_lot::Mutex;
use std::fmt;
use std::fs;
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// The secret key of one store. Every access to a precious row needs it, so it is cached until its
/// file changes.
#[derive(Debug)]
pub(super) struct StoreSecret {
    path: PathBuf,
    cached: Mutex<Option<CachedKey>>,
}

struct CachedKey {
    stamp: SecretStamp,
    key: [u8; 32],
}

type SecretStamp = (FileIdentity, Option<SystemTime>);

impl StoreSecret {
    /// Reads nothing yet.
    pub(super) fn new(path: PathBuf) -> Self {
        Self { path, cached: Mutex::default() }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// The key that the file contains now.
    pub(super) fn key(&self) -> io::Result<[u8; 32]> {
        let mut cached = self.cached.lock();
        let stamp = stamp(&self.path);
        if let Some(cached) = cached.as_ref().filter(|value| stamp.as_ref() == Some(&value.stamp)) {
            return Ok(cached.key);
        }
        let key = load_or_create(&self.path)?;
        // The stamp was taken before reading, so a write in between leads to another read.
        *cached = stamp.map(|stamp| CachedKey { stamp, key });
        Ok(key)
    }
}

/// Omits the key.
impl fmt::Debug for CachedKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CachedKey").field("stamp", &self.stamp).finish_non_exhaustive()
    }
}

fn stamp(path: &Path) -> Option<SecretStamp> {
    let file = fs::metadata(path).ok()?;
    Some((FileIdentity::new(&file), file.modified().ok()))
}

/// The key in this file; created if the file is missing. If several processes create it at once,
/// all get the same key.
fn load_or_create(path: &Path) -> io::Result<[u8; 32]> {
    match read(path) {
        Err(cause) if cause.kind() == ErrorKind::NotFound => {}
        other => return other,
    }
    match create(path) {
        // Another process was faster.
        Err(cause) if cause.kind() == ErrorKind::AlreadyExists => read(path),
        other => other,
    }
}

fn read(path: &Path) -> io::Result<[u8; 32]> {
    let wrong_length = |_| {
        io::Error::other(
            "it is not 32 bytes long; delete it to create a new key, then approve your tools again",
        )
    };
    fs::read(path)?.try_into().map_err(wrong_length)
}

/// Writes a temporary file (0600) and renames it, so that no process reads an incomplete key.
fn create(path: &Path) -> io::Result<[u8; 32]> {
    file::create_folder(path)?;
    let mut bytes = [0; 32];
    ring::rand::SecureRandom::fill(&ring::rand::SystemRandom::new(), &mut bytes)
        .map_err(|_| io::Error::other("the operating system returned no random bytes"))?;
    let mut temporary = tempfile::Builder::new()
        .prefix(".key-")
        .tempfile_in(path.parent().unwrap_or(Path::new(".")))?;
    temporary.write_all(&bytes)?;
    temporary.as_file().sync_all()?;
    temporary.persist_noclobber(path).map_err(|error| error.error)?;
    Ok(bytes)
}
