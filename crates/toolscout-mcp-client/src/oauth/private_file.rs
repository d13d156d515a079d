//! Small files that only their owner can read, shared by several processes.

use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The maximum number of bytes read from a file.
const MAX_FILE_BYTES: u64 = 1 << 20;
/// The time limit for another process, which holds the lock for at most one request.
const LOCK_TIMEOUT: Duration = Duration::from_secs(30);
const LOCK_POLL_INTERVAL: Duration = Duration::from_millis(20);

/// A file that only its owner can read, in a folder that only its owner can open. It is replaced
/// atomically: written to a temporary file and renamed.
#[derive(Debug, Clone)]
pub(super) struct PrivateFile {
    folder: PathBuf,
    stem: String,
}

/// Excludes writes by other processes and threads until it is dropped.
#[derive(Debug)]
pub(super) struct FileLock {
    _file: File,
}

impl PrivateFile {
    /// A file named after the hash of its subject.
    pub(super) fn new(folder: &Path, kind: &str, subject: &[&str]) -> Self {
        let mut hasher = blake3::Hasher::new();
        for part in subject {
            hasher.update(&(part.len() as u64).to_le_bytes()).update(part.as_bytes());
        }
        let hash = hasher.finalize().to_hex();
        Self { folder: folder.to_owned(), stem: format!("{kind}-{}", &hash[..32]) }
    }

    pub(super) fn path(&self) -> PathBuf {
        self.path_with_extension("json")
    }

    /// Its content, if it exists.
    pub(super) fn read(&self) -> io::Result<Option<Vec<u8>>> {
        let file = match File::open(self.path()) {
            Err(err) if err.kind() == io::ErrorKind::NotFound => return Ok(None),
            other => other?,
        };
        let mut bytes = Vec::new();
        file.take(MAX_FILE_BYTES).read_to_end(&mut bytes)?;
        Ok(Some(bytes))
    }

    /// Replaces the file atomically.
    pub(super) fn write(&self, bytes: &[u8], _lock: &FileLock) -> io::Result<()> {
        let temporary = self.path_with_extension("tmp");
        // A temporary file of a killed process; no other process writes it while this one holds the
        // lock.
        remove(&temporary)?;
        let mut file = private_options().write(true).create_new(true).open(&temporary)?;
        let written = file
            .write_all(bytes)
            .and_then(|()| file.sync_all())
            .and_then(|()| fs::rename(&temporary, self.path()));
        written.inspect_err(|_| drop(remove(&temporary)))
    }

    /// Removes the file; returns whether it existed.
    pub(super) fn remove(&self, _lock: &FileLock) -> io::Result<bool> {
        remove(&self.path_with_extension("tmp"))?;
        remove(&self.path())
    }

    /// Waits for the lock. Cancel-safe.
    pub(super) async fn lock(&self) -> io::Result<FileLock> {
        let file = self.lock_file()?;
        let locked = async {
            loop {
                match file.try_lock() {
                    Ok(()) => return Ok(()),
                    Err(TryLockError::WouldBlock) => tokio::time::sleep(LOCK_POLL_INTERVAL).await,
                    Err(TryLockError::Error(err)) => return Err(err),
                }
            }
        };
        let timed_out =
            |_| io::Error::new(io::ErrorKind::TimedOut, "another process keeps it locked");
        tokio::time::timeout(LOCK_TIMEOUT, locked).await.map_err(timed_out)??;
        Ok(FileLock { _file: file })
    }

    /// Like [`Self::lock`] without a runtime; blocks the thread.
    pub(super) fn lock_blocking(&self) -> io::Result<FileLock> {
        let file = self.lock_file()?;
        file.lock()?;
        Ok(FileLock { _file: file })
    }

    /// Opens the lock file. It is never deleted: if it were, a process that waits for the old file
    /// and one that creates a new file could both hold the lock.
    fn lock_file(&self) -> io::Result<File> {
        make_private(&self.folder)?;
        private_options()
            .write(true)
            .create(true)
            .truncate(false)
            .open(self.path_with_extension("lock"))
    }

    fn path_with_extension(&self, extension: &str) -> PathBuf {
        self.folder.join(format!("{}.{extension}", self.stem))
    }
}

fn remove(path: &Path) -> io::Result<bool> {
    match fs::remove_file(path) {
        Ok(()) => Ok(true),
        Err(err) if err.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(err) => Err(err),
    }
}

fn private_options() -> OpenOptions {
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

fn make_private(folder: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.recursive(true).create(folder)?;
    // The folder may have existed with permissions for others.
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        if fs::metadata(folder)?.permissions().mode() & 0o077 != 0 {
            fs::set_permissions(folder, fs::Permissions::from_mode(0o700))?;
        }
    }
    Ok(())
}
