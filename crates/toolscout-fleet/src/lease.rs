//! Leases that one replica at a time may hold: rows that are valid while their replica is.

use crate::FleetError;
use crate::link::Link;
use std::sync::Arc;
use std::time::Duration;
use tokio_postgres::types::Type;

/// A lease; dropping it releases it.
pub(crate) struct FleetLease {
    link: Arc<Link>,
    name: String,
    replica: String,
    generation: i64,
    /// The period of contact in which it was taken.
    period: u64,
}

impl FleetLease {
    /// Takes the lease; none while another replica holds it.
    pub(crate) fn take(link: &Arc<Link>, name: &str) -> Result<Option<Self>, FleetError> {
        let replica = link.hold_lease()?;
        let period = link.contact_period();
        let (lease, holder) = (name.to_owned(), replica.clone());
        let generation = link.call(move |client| async move {
            let row = client
                .query_typed_opt(
                    "SELECT generation FROM toolscout.take_lease($1, $2) AS generation
                     WHERE generation IS NOT NULL",
                    &[(&lease, Type::TEXT), (&holder, Type::TEXT)],
                )
                .await?;
            Ok(row.map(|row| row.get(0)))
        });
        match generation {
            Ok(Some(generation)) => Ok(Some(Self {
                link: link.clone(),
                name: name.to_owned(),
                replica,
                generation,
                period,
            })),
            other => {
                link.release_lease();
                other.map(|_: Option<i64>| None)
            }
        }
    }

    /// Grows with every holder.
    pub(crate) fn generation(&self) -> u64 {
        self.generation.unsigned_abs()
    }

    /// How long what runs under the lease may go on without another heartbeat.
    pub(crate) fn remaining(&self) -> Duration {
        self.link.remaining_in(self.period)
    }
}

/// The replica that holds the lease and is alive.
pub(crate) fn holder(link: &Link, name: &str) -> Result<Option<String>, FleetError> {
    let name = name.to_owned();
    link.call(move |client| async move {
        let row = client
            .query_typed_opt(
                "SELECT l.replica FROM toolscout.lease l
                 JOIN toolscout.replica r ON r.id = l.replica
                 WHERE l.name = $1 AND r.expires > now()",
                &[(&name, Type::TEXT)],
            )
            .await?;
        Ok(row.map(|row| row.get(0)))
    })
}

impl Drop for FleetLease {
    fn drop(&mut self) {
        let (name, replica, generation) =
            (std::mem::take(&mut self.name), std::mem::take(&mut self.replica), self.generation);
        self.link.release_lease();
        self.link.spawn(move |client| async move {
            client
                .query_typed(
                    "UPDATE toolscout.lease SET replica = NULL
                     WHERE name = $1 AND replica = $2 AND generation = $3",
                    &[(&name, Type::TEXT), (&replica, Type::TEXT), (&generation, Type::INT8)],
                )
                .await
                .map(drop)
        });
    }
}
