//! The tables: their versions, and the job that creates and upgrades them.
//!
//! A step only adds, so that replicas of the previous version go on working; what they no longer
//! need is removed by a step of a later version. `min_reader` excludes programs that are too old.

use crate::key::random;
use crate::{FleetError, FleetKeys, FleetRoles, FleetSettings, FleetStatus, connection, replica};
use tokio_postgres::Client;
use tokio_postgres::types::Type;

/// Step `n` upgrades from version `n` to `n + 1`.
const STEPS: &[&str] = &[include_str!("schema.sql")];

/// The version that this program creates.
pub(crate) const CURRENT: i32 = 1;

/// An arbitrary number for the lock that migrations take.
const MIGRATION_LOCK: i64 = 0x746f_6f6c_7363;

/// A finished migration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Migration {
    /// The version before; 0 for a new database.
    pub from: i32,
    /// The version now.
    pub to: i32,
    /// Roles that do not exist, and that the user of the database may not create.
    pub missing_roles: Vec<String>,
}

/// Creates or upgrades the tables, and grants their rights to the roles. Running it again changes
/// nothing.
pub async fn migrate(
    settings: &FleetSettings,
    roles: &FleetRoles,
) -> Result<Migration, FleetError> {
    connection::with_client(&settings.database, async |client| {
        migrate_with(client, &settings.keys, roles).await
    })
    .await
}

async fn migrate_with(
    client: &mut Client,
    keys: &FleetKeys,
    roles: &FleetRoles,
) -> Result<Migration, FleetError> {
    let transaction = client.transaction().await.map_err(|error| FleetError::of(&error))?;
    // A lock of the transaction, since a lock of the session is lost behind a pooler. A statement
    // that waits for a busy table would block every later statement.
    transaction
        .batch_execute(&format!(
            "SET LOCAL lock_timeout = '5s'; SELECT pg_advisory_xact_lock({MIGRATION_LOCK})"
        ))
        .await
        .map_err(|error| FleetError::of(&error))?;
    let from = version(transaction.client()).await?.map_or(0, |meta| meta.version);
    for step in STEPS.iter().skip(usize::try_from(from).unwrap_or_default()) {
        transaction.batch_execute(step).await.map_err(|error| FleetError::of(&error))?;
    }
    if from == 0 {
        let fleet: [u8; 16] = random()?;
        let fleet = blake3::hash(&fleet).to_hex()[..32].to_owned();
        let data_key = keys.current.wrap(&random()?)?;
        transaction
            .query_typed(
                "INSERT INTO toolscout.meta (fleet, version, min_reader, data_key)
                 VALUES ($1, $2, $2, $3)",
                &[(&fleet, Type::TEXT), (&CURRENT, Type::INT4), (&data_key, Type::BYTEA)],
            )
            .await
            .map_err(|error| FleetError::of(&error))?;
    } else if from < CURRENT {
        transaction
            .query_typed("UPDATE toolscout.meta SET version = $1", &[(&CURRENT, Type::INT4)])
            .await
            .map_err(|error| FleetError::of(&error))?;
    }
    let missing_roles = roles.grant(&transaction).await?;
    transaction.commit().await.map_err(|error| FleetError::of(&error))?;
    Ok(Migration { from, to: from.max(CURRENT), missing_roles })
}

/// The replicas, and whether the database answers.
pub async fn status(settings: &FleetSettings) -> Result<FleetStatus, FleetError> {
    connection::with_client(&settings.database, async |client| {
        check(client, &settings.keys).await?;
        replica::all(client).await
    })
    .await
}

/// The fleet that a database belongs to.
#[derive(Debug, Clone)]
pub(crate) struct FleetIdentity {
    pub(crate) fleet: String,
    pub(crate) wrapped_key: Vec<u8>,
}

/// Whether this program can use the tables, and with this key.
pub(crate) async fn check(client: &Client, keys: &FleetKeys) -> Result<FleetIdentity, FleetError> {
    let meta = version(client).await?.ok_or(FleetError::NotMigrated)?;
    if meta.min_reader > CURRENT {
        return Err(FleetError::TooNew { found: meta.min_reader, supported: CURRENT });
    }
    if meta.version < CURRENT {
        return Err(FleetError::TooOld { found: meta.version, needed: CURRENT });
    }
    keys.unwrap(&meta.data_key)?;
    Ok(FleetIdentity { fleet: meta.fleet, wrapped_key: meta.data_key })
}

struct Meta {
    fleet: String,
    version: i32,
    min_reader: i32,
    data_key: Vec<u8>,
}

/// None in a database without the tables.
async fn version(client: &Client) -> Result<Option<Meta>, FleetError> {
    let exists = client
        .query_typed_one("SELECT to_regclass('toolscout.meta') IS NOT NULL", &[])
        .await
        .map_err(|error| FleetError::of(&error))?;
    if !exists.get::<_, bool>(0) {
        return Ok(None);
    }
    let row = client
        .query_typed_opt("SELECT fleet, version, min_reader, data_key FROM toolscout.meta", &[])
        .await
        .map_err(|error| FleetError::of(&error))?;
    Ok(row.map(|row| Meta {
        fleet: row.get(0),
        version: row.get(1),
        min_reader: row.get(2),
        data_key: row.get(3),
    }))
}
