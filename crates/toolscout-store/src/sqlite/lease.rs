//! Leases that one process at a time may hold: file locks, which the system releases when the
//! process ends.

use super::file;
use std::fs::{File, TryLockError};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use toolscout_core::Lease;

/// Hashes the name, so that no name can form a path.
pub(super) fn path(dir: &Path, name: &str) -> PathBuf {
    let name = blake3::hash(name.as_bytes()).to_hex();
    dir.join("leases").join(&name[..32])
}

/// How long to wait for processes that only check the lease: a moment, unless the scheduler
/// suspends one of them.
const RETRY_LIMIT: Duration = Duration::from_millis(200);

/// Takes the lease; none while another process holds it.
pub(super) fn take(path: &Path) -> io::Result<Option<Lease>> {
    let file = file::open_private(path)?;
    let deadline = Instant::now() + RETRY_LIMIT;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(Some(Lease::new(FileLease(file)))),
            Err(TryLockError::WouldBlock) if is_locked(&file)? || Instant::now() > deadline => {
                return Ok(None);
            }
            Err(TryLockError::WouldBlock) => std::thread::yield_now(),
            Err(TryLockError::Error(cause)) => return Err(cause),
        }
    }
}

/// Whether a process holds the lease. A missing file means no.
pub(super) fn is_taken(path: &Path) -> io::Result<bool> {
    match File::open(path) {
        Ok(file) => is_locked(&file),
        Err(cause) if cause.kind() == ErrorKind::NotFound => Ok(false),
        Err(cause) => Err(cause),
    }
}

/// The holder has an exclusive lock; checks use a shared lock, so they do not exclude each other.
fn is_locked(file: &File) -> io::Result<bool> {
    match file.try_lock_shared() {
        Ok(()) => file.unlock().map(|()| false),
        Err(TryLockError::WouldBlock) => Ok(true),
        Err(TryLockError::Error(cause)) => Err(cause),
    }
}

/// A lease that this process holds.
struct FileLease(File);

impl Drop for FileLease {
    /// Unlocks explicitly, because closing is not enough: a child process inherits the open file
    /// until it calls exec.
    fn drop(&mut self) {
        let _ = self.0.unlock();
    }
}
