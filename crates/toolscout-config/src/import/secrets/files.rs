//! Secrets outside of the configuration: in files that only their owner can read, or in the system's
//! keyring.

use crate::ConfigError;
use std::fmt;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// A secret, and the file to store it in.
#[derive(Clone, PartialEq, Eq)]
pub struct SecretFile {
    pub path: PathBuf,
    secret: String,
}

impl SecretFile {
    pub(crate) fn new(path: PathBuf, secret: &str) -> Self {
        Self { path, secret: secret.to_owned() }
    }

    /// Whether the file does not exist, or already contains this secret.
    pub(super) fn is_available(&self) -> bool {
        match fs::read(&self.path) {
            Ok(bytes) => bytes == self.secret.as_bytes(),
            Err(error) => error.kind() == io::ErrorKind::NotFound,
        }
    }

    /// Writes the file, readable for its owner only; a file that already contains this secret is
    /// left alone.
    pub fn write(&self) -> Result<(), ConfigError> {
        if fs::read(&self.path).is_ok_and(|it| it == self.secret.as_bytes()) {
            return Ok(());
        }
        if let Some(folder) = self.path.parent() {
            make_private(folder).map_err(ConfigError::io("make the folder", folder))?;
        }
        // Never overwrites an existing file: it contains another secret.
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(&self.path).map_err(ConfigError::io("write", &self.path))?;
        let written = file.write_all(self.secret.as_bytes()).and_then(|()| file.sync_all());
        written.map_err(ConfigError::io("write", &self.path))
    }
}

fn make_private(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// Prints the path, never the secret.
impl fmt::Debug for SecretFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SecretFile({})", self.path.display())
    }
}
