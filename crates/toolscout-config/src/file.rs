//! Replaces and removes files, if they are unchanged.

use crate::ConfigError;
use crate::write;
pub(crate) use crate::write::read_bytes;
use std::fs;
use std::path::{Path, PathBuf};

/// The real path of the file, so that a link to it stays a link.
pub(crate) fn real_path(path: &Path) -> PathBuf {
    if let Ok(real) = path.canonicalize() {
        return real;
    }
    let folder = path.parent().and_then(|parent| parent.canonicalize().ok());
    match (folder, path.file_name()) {
        (Some(folder), Some(name)) => folder.join(name),
        _ => path.to_owned(),
    }
}

/// The missing parent folders of the file, outermost first.
pub(crate) fn missing_folders(path: &Path) -> Vec<PathBuf> {
    let mut missing: Vec<_> = path
        .ancestors()
        .skip(1)
        .take_while(|ancestor| !ancestor.exists())
        .map(Path::to_owned)
        .collect();
    missing.reverse();
    missing
}

/// Writes `content` if the content of the file still equals `expected`.
pub(crate) fn replace(
    path: &Path,
    expected: Option<&[u8]>,
    content: &[u8],
) -> Result<(), ConfigError> {
    if write::replace(path, expected, content)? { Ok(()) } else { Err(changed_concurrently(path)) }
}

/// Removes the file if its content still equals `expected`, and those of the folders that are then
/// empty.
pub(crate) fn remove(path: &Path, expected: &[u8], folders: &[PathBuf]) -> Result<(), ConfigError> {
    if read_bytes(path)?.as_deref() != Some(expected) {
        return Err(changed_concurrently(path));
    }
    fs::remove_file(path).map_err(ConfigError::io("remove", path))?;
    // A folder that another program uses is not empty, and stays.
    folders.iter().rev().take_while(|folder| fs::remove_dir(folder).is_ok()).for_each(drop);
    Ok(())
}

fn changed_concurrently(path: &Path) -> ConfigError {
    ConfigError::invalid(
        format!("`{}` was changed by another program", path.display()),
        "try again",
    )
}

/// The permission bits of the file; `None` if it does not exist, or the system has none.
pub(crate) fn mode(path: &Path) -> Option<u32> {
    #[cfg(unix)]
    return path
        .metadata()
        .ok()
        .map(|metadata| std::os::unix::fs::PermissionsExt::mode(&metadata.permissions()) & 0o777);
    #[cfg(not(unix))]
    return None;
}

/// Creates a folder that only its owner can read, and its parents; an existing one stays as it is.
pub(crate) fn create_private_folder(folder: &Path) -> Result<(), ConfigError> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder).map_err(ConfigError::io("create the folder", folder))
}

/// Creates an empty file with these permission bits, and its folders.
pub(crate) fn create_empty(path: &Path, mode: u32) -> Result<(), ConfigError> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(ConfigError::io("create the folder", folder))?;
    }
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, mode);
    let created = options.open(path).map_err(ConfigError::io("write", path))?;
    // The process's umask may have removed some of the bits.
    #[cfg(unix)]
    created
        .set_permissions(std::os::unix::fs::PermissionsExt::from_mode(mode))
        .map_err(ConfigError::io("set the permissions of", path))?;
    drop(created);
    Ok(())
}
