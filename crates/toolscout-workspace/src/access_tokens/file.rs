//! The built-in tokens of agents and operators: generated once, and saved in files that only their
//! owner can read.

use super::state_file;
use crate::{AppError, Environment, random};
use rustix::fs::{Mode, OFlags, open};
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// The length of a token in bytes, before encoding.
const BYTES: usize = 32;
/// The maximum number of bytes read from the file.
const LARGEST: u64 = 4 << 10;

/// A token saved in a file.
pub struct SavedToken {
    /// Its value.
    pub secret: String,
    /// The file.
    pub path: PathBuf,
    /// Whether it was just generated.
    pub is_new: bool,
}

/// The token in this file; generated if the file does not exist.
pub fn load_or_create(environment: &Environment, file: &str) -> Result<SavedToken, AppError> {
    let path = state_file(environment, file)?;
    if let Some(secret) = read(&path)? {
        return Ok(SavedToken { secret, path, is_new: false });
    }
    let secret = generate()?;
    match write(&path, &secret, fs::hard_link) {
        Ok(()) => Ok(SavedToken { secret, path, is_new: true }),
        // Another process created it first; its token is used.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            let secret = read(&path)?.ok_or_else(|| AppError::io("read", &path)(error))?;
            Ok(SavedToken { secret, path, is_new: false })
        }
        Err(error) => Err(AppError::io("write", &path)(error)),
    }
}

/// Replaces the token in this file; returns the new value.
pub(crate) fn replace(environment: &Environment, file: &str) -> Result<String, AppError> {
    let (path, secret) = (state_file(environment, file)?, generate()?);
    write(&path, &secret, fs::rename).map_err(AppError::io("write", &path))?;
    Ok(secret)
}

/// The token in a file; `None` if there is no file. A file that other users can read is an error.
pub(super) fn read(path: &Path) -> Result<Option<String>, AppError> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
    let file = match open(path, flags, Mode::empty()) {
        Ok(file) => File::from(file),
        Err(rustix::io::Errno::NOENT) => return Ok(None),
        Err(error) => return Err(AppError::io("read", path)(error.into())),
    };
    let there = file.metadata().map_err(AppError::io("read", path))?;
    let is_ours = there.is_file() && there.uid() == rustix::process::geteuid().as_raw();
    if !is_ours || there.mode() & 0o077 != 0 {
        let message = format!("other users may have read or written `{}`", path.display());
        return Err(AppError::invalid(
            message,
            format!(
                "delete it with `rm '{}'`, then start again to create a new token",
                path.display()
            ),
        ));
    }
    let mut text = String::new();
    file.take(LARGEST).read_to_string(&mut text).map_err(AppError::io("read", path))?;
    Ok(Some(text.trim().to_owned()))
}

/// Writes the file atomically, readable for its owner only. `publish` gives the complete file its
/// name: a hard link does not replace a file that another process has created in the meantime, and
/// renaming does.
fn write(
    path: &Path,
    secret: &str,
    publish: fn(PathBuf, PathBuf) -> io::Result<()>,
) -> io::Result<()> {
    path.parent().map_or(Ok(()), fs::create_dir_all)?;
    let made = path.with_extension(format!("token.{}", std::process::id()));
    let _ = fs::remove_file(&made);
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let written = || {
        let mut file = File::from(open(&made, flags, Mode::RUSR | Mode::WUSR)?);
        file.write_all(format!("{secret}\n").as_bytes())?;
        file.sync_all()?;
        publish(made.clone(), path.to_owned())
    };
    let outcome = written();
    let _ = fs::remove_file(&made);
    outcome
}

/// The value of a new token.
pub(crate) fn generate() -> Result<String, AppError> {
    Ok(format!("ts_{}", random::to_hex(&random()?)))
}

/// Random bytes for keys and tokens.
pub fn random() -> Result<[u8; BYTES], AppError> {
    random::bytes().ok_or_else(|| AppError::invalid(random::UNAVAILABLE, "try again"))
}
