//! Values that are too large for a database, each in its own file.

use super::file::{self, if_exists};
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;
use toolscout_core::Namespace;

/// Maximum number of files per namespace; those with the oldest writes are deleted.
const MAX_FILES: usize = 64;

/// The folders of such files, within the store's folder.
#[derive(Debug)]
pub(super) struct Bulk {
    dir: PathBuf,
}

impl Bulk {
    pub(super) fn new(dir: &Path) -> Self {
        Self { dir: dir.to_owned() }
    }

    pub(super) fn path(&self, namespace: Namespace, key: &str) -> PathBuf {
        self.folder(namespace).join(name(key))
    }

    pub(super) fn read(&self, namespace: Namespace, key: &str) -> io::Result<Option<Vec<u8>>> {
        if_exists(fs::read(self.path(namespace, key)))
    }

    /// Writes a temporary file (0600) and renames it, so that readers get either the old or the new
    /// value. Does not sync to disk, since the value can be recreated.
    pub(super) fn write(&self, namespace: Namespace, key: &str, value: &[u8]) -> io::Result<()> {
        let path = self.path(namespace, key);
        file::create_folder(&path)?;
        let mut temporary =
            tempfile::Builder::new().prefix(".new-").tempfile_in(self.folder(namespace))?;
        temporary.write_all(value)?;
        temporary.persist(&path).map_err(|error| error.error)?;
        self.evict_oldest(namespace)
    }

    pub(super) fn remove(&self, namespace: Namespace, key: &str) -> io::Result<bool> {
        Ok(if_exists(fs::remove_file(self.path(namespace, key)))?.is_some())
    }

    pub(super) fn keys(&self, namespace: Namespace) -> io::Result<Vec<String>> {
        let mut keys: Vec<_> =
            self.files(namespace)?.iter().filter_map(|(_, path)| key(path)).collect();
        keys.sort_unstable();
        Ok(keys)
    }

    /// Holds an exclusive lock, so that of several concurrent swaps with the same `expected` one
    /// succeeds.
    pub(super) fn swap(
        &self,
        namespace: Namespace,
        key: &str,
        expected: Option<&[u8]>,
        next: Option<&[u8]>,
    ) -> io::Result<bool> {
        let path = self.path(namespace, key);
        file::create_folder(&path)?;
        let _lock = file::lock(&self.folder(namespace))?;
        if self.read(namespace, key)?.as_deref() != expected {
            return Ok(false);
        }
        match next {
            Some(next) => self.write(namespace, key, next)?,
            None => drop(self.remove(namespace, key)?),
        }
        Ok(true)
    }

    fn evict_oldest(&self, namespace: Namespace) -> io::Result<()> {
        let mut files = self.files(namespace)?;
        let Some(too_many) = files.len().checked_sub(MAX_FILES) else { return Ok(()) };
        files.sort();
        files
            .iter()
            .take(too_many)
            .try_for_each(|(_, path)| if_exists(fs::remove_file(path)).map(drop))
    }

    /// All files with their modification times, including temporary files that a killed process
    /// left behind.
    fn files(&self, namespace: Namespace) -> io::Result<Vec<(SystemTime, PathBuf)>> {
        let Some(entries) = if_exists(fs::read_dir(self.folder(namespace)))? else {
            return Ok(Vec::new());
        };
        let modified_at = |dir_entry: &fs::DirEntry| {
            dir_entry
                .metadata()
                .and_then(|metadata| metadata.modified())
                .unwrap_or(SystemTime::UNIX_EPOCH)
        };
        Ok(entries.flatten().map(|entry| (modified_at(&entry), entry.path())).collect())
    }

    fn folder(&self, namespace: Namespace) -> PathBuf {
        self.dir.join(namespace.as_str())
    }
}

/// Prefix of the files of keys; other files belong to no key.
const KEY_PREFIX: &str = "of-";

/// Escapes every byte that is not a lower-case letter, a digit or `-`, so that no key can form a
/// path.
fn name(key: &str) -> String {
    let byte = |byte: u8| match byte {
        b'a'..=b'z' | b'0'..=b'9' | b'-' => char::from(byte).to_string(),
        value => format!("_{value:02x}"),
    };
    KEY_PREFIX.to_owned() + &key.bytes().map(byte).collect::<String>()
}

/// The key of a file; none if the file belongs to no key.
fn key(path: &Path) -> Option<String> {
    let mut parts = path.file_name()?.to_str()?.strip_prefix(KEY_PREFIX)?.split('_');
    let mut key = parts.next()?.as_bytes().to_vec();
    for part in parts {
        let (number, rest) = part.split_at_checked(2)?;
        key.push(u8::from_str_radix(number, 16).ok()?);
        key.extend_from_slice(rest.as_bytes());
    }
    String::from_utf8(key)
        .ok()
        .filter(|text| path.file_name().is_some_and(|file| file == name(text).as_str()))
}
