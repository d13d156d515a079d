//! What can go wrong between a replica and the database.

use std::error::Error;
use toolscout_core::StoreError;

/// An error of the fleet's database.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum FleetError {
    /// A setting is missing or cannot be resolved.
    #[error("{message}")]
    Settings {
        /// The setting, and what is wrong with it.
        message: String,
        /// What to do about it.
        hint: &'static str,
    },
    /// The setting is not a URL of PostgreSQL.
    #[error("`fleet.database` is not a URL of PostgreSQL: {0}")]
    InvalidUrl(String),
    /// The key has another form.
    #[error("`fleet.key` is not a key of `toolscout fleet key`")]
    InvalidKey,
    /// The database does not answer.
    #[error("cannot reach the database of the fleet: {0}")]
    Unreachable(String),
    /// The database refused a statement.
    #[error("the database of the fleet refused: {0}")]
    Refused(String),
    /// The tables do not exist yet.
    #[error("the database of the fleet is not prepared")]
    NotMigrated,
    /// The tables are those of a later version.
    #[error(
        "the database of the fleet needs a newer toolscout: it has version {found}, and this program supports {supported}"
    )]
    TooNew {
        /// The version of the tables.
        found: i32,
        /// The latest version that this program reads.
        supported: i32,
    },
    /// The tables are those of an earlier version.
    #[error("the database of the fleet has version {found}, and this program needs {needed}")]
    TooOld {
        /// The version of the tables.
        found: i32,
        /// The version that this program writes.
        needed: i32,
    },
    /// The database belongs to a fleet with another key.
    #[error("`fleet.key` is not the key of this fleet's database")]
    WrongKey,
    /// The local copy cannot be used.
    #[error("{0}")]
    Copy(String),
}

impl FleetError {
    /// What to type next.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Settings { hint, .. } => Some(hint),
            Self::NotMigrated | Self::TooOld { .. } => Some("run `toolscout fleet migrate` once"),
            Self::InvalidKey => Some("create one with `toolscout fleet key`"),
            Self::WrongKey => Some("use the key that the other replicas use"),
            Self::TooNew { .. } => Some("upgrade this replica"),
            _ => None,
        }
    }

    /// The reason of an error of the driver, with its causes.
    pub(crate) fn of(error: &tokio_postgres::Error) -> Self {
        match error.as_db_error() {
            Some(refused) => Self::Refused(refused.message().to_owned()),
            None => Self::Unreachable(with_causes(error)),
        }
    }

    pub(crate) fn no_answer() -> Self {
        Self::Unreachable("it did not answer in time".to_owned())
    }

    pub(crate) fn closed() -> Self {
        Self::Unreachable("the connection was closed".to_owned())
    }

    pub(crate) fn into_store(self) -> StoreError {
        StoreError { what: self.to_string(), cause: None }
    }
}

impl From<StoreError> for FleetError {
    fn from(error: StoreError) -> Self {
        Self::Copy(with_causes(&error))
    }
}

fn with_causes(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text += &format!(": {error}");
        cause = error.source();
    }
    text
}
