//! The roles of the database: what replicas and auditors may do with the tables.

use crate::FleetError;
use tokio_postgres::Transaction;
use tokio_postgres::types::Type;

/// Grants the rights to the roles named `{app}` and `{audit}`.
const GRANTS: &str = include_str!("roles.sql");
/// The longest name that PostgreSQL does not cut off.
const MAX_LENGTH: usize = 63;

/// The names of the roles that a migration creates. They cannot log in; the users that replicas and
/// auditors connect with are members of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FleetRoles {
    app: String,
    audit: String,
}

/// A name that a role of a fleet cannot have.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a name of a role: use a-z, 0-9 and _, and a letter first")]
pub struct InvalidRole(String);

impl FleetRoles {
    /// The role of replicas.
    pub const APP: &str = "toolscout_app";
    /// The role of auditors.
    pub const AUDIT: &str = "toolscout_audit";

    /// Checks the names, because they become parts of statements.
    pub fn new(app: &str, audit: &str) -> Result<Self, InvalidRole> {
        let checked = |name: &str| {
            if is_name(name) { Ok(name.to_owned()) } else { Err(InvalidRole(name.into())) }
        };
        Ok(Self { app: checked(app)?, audit: checked(audit)? })
    }

    /// Creates the roles, if the user may, and grants their rights. Returns the roles that do not
    /// exist.
    pub(crate) async fn grant(
        &self,
        transaction: &Transaction<'_>,
    ) -> Result<Vec<String>, FleetError> {
        let grants = GRANTS.replace("{app}", &self.app).replace("{audit}", &self.audit);
        transaction.batch_execute(&grants).await.map_err(|error| FleetError::of(&error))?;
        let names = vec![self.app.clone(), self.audit.clone()];
        let missing = transaction
            .query_typed(
                "SELECT name FROM unnest($1) AS name WHERE to_regrole(name) IS NULL",
                &[(&names, Type::TEXT_ARRAY)],
            )
            .await
            .map_err(|error| FleetError::of(&error))?;
        Ok(missing.iter().map(|row| row.get(0)).collect())
    }
}

impl Default for FleetRoles {
    fn default() -> Self {
        Self { app: Self::APP.to_owned(), audit: Self::AUDIT.to_owned() }
    }
}

fn is_name(name: &str) -> bool {
    let is_first = |letter: char| letter.is_ascii_lowercase() || letter == '_';
    let is_other = |letter: char| is_first(letter) || letter.is_ascii_digit();
    name.starts_with(is_first) && name.chars().all(is_other) && name.len() <= MAX_LENGTH
}
