//! Rights that one process at a time may have: locks on files, which the system lets go with whoever held them.

use super::file;
use std::fs::{File, TryLockError};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use toolscout_core::Lease;

/// Names may hold anything, so none becomes a path.
pub(super) fn path(dir: &Path, name: &str) -> PathBuf {
    let name = blake3::hash(name.as_bytes()).to_hex();
    dir.join("leases").join(&name[..32])
}

/// How long those who only look may be in the way: a moment, unless their process has to wait for its turn.
const PATIENCE: Duration = Duration::from_millis(200);

/// Takes the right; none while another has it.
pub(super) fn take(path: &Path) -> io::Result<Option<Lease>> {
    let file = file::open_private(path)?;
    let due = Instant::now() + PATIENCE;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(Some(Lease::new(FileLease(file)))),
            Err(TryLockError::WouldBlock) if has_owner(&file)? || Instant::now() > due => return Ok(None),
            Err(TryLockError::WouldBlock) => std::thread::yield_now(),
            Err(TryLockError::Error(cause)) => return Err(cause),
        }
    }
}

/// Whether somebody has the right. Never taken is not taken.
pub(super) fn is_taken(path: &Path) -> io::Result<bool> {
    match File::open(path) {
        Ok(file) => has_owner(&file),
        Err(cause) if cause.kind() == ErrorKind::NotFound => Ok(false),
        Err(cause) => Err(cause),
    }
}

/// An owner lets nobody else in; those who look let each other in.
fn has_owner(file: &File) -> io::Result<bool> {
    match file.try_lock_shared() {
        Ok(()) => file.unlock().map(|()| false),
        Err(TryLockError::WouldBlock) => Ok(true),
        Err(TryLockError::Error(cause)) => Err(cause),
    }
}

/// A right we have.
struct FileLease(File);

impl Drop for FileLease {
    /// Said, not left to closing: a child that is just being started has the file open, too, until its own program runs.
    fn drop(&mut self) {
        let _ = self.0.unlock();
    }
}
