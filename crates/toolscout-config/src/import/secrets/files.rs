//! Secrets outside of the configuration: in files that only their owner can read, or in the system's
//! keyring.

use crate::secrets::StoredSecrets;
use crate::{ConfigEditor, ConfigError, file};
use std::fmt;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use toolscout_mcp_client::value::keyring;

/// A secret that is stored outside of the configuration.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum StoredSecret {
    File(SecretFile),
    Keyring { name: String, secret: HiddenText },
}

impl StoredSecret {
    /// The reference that stands for it in the configuration.
    pub fn reference(&self) -> String {
        match self {
            Self::File(file) => format!("file:{}", file.path().display()),
            Self::Keyring { name, .. } => format!("keyring:{name}"),
        }
    }

    /// Stores it. An existing file or keyring entry with this secret is left alone. Undoing removes
    /// only what did not exist before.
    pub(crate) fn store(&self, editor: &ConfigEditor) -> Result<(), ConfigError> {
        let (name, secret) = match self {
            Self::File(file) => return file.write(editor),
            Self::Keyring { name, secret } => (name, &secret.0),
        };
        let unavailable =
            |message| ConfigError::Unavailable { message, hint: "use --secrets file".to_owned() };
        let existing = keyring::find(name).map_err(unavailable)?;
        if existing.as_ref() == Some(secret) {
            return Ok(());
        }
        if let (None, Some(recorder)) = (existing, editor.recorder()) {
            recorder.keyring(name)?;
        }
        keyring::store(name, secret).map_err(unavailable)
    }
}

/// The path, or the name of the keyring entry.
impl fmt::Display for StoredSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(file) => write!(f, "{}", file.path().display()),
            Self::Keyring { name, .. } => write!(f, "the keyring as `{name}`"),
        }
    }
}

/// A text that is never printed.
#[derive(Clone, PartialEq, Eq)]
pub struct HiddenText(pub(super) String);

impl fmt::Debug for HiddenText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("HiddenText")
    }
}

/// A secret, and the file to store it in.
#[derive(Clone, PartialEq, Eq)]
pub struct SecretFile {
    folder: PathBuf,
    name: String,
    secret: String,
}

impl SecretFile {
    pub(crate) fn new(folder: &Path, name: &str, secret: &str) -> Self {
        Self { folder: folder.to_owned(), name: name.to_owned(), secret: secret.to_owned() }
    }

    /// Where it is written, if its name is valid.
    pub fn path(&self) -> PathBuf {
        self.folder.join(&self.name)
    }

    /// Whether its name is valid, and the file does not exist, or already contains this secret.
    pub(super) fn is_available(&self) -> bool {
        match self.checked_path().map(fs::read) {
            Ok(Ok(bytes)) => bytes == self.secret.as_bytes(),
            Ok(Err(error)) => error.kind() == io::ErrorKind::NotFound,
            Err(_) => false,
        }
    }

    /// The path; an error if the name could lead out of the folder.
    fn checked_path(&self) -> Result<PathBuf, ConfigError> {
        StoredSecrets::new(self.folder.clone()).path(&self.name)
    }

    /// Writes the file, readable for its owner only; a file that already contains this secret is
    /// left alone.
    pub(crate) fn write(&self, editor: &ConfigEditor) -> Result<(), ConfigError> {
        let path = self.checked_path()?;
        if fs::read(&path).is_ok_and(|bytes| bytes == self.secret.as_bytes()) {
            return Ok(());
        }
        editor.record(&path, None, Some(self.secret.as_bytes()), Vec::new());
        file::create_private_folder(&self.folder)?;
        // Never overwrites an existing file: it contains another secret.
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(&path).map_err(ConfigError::io("write", &path))?;
        let written = file.write_all(self.secret.as_bytes()).and_then(|()| file.sync_all());
        written.map_err(ConfigError::io("write", &path))
    }
}

/// Prints the path, never the secret.
impl fmt::Debug for SecretFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SecretFile({})", self.path().display())
    }
}
