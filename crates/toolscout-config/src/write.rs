//! Replaces a file atomically, if its content has not changed since it was read.

use crate::ConfigError;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};
use tempfile::NamedTempFile;

/// A temporary file older than this was left by a writer that no longer runs.
const STALE_AGE: Duration = Duration::from_secs(60);

/// The real path of the file, so that a link to it stays a link.
pub(crate) fn real_path(path: &Path) -> Result<PathBuf, ConfigError> {
    match path.canonicalize() {
        Ok(real) if real.is_file() => Ok(real),
        Ok(_) => {
            let message = format!("`{}` is not a file", path.display());
            Err(ConfigError::invalid(message, "move it away, then try again"))
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => match path.symlink_metadata() {
            Ok(_) => {
                let message = format!("`{}` is a broken symbolic link", path.display());
                Err(ConfigError::invalid(message, "remove the link, or create its target"))
            }
            Err(_) => Ok(path.to_owned()),
        },
        Err(error) => Err(ConfigError::io("read", path)(error)),
    }
}

/// Refuses a file of this project whose path leads out of it by a link. A cloned repository may
/// contain links, and nothing that is written into it may change a file elsewhere.
pub fn check_within(project: &Path, file: &Path) -> Result<(), ConfigError> {
    if !file.starts_with(project) {
        return Ok(());
    }
    let Ok(project) = project.canonicalize() else { return Ok(()) };
    let existing = file.ancestors().find(|path| path.symlink_metadata().is_ok()).unwrap_or(file);
    match existing.canonicalize() {
        Ok(real) if real.starts_with(&project) => Ok(()),
        Ok(_) => {
            let message =
                format!("`{}` is a link that leads out of the project", existing.display());
            Err(ConfigError::invalid(message, "replace the link with a file of its own"))
        }
        Err(_) => {
            let message = format!("`{}` is a broken symbolic link", existing.display());
            Err(ConfigError::invalid(message, "remove the link, or create its target"))
        }
    }
}

/// Waits until no other process edits this file. The lock is held until it is dropped.
pub(crate) fn lock(folder: &Path, file: &Path) -> Result<File, ConfigError> {
    fs::create_dir_all(folder).map_err(ConfigError::io("make", folder))?;
    // Keyed by the real path of the folder, because a new file has no real path yet.
    let (parent, name) = (parent_folder(file), file.file_name().unwrap_or_default());
    let full_path = parent.canonicalize().unwrap_or(parent.to_owned()).join(name);
    let name = blake3::hash(full_path.as_os_str().as_encoded_bytes()).to_hex();
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
    let folder = parent_folder(file);
    fs::create_dir_all(folder).map_err(ConfigError::io("make", folder))?;
    let temporary = write_temporary(file, after).map_err(ConfigError::io("write", file))?;
    if read_bytes(file)?.as_deref() != before {
        return Ok(false);
    }
    let persisted = match before {
        // A file that another program created in the meantime must not be replaced. Not every file
        // system can guarantee that.
        None => temporary.persist_noclobber(file).or_else(|failed| match failed.error.kind() {
            io::ErrorKind::AlreadyExists => Err(failed),
            _ => failed.file.persist(file),
        }),
        Some(_) => temporary.persist(file),
    };
    match persisted {
        Err(failed) if before.is_none() && failed.error.kind() == io::ErrorKind::AlreadyExists => {
            return Ok(false);
        }
        persisted => persisted.map_err(|failed| ConfigError::io("replace", file)(failed.error))?,
    };
    // The rename survives a crash only after the folder is synced.
    let _ = File::open(folder).and_then(|file| file.sync_all());
    Ok(true)
}

/// The content of a file; `None` if it does not exist.
pub(crate) fn read_bytes(path: &Path) -> Result<Option<Vec<u8>>, ConfigError> {
    match fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(ConfigError::io("read", path)(error)),
    }
}

fn parent_folder(file: &Path) -> &Path {
    file.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// A complete temporary file next to the target, with the target's permissions and owner.
fn write_temporary(file: &Path, text: &[u8]) -> io::Result<NamedTempFile> {
    let prefix = prefix(file);
    remove_stale_files(file, &prefix);
    let mut builder = tempfile::Builder::new();
    builder.prefix(&prefix);
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let mut temporary = builder.tempfile_in(parent_folder(file))?;
    if let Ok(metadata) = file.metadata() {
        preserve_owner(temporary.as_file(), &metadata);
        temporary.as_file().set_permissions(metadata.permissions())?;
    }
    temporary.write_all(text)?;
    temporary.as_file().sync_all()?;
    Ok(temporary)
}

fn prefix(file: &Path) -> String {
    format!(".{}.toolscout-", file.file_name().unwrap_or_default().to_string_lossy())
}

/// Removes the temporary files of killed writers.
fn remove_stale_files(file: &Path, prefix: &str) {
    let Ok(entries) = parent_folder(file).read_dir() else { return };
    for entry in
        entries.flatten().filter(|entry| entry.file_name().to_string_lossy().starts_with(prefix))
    {
        let written = entry.metadata().and_then(|metadata| metadata.modified());
        let age = written.ok().and_then(|written| SystemTime::now().duration_since(written).ok());
        if age.is_some_and(|age| age > STALE_AGE) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Keeps the owner if permitted; otherwise the file changes its owner, as with any editor.
#[cfg(unix)]
fn preserve_owner(new: &File, old: &fs::Metadata) {
    use std::os::unix::fs::{MetadataExt, fchown};
    let same = new
        .metadata()
        .is_ok_and(|metadata| (metadata.uid(), metadata.gid()) == (old.uid(), old.gid()));
    if !same {
        let _ = fchown(new, Some(old.uid()), Some(old.gid()));
    }
}

#[cfg(not(unix))]
fn preserve_owner(_: &File, _: &fs::Metadata) {}
