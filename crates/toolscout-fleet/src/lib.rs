//! State that several machines share: a [`toolscout_core::Store`] over PostgreSQL.
//!
//! [`FleetStore`] reads from a local copy and writes to the database. The copy follows the database
//! by *revisions*: every write to a namespace increments the revision of that namespace in the
//! same transaction, so a replica that has revision `n` asks for what came after `n`. `NOTIFY` is
//! a hint to ask now; a poll finds what a hint missed. While the database is away, replicas go on
//! reading, and writes fail.
//!
//! Nothing here starts a server or knows the surfaces. Start reading at [`FleetStore::open`].

#![warn(missing_docs)]

mod applied;
mod audit;
mod changes;
mod clock;
mod connection;
mod decisions;
mod error;
#[cfg(any(test, fuzzing))]
pub mod fuzz;
mod in_force;
mod key;
mod lease;
mod link;
mod maintenance;
mod replica;
mod roles;
mod row;
mod schema;
mod shipper;
mod store;
mod sync;
mod verify;

#[cfg(test)]
mod tests;

pub use audit::{Shipment, ShippedLine, ShippedQuery};
pub use error::FleetError;
pub use in_force::{InForce, NamespaceFollower};
pub use key::{FleetKey, FleetKeys};
pub use maintenance::{rotate_key, set_drain};
pub use replica::{FleetStatus, LiveReplica, ReplicaIdentity, ReplicaState, ReplicaStatus};
pub use roles::{FleetRoles, InvalidRole};
pub use schema::{Migration, migrate, status};
pub use shipper::AuditShipper;
pub use store::{COPY_FOLDER, CUT_OFF, FleetStore, MAX_CUT_OFF};
pub use verify::{FleetBreak, FleetVerification};

use std::time::Duration;

/// How to reach the database of a fleet, and what to do without it.
#[derive(Debug, Clone)]
pub struct FleetSettings {
    /// The URL of the database: `postgres://…`. It may go through a pooler in transaction mode.
    pub database: String,
    /// A direct URL for notifications, if `database` goes through a pooler.
    pub listen_database: Option<String>,
    /// The keys of the fleet.
    pub keys: FleetKeys,
    /// How long calls are admitted without the database: [`CUT_OFF`] to [`MAX_CUT_OFF`].
    pub max_cut_off: Duration,
}
