//! Replaces and removes files of clients, if they are still what they were.

use crate::ConfigError;
use crate::edit::write;
pub(super) use crate::edit::write::bytes;
use std::fs;
use std::path::{Path, PathBuf};

/// Where the file really is: a link to it stays a link.
pub(super) fn real(path: &Path) -> PathBuf {
    if let Ok(real) = path.canonicalize() {
        return real;
    }
    let folder = path.parent().and_then(|it| it.canonicalize().ok());
    match (folder, path.file_name()) {
        (Some(folder), Some(name)) => folder.join(name),
        _ => path.to_owned(),
    }
}

/// Folders on the way to the file that are not there yet, the outermost first.
pub(super) fn missing_folders(path: &Path) -> Vec<PathBuf> {
    let mut missing: Vec<_> = path.ancestors().skip(1).take_while(|it| !it.exists()).map(Path::to_owned).collect();
    missing.reverse();
    missing
}

/// Writes `next`, if the file still holds what was `seen`.
pub(super) fn replace(path: &Path, seen: Option<&[u8]>, next: &[u8]) -> Result<(), ConfigError> {
    if write::replace(path, seen, next)? { Ok(()) } else { Err(changed(path)) }
}

/// Removes the file, if it still holds what was `seen`, and those of the folders that are empty then.
pub(super) fn remove(path: &Path, seen: &[u8], folders: &[PathBuf]) -> Result<(), ConfigError> {
    if bytes(path)?.as_deref() != Some(seen) {
        return Err(changed(path));
    }
    fs::remove_file(path).map_err(ConfigError::io("remove", path))?;
    // A folder that somebody else uses by now is not empty, and stays.
    folders.iter().rev().take_while(|it| fs::remove_dir(it).is_ok()).for_each(drop);
    Ok(())
}

fn changed(path: &Path) -> ConfigError {
    ConfigError::invalid(format!("`{}` was changed by another program", path.display()), "try again")
}
