//! The audit logs of all replicas: the log of this one is sent to the database, and pages are read
//! from there.

use crate::Environment;
use parking_lot::Mutex;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};
use toolscout_core::{Lease, Store};
use toolscout_fleet::{AuditShipper, FleetError, FleetStore, ShippedQuery};
use toolscout_store::journal::JournalQuery;
use toolscout_telemetry::audit::{AuditLine, AuditLines};

/// How often new records are sent.
pub(crate) const SHIP_INTERVAL: Duration = Duration::from_secs(1);
/// How often the ends of all logs are linked.
const LINK_INTERVAL: Duration = Duration::from_secs(5);
/// Held by the replica that writes the links.
const LINK_LEASE: &str = "audit/link";

/// The audit log of this replica, as a part of that of its fleet.
pub(crate) struct FleetAudit {
    fleet: Arc<FleetStore>,
    shipper: Mutex<AuditShipper>,
    linking: Mutex<Linking>,
}

#[derive(Default)]
struct Linking {
    lease: Option<Lease>,
    last: Option<Instant>,
}

impl FleetAudit {
    /// The log in this folder.
    pub(crate) fn new(fleet: Arc<FleetStore>, folder: &Path) -> Self {
        let shipper = Mutex::new(AuditShipper::new(fleet.clone(), folder));
        Self { fleet, shipper, linking: Mutex::default() }
    }

    /// Sends all records that the database lacks.
    pub(crate) fn ship(&self) -> Result<(), FleetError> {
        self.shipper.lock().ship().map(drop)
    }

    /// Sends new records, and links the ends of all logs from time to time.
    pub(crate) fn ship_and_link(&self) -> Result<(), FleetError> {
        self.ship()?;
        let mut linking = self.linking.lock();
        if linking.last.is_some_and(|last| last.elapsed() < LINK_INTERVAL) {
            return Ok(());
        }
        linking.last = Some(Instant::now());
        // A replica that was cut off has lost its lease without noticing. Then two replicas write
        // links for a while; the database orders them.
        if linking.lease.is_none() {
            linking.lease = self.fleet.lease(LINK_LEASE).ok().flatten();
        }
        if linking.lease.is_some() {
            self.fleet.link_chains()?;
        }
        self.fleet.remember_last_link()
    }
}

/// The records of all replicas in the database.
pub(super) struct FleetLines<'a>(pub(super) &'a FleetStore);

impl AuditLines for FleetLines<'_> {
    fn newest(
        &self,
        query: &JournalQuery<'_>,
        limit: usize,
        is_selected: &dyn Fn(&str) -> bool,
    ) -> io::Result<Vec<AuditLine>> {
        let kinds = query.kinds.iter().map(|kind| (*kind).to_owned()).collect();
        let mut query = ShippedQuery { before: query.before, kinds, since: query.since };
        let mut found = Vec::new();
        loop {
            let lines = self.0.shipped_lines(&query, limit).map_err(io::Error::other)?;
            let is_last = lines.len() < limit;
            query.before = lines.last().map(|line| line.arrival);
            found.extend(lines.into_iter().filter(|line| is_selected(&line.text)).map(|line| {
                AuditLine { position: line.arrival, replica: Some(line.replica), text: line.text }
            }));
            found.truncate(limit);
            if is_last || found.len() == limit {
                return Ok(found);
            }
        }
    }
}

/// The store of the fleet, if the configuration names one and it can be used.
pub(super) fn of(environment: &Environment) -> Option<&Arc<FleetStore>> {
    environment.fleet()?.as_ref().ok()
}
