//! The user's stored secrets: one file each, in a folder that only the user can read. A reference to
//! a variable that is not set finds the secret of the same name.

#[cfg(test)]
mod tests;

use crate::{ConfigError, file};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The longest name, in bytes.
const MAX_NAME: usize = 128;

/// The folder of stored secrets.
pub struct StoredSecrets {
    folder: PathBuf,
}

impl StoredSecrets {
    /// The secrets in this folder, which may not exist.
    pub fn new(folder: PathBuf) -> Self {
        Self { folder }
    }

    /// The file of a secret, existing or not.
    pub fn path(&self, name: &str) -> Result<PathBuf, ConfigError> {
        let is_allowed = |c: u8| c.is_ascii_alphanumeric() || matches!(c, b'_' | b'-' | b'.');
        let starts_well = name.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
        if !starts_well || name.len() > MAX_NAME || !name.bytes().all(is_allowed) {
            let message = format!("`{}` is not a valid name", toolscout_core::escape::line(name));
            let hint = "use the name of the variable that the server needs, such as GITHUB_TOKEN";
            return Err(ConfigError::invalid(message, hint));
        }
        Ok(self.folder.join(name))
    }

    /// The names of all secrets, sorted.
    pub fn names(&self) -> Result<Vec<String>, ConfigError> {
        let entries = match fs::read_dir(&self.folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(ConfigError::io("read", &self.folder)(error)),
        };
        let name = |entry: fs::DirEntry| entry.file_name().into_string().ok();
        let mut names: Vec<_> = entries.filter_map(Result::ok).filter_map(name).collect();
        names.retain(|name| self.path(name).is_ok_and(|path| path.is_file()));
        names.sort();
        Ok(names)
    }

    /// Stores a secret, replacing an earlier one.
    pub fn set(&self, name: &str, value: &str) -> Result<PathBuf, ConfigError> {
        let path = self.path(name)?;
        file::create_private_folder(&self.folder)?;
        if !path.exists() {
            file::create_empty(&path, 0o600)?;
        }
        let before = file::read_bytes(&path)?;
        file::replace(&path, before.as_deref(), value.as_bytes())?;
        Ok(path)
    }

    /// Removes a secret; returns whether there was one.
    pub fn remove(&self, name: &str) -> Result<bool, ConfigError> {
        let path = self.path(name)?;
        match fs::remove_file(&path) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(ConfigError::io("remove", &path)(error)),
        }
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }
}
