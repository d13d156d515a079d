//! Errors of reading the journal.

use std::io;
use std::path::{Path, PathBuf};

/// The error of reading the journal.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TelemetryError {
    /// The query is invalid.
    #[error("{message}")]
    InvalidQuery {
        /// The reason.
        message: String,
        /// Examples of valid values.
        hint: String,
    },
    /// The records could not be read.
    #[error("cannot read the audit log")]
    Read(#[source] io::Error),
    /// The files could not be read.
    #[error("cannot {action} `{}`", path.display())]
    Io {
        /// `read` or `check`.
        action: &'static str,
        /// The folder of the journal.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
}

impl TelemetryError {
    pub(crate) fn io(action: &'static str, state: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = toolscout_store::journal::dir(state);
        move |source| Self::Io { action, path, source }
    }
}
