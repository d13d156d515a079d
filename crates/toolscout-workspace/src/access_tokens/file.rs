//! The built-in tokens of agents and operators: generated once, and saved in files that only their
//! owner can read.

use crate::{AppError, Environment};
use ring::rand::{SecureRandom, SystemRandom};
use rustix::fs::{Mode, OFlags, open};
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// The file of the agents' token, in the state folder.
pub(crate) const AGENT: &str = "agent.token";
/// The file of the operators' token.
pub(crate) const OPERATOR: &str = "operator.token";
/// The length of a token in bytes, before encoding.
const BYTES: usize = 32;
/// The maximum number of bytes read from the file.
const LARGEST: u64 = 4 << 10;

/// A token saved in a file.
pub(crate) struct SavedToken {
    pub(crate) secret: String,
    pub(crate) path: PathBuf,
    /// Whether it was just generated.
    pub(crate) is_new: bool,
}

/// The token in this file; generated if the file does not exist.
pub(crate) fn load_or_create(
    environment: &Environment,
    file: &str,
) -> Result<SavedToken, AppError> {
    let folder = environment.state_dir().ok_or_else(|| {
        AppError::invalid("no state directory", "set HOME or TOOLSCOUT_STATE_DIR")
    })?;
    let path = folder.join(file);
    if let Some(secret) = read(&path)? {
        return Ok(SavedToken { secret, path, is_new: false });
    }
    let secret = generate()?;
    match write(&folder, &path, &secret) {
        Ok(()) => Ok(SavedToken { secret, path, is_new: true }),
        // Another process created it first; its token is used.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            let secret = read(&path)?.ok_or_else(|| AppError::io("read", &path)(error))?;
            Ok(SavedToken { secret, path, is_new: false })
        }
        Err(error) => Err(AppError::io("write", &path)(error)),
    }
}

fn read(path: &Path) -> Result<Option<String>, AppError> {
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

/// Writes the file atomically, readable for its owner only.
fn write(folder: &Path, path: &Path, secret: &str) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    let made = path.with_extension(format!("token.{}", std::process::id()));
    let _ = fs::remove_file(&made);
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let written = || {
        let mut file = File::from(open(&made, flags, Mode::RUSR | Mode::WUSR)?);
        file.write_all(format!("{secret}\n").as_bytes())?;
        file.sync_all()?;
        // Does not replace a file that another process created in the meantime.
        fs::hard_link(&made, path)
    };
    let outcome = written();
    let _ = fs::remove_file(&made);
    outcome
}

fn generate() -> Result<String, AppError> {
    let mut text = String::from("ts_");
    for byte in random()? {
        let _ = write!(text, "{byte:02x}");
    }
    Ok(text)
}

/// Random bytes for keys and tokens.
pub(super) fn random() -> Result<[u8; BYTES], AppError> {
    let mut bytes = [0; BYTES];
    let filled = SystemRandom::new().fill(&mut bytes);
    filled.map(|()| bytes).map_err(|_| {
        AppError::invalid("the operating system returned no random numbers", "try again")
    })
}
