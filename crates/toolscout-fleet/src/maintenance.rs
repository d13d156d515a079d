//! What operators do with a fleet: rotate its key, drain a replica.

use crate::key::FleetKeys;
use crate::{FleetError, FleetSettings, connection, replica};
use tokio_postgres::Client;
use tokio_postgres::types::Type;

/// Encrypts the data key with the current key of these settings, instead of the other one. Fails if
/// a live replica does not have the current key: it could not start again. Returns whether anything
/// has changed.
pub async fn rotate_key(settings: &FleetSettings) -> Result<bool, FleetError> {
    connection::with_client(&settings.database, async |client| {
        rotate_with(client, &settings.keys).await
    })
    .await
}

async fn rotate_with(client: &mut Client, keys: &FleetKeys) -> Result<bool, FleetError> {
    let error = |error| FleetError::of(&error);
    let transaction = client.transaction().await.map_err(error)?;
    // Two rotations at the same time would encrypt with different keys.
    let statement = "SELECT data_key FROM toolscout.meta FOR UPDATE";
    let row = transaction.query_typed_one(statement, &[]).await.map_err(error)?;
    let wrapped: Vec<u8> = row.get(0);
    let data_key = keys.unwrap(&wrapped)?;
    if keys.current.unwrap(&wrapped).is_some() {
        return if keys.other.is_some() { Ok(false) } else { Err(FleetError::NoNewKey) };
    }
    let fingerprint = keys.current.fingerprint();
    let without = replica::without_key(transaction.client(), &fingerprint).await.map_err(error)?;
    if !without.is_empty() {
        return Err(FleetError::KeyNotEverywhere(without));
    }
    let wrapped = keys.current.wrap(&data_key)?;
    let statement = "UPDATE toolscout.meta SET data_key = $1";
    let written = transaction.query_typed(statement, &[(&wrapped, Type::BYTEA)]).await;
    written.map_err(error)?;
    transaction.commit().await.map_err(error)?;
    Ok(true)
}

/// Lets the replicas of this name drain, or serve again.
pub async fn set_drain(
    settings: &FleetSettings,
    name: &str,
    drain: bool,
) -> Result<(), FleetError> {
    connection::with_client(&settings.database, async |client| {
        let count = replica::set_drain(client, name, drain).await;
        match count.map_err(|error| FleetError::of(&error))? {
            0 => Err(FleetError::UnknownReplica(name.to_owned())),
            _ => Ok(()),
        }
    })
    .await
}
