//! Replaces a file in one step, so that whoever reads it meanwhile sees the old text or the new one.

use crate::ConfigError;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The file's bytes; none where there is no file.
pub(super) fn bytes(path: &Path) -> Result<Option<Vec<u8>>, ConfigError> {
    match fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(ConfigError::io("read", path)(error)),
    }
}

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
    let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
        return Err(ConfigError::io("write", path)(io::ErrorKind::InvalidInput.into()));
    };
    fs::create_dir_all(folder).map_err(ConfigError::io("make the folder", folder))?;
    let aside = folder.join(format!(".{}.{}.toolscout", name.to_string_lossy(), std::process::id()));
    let written = write_aside(&aside, path, next).map_err(ConfigError::io("write", &aside));
    let swapped = written.and_then(|()| match bytes(path)?.as_deref() == seen {
        true => fs::rename(&aside, path).map_err(ConfigError::io("write", path)),
        false => Err(changed(path)),
    });
    if swapped.is_err() {
        let _ = fs::remove_file(&aside);
    }
    swapped
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

fn write_aside(aside: &Path, path: &Path, text: &[u8]) -> io::Result<()> {
    let mut file: File = OpenOptions::new().write(true).create_new(true).open(aside)?;
    if let Ok(there) = fs::metadata(path) {
        file.set_permissions(there.permissions())?;
    }
    file.write_all(text)?;
    file.sync_all()
}

fn changed(path: &Path) -> ConfigError {
    ConfigError::invalid(format!("`{}` was changed meanwhile", path.display()), "try again")
}
