//! Replaces a file atomically, if its content has not changed since it was read.

use crate::ConfigError;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};
use tempfile::NamedTempFile;

/// A temporary file older than this was left by a writer that no longer runs.
const LEFT_BEHIND: Duration = Duration::from_secs(60);

/// The real path of the file, so that a link to it stays a link.
pub(super) fn real(path: &Path) -> Result<PathBuf, ConfigError> {
    match path.canonicalize() {
        Ok(real) if real.is_file() => Ok(real),
        Ok(_) => {
            let message = format!("`{}` is not a file", path.display());
            Err(ConfigError::invalid(message, "move it out of the way, and try again"))
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => match path.symlink_metadata() {
            Ok(_) => {
                let message = format!("`{}` is a link that leads nowhere", path.display());
                Err(ConfigError::invalid(message, "remove the link, or make the file it leads to"))
            }
            Err(_) => Ok(path.to_owned()),
        },
        Err(error) => Err(ConfigError::io("read", path)(error)),
    }
}

/// Waits until no other process edits this file. The lock is held until it is dropped.
pub(super) fn lock(folder: &Path, file: &Path) -> Result<File, ConfigError> {
    fs::create_dir_all(folder).map_err(ConfigError::io("make", folder))?;
    // Keyed by the real path of the folder, because a new file has no real path yet.
    let (parent, name) = (folder_of(file), file.file_name().unwrap_or_default());
    let whole = parent.canonicalize().unwrap_or(parent.to_owned()).join(name);
    let name = blake3::hash(whole.as_os_str().as_encoded_bytes()).to_hex();
    let path = folder.join(format!("{}.lock", &name[..32]));
    let lock = OpenOptions::new().create(true).truncate(false).write(true).open(&path);
    let lock = lock.map_err(ConfigError::io("open", &path))?;
    lock.lock().map_err(ConfigError::io("lock", &path))?;
    Ok(lock)
}

/// Writes the file if its content still equals `before`; returns whether it did.
pub(crate) fn replace(
    file: &Path,
    before: Option<&[u8]>,
    after: &[u8],
) -> Result<bool, ConfigError> {
    let folder = folder_of(file);
    fs::create_dir_all(folder).map_err(ConfigError::io("make", folder))?;
    let temporary = temporary(file, after).map_err(ConfigError::io("write", file))?;
    if bytes(file)?.as_deref() != before {
        return Ok(false);
    }
    let placed = match before {
        // A file that another program created in the meantime must not be replaced. Not every file
        // system can guarantee that.
        None => temporary.persist_noclobber(file).or_else(|failed| match failed.error.kind() {
            io::ErrorKind::AlreadyExists => Err(failed),
            _ => failed.file.persist(file),
        }),
        Some(_) => temporary.persist(file),
    };
    match placed {
        Err(failed) if before.is_none() && failed.error.kind() == io::ErrorKind::AlreadyExists => {
            return Ok(false);
        }
        placed => placed.map_err(|failed| ConfigError::io("replace", file)(failed.error))?,
    };
    // The rename survives a crash only after the folder is synced.
    let _ = File::open(folder).and_then(|it| it.sync_all());
    Ok(true)
}

/// The content of a file; `None` if it does not exist.
pub(crate) fn bytes(path: &Path) -> Result<Option<Vec<u8>>, ConfigError> {
    match fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(ConfigError::io("read", path)(error)),
    }
}

fn folder_of(file: &Path) -> &Path {
    file.parent().filter(|it| !it.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// A complete temporary file next to the target, with the target's permissions and owner.
fn temporary(file: &Path, text: &[u8]) -> io::Result<NamedTempFile> {
    let prefix = prefix(file);
    remove_left_behind(file, &prefix);
    let mut builder = tempfile::Builder::new();
    builder.prefix(&prefix);
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let mut temporary = builder.tempfile_in(folder_of(file))?;
    if let Ok(there) = file.metadata() {
        keep_owner(temporary.as_file(), &there);
        temporary.as_file().set_permissions(there.permissions())?;
    }
    temporary.write_all(text)?;
    temporary.as_file().sync_all()?;
    Ok(temporary)
}

fn prefix(file: &Path) -> String {
    format!(".{}.toolscout-", file.file_name().unwrap_or_default().to_string_lossy())
}

/// Removes the temporary files of killed writers.
fn remove_left_behind(file: &Path, prefix: &str) {
    let Ok(entries) = folder_of(file).read_dir() else { return };
    for entry in entries.flatten().filter(|it| it.file_name().to_string_lossy().starts_with(prefix))
    {
        let written = entry.metadata().and_then(|it| it.modified());
        let age = written.ok().and_then(|it| SystemTime::now().duration_since(it).ok());
        if age.is_some_and(|it| it > LEFT_BEHIND) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Keeps the owner if permitted; otherwise the file changes its owner, as with any editor.
#[cfg(unix)]
fn keep_owner(new: &File, old: &fs::Metadata) {
    use std::os::unix::fs::{MetadataExt, fchown};
    let same = new.metadata().is_ok_and(|it| (it.uid(), it.gid()) == (old.uid(), old.gid()));
    if !same {
        let _ = fchown(new, Some(old.uid()), Some(old.gid()));
    }
}

#[cfg(not(unix))]
fn keep_owner(_: &File, _: &fs::Metadata) {}
