//! Errors of reading or editing configuration.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use toolscout_core::ErrorKind;

/// An error of reading or editing configuration.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// A file cannot be parsed, or a setting in it is invalid.
    #[error("`{}` cannot be read: {error}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The reason and the position.
        error: DocumentError,
    },
    /// The file system refused an operation.
    #[error("could not {action} `{}`: {source}", path.display())]
    Io {
        /// The attempted action: `read`, `write` or the like.
        action: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// The request is invalid.
    #[error("{message}")]
    Invalid {
        /// The reason.
        message: String,
        /// How to fix it.
        hint: String,
    },
    /// A server that was to be edited is no longer in its file.
    #[error("`{}` no longer has a server `{id}`", path.display())]
    ServerMissing {
        /// The file.
        path: PathBuf,
        /// The server.
        id: String,
    },
    /// A named item does not exist.
    #[error("{message}")]
    NotFound {
        /// The missing item.
        message: String,
        /// How to find it.
        hint: String,
    },
    /// The file kept changing while it was edited, or could not be backed up.
    #[error("{message}")]
    Unavailable {
        /// What happened.
        message: String,
        /// How to fix it.
        hint: String,
    },
    /// A value of ours cannot be serialized.
    #[error("the entry of `{id}` cannot be written: {source}")]
    Unwritable {
        /// The server.
        id: String,
        /// The cause.
        source: serde_json::Error,
    },
}

impl ConfigError {
    /// Neither HOME nor TOOLSCOUT_CONFIG_DIR is set.
    pub(crate) fn no_user_folder() -> Self {
        Self::invalid("no user configuration directory", "set HOME or TOOLSCOUT_CONFIG_DIR")
    }

    pub(crate) fn invalid(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::Invalid { message: message.into(), hint: hint.into() }
    }

    /// For `map_err`: adds the attempted action and the path.
    pub(crate) fn io(
        action: &'static str,
        path: impl Into<PathBuf>,
    ) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| Self::Io { action, path, source }
    }

    /// The kind of error: whose fault it is.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Unreadable { .. } | Self::Invalid { .. } => ErrorKind::Invalid,
            Self::ServerMissing { .. } | Self::NotFound { .. } => ErrorKind::NotFound,
            Self::Io { .. } | Self::Unavailable { .. } => ErrorKind::Unavailable,
            Self::Unwritable { .. } => ErrorKind::Internal,
        }
    }

    /// The next step for the user, if there is one.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Unreadable { .. } => Some("fix the file, then try again".to_owned()),
            Self::Invalid { hint, .. }
            | Self::NotFound { hint, .. }
            | Self::Unavailable { hint, .. } => Some(hint.clone()),
            _ => None,
        }
    }
}

/// An error in the text of a file, with line and column if they are known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocumentError {
    pub reason: String,
    pub position: Option<(usize, usize)>,
}

impl DocumentError {
    /// The message for a diagnostic, which already names the file.
    pub fn message(&self) -> String {
        match self.position {
            Some((line, column)) => format!("line {line} column {column}: {}", self.reason),
            None => self.reason.clone(),
        }
    }

    pub fn in_file(&self, path: &Path) -> ConfigError {
        ConfigError::Unreadable { path: path.to_owned(), error: self.clone() }
    }
}

impl fmt::Display for DocumentError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.position {
            Some((line, column)) => write!(f, "{} at line {line} column {column}", self.reason),
            None => f.write_str(&self.reason),
        }
    }
}
