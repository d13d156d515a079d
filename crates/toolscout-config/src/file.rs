//! Replaces and removes files of clients, if they are unchanged.

use crate::ConfigError;
use crate::edit::write;
pub(super) use crate::edit::write::bytes;
use std::fs;
use std::path::{Path, PathBuf};

/// The real path of the file, so that a link to it stays a link.
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

/// The missing parent folders of the file, outermost first.
pub(super) fn missing_folders(path: &Path) -> Vec<PathBuf> {
    let mut missing: Vec<_> =
        path.ancestors().skip(1).take_while(|it| !it.exists()).map(Path::to_owned).collect();
    missing.reverse();
    missing
}

/// Writes `next` if the content of the file still equals `seen`.
pub(super) fn replace(path: &Path, seen: Option<&[u8]>, next: &[u8]) -> Result<(), ConfigError> {
    if write::replace(path, seen, next)? { Ok(()) } else { Err(changed(path)) }
}

/// Removes the file if its content still equals `seen`, and those of the folders that are then
/// empty.
pub(super) fn remove(path: &Path, seen: &[u8], folders: &[PathBuf]) -> Result<(), ConfigError> {
    if bytes(path)?.as_deref() != Some(seen) {
        return Err(changed(path));
    }
    fs::remove_file(path).map_err(ConfigError::io("remove", path))?;
    // A folder that another program uses is not empty, and stays.
    folders.iter().rev().take_while(|it| fs::remove_dir(it).is_ok()).for_each(drop);
    Ok(())
}

fn changed(path: &Path) -> ConfigError {
    ConfigError::invalid(
        format!("`{}` was changed by another program", path.display()),
        "try again",
    )
}
