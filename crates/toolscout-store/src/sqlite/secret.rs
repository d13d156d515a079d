//! The store's own secret: 32 bytes of chance, made once.

use super::file;
use std::fs;
use std::io::{self, ErrorKind, Write};
use std::path::Path;

/// The 32 bytes kept in this file; made where it is missing. Of several who make it at once, all get the same.
pub(super) fn of(path: &Path) -> io::Result<[u8; 32]> {
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
