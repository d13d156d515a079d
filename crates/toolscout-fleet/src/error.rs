//! What can go wrong between a replica and the database.

use std::error::Error;
use std::time::Duration;
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
    /// The replica has been without the database for too long.
    #[error("this replica admits no calls: it has lost the database of the fleet{}", ago(*since))]
    CutOff {
        /// The time since the last contact; none if this process never had any.
        since: Option<Duration>,
    },
    /// The settings have no second key.
    #[error("`fleet.key` has one key, and the data key is encrypted with it already")]
    NoNewKey,
    /// Some replicas would lose access with the new key.
    #[error("these replicas do not have the new key: {}", .0.join(", "))]
    KeyNotEverywhere(Vec<String>),
    /// No replica of this name serves.
    #[error("no replica `{0}` serves")]
    UnknownReplica(String),
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
            Self::CutOff { .. } => Some("see `toolscout fleet status`"),
            Self::NoNewKey => Some(
                "create a key with `toolscout fleet key`, and set `NEW,OLD` on every replica first",
            ),
            Self::KeyNotEverywhere(_) => Some("restart them with `NEW,OLD` as their key first"),
            Self::UnknownReplica(_) => Some("list them with `toolscout fleet status`"),
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

fn ago(since: Option<Duration>) -> String {
    since.map(|since| format!(" {} s ago", since.as_secs())).unwrap_or_default()
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
