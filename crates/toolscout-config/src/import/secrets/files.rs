//! Secrets in files of their own, which nobody else can read.

use crate::ConfigError;
use std::fmt;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// A secret, and the file that is to hold it.
#[derive(Clone, PartialEq, Eq)]
pub struct SecretFile {
    pub path: PathBuf,
    secret: String,
}

impl SecretFile {
    pub(super) fn new(path: PathBuf, secret: &str) -> Self {
        Self { path, secret: secret.to_owned() }
    }

    /// Whether the file is free, or holds this secret already.
    pub(super) fn fits(&self) -> bool {
        match fs::read(&self.path) {
            Ok(there) => there == self.secret.as_bytes(),
            Err(error) => error.kind() == io::ErrorKind::NotFound,
        }
    }

    /// Writes the file, readable for its owner only; one that holds this already is left alone.
    pub fn write(&self) -> Result<(), ConfigError> {
        if fs::read(&self.path).is_ok_and(|it| it == self.secret.as_bytes()) {
            return Ok(());
        }
        if let Some(folder) = self.path.parent() {
            make_private(folder).map_err(ConfigError::io("make the folder", folder))?;
        }
        // Never over something that is there: it would be another secret.
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

/// Says where, never what.
impl fmt::Debug for SecretFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SecretFile({})", self.path.display())
    }
}
