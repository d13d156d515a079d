//! Counts events, and renders them in Prometheus' text format.

mod counts;
mod histogram;
mod page;

#[cfg(test)]
mod tests;

use counts::EventCounts;
pub(crate) use counts::{error_kind_name, outcome_name};
use page::MetricsPage;
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::time::Duration;
use toolscout_core::event::{Event, Observer};
use toolscout_core::{Moment, SourceId};

/// Counts events. Cheap to update; rendering takes time linear in the number of labels.
pub struct Metrics {
    started: Moment,
    counts: Mutex<EventCounts>,
    /// One function for each catalog of this process.
    catalogs: Mutex<Vec<CountCatalog>>,
    /// Reads the state of this replica, if it is one.
    fleet: Mutex<Option<ReadFleet>>,
}

/// The sizes of the catalog.
#[derive(Debug, Clone, Default)]
pub struct CatalogCounts {
    /// Number of sources.
    pub sources: usize,
    /// Number of tools by source and status.
    pub tools: BTreeMap<(SourceId, &'static str), u64>,
}

/// The state of a replica of a fleet, as known without a statement to the database.
#[derive(Debug, Clone, Default)]
pub struct FleetGauges {
    /// The name of the replica.
    pub replica: String,
    /// Whether there is a connection to the database.
    pub is_connected: bool,
    /// The time since the last contact with the database; none if there never was one.
    pub contact_age: Option<Duration>,
    /// Changes of shared state that the replica has not applied.
    pub revisions_behind: u64,
    /// Audit records that are only on this machine.
    pub unshipped_records: u64,
    /// The replicas that serve, with this one.
    pub live_replicas: usize,
}

type ReadFleet = Box<dyn Fn() -> Option<FleetGauges> + Send + Sync>;
type CountCatalog = Box<dyn Fn() -> CatalogCounts + Send + Sync>;

impl Default for Metrics {
    fn default() -> Self {
        Self {
            started: Moment::now(),
            counts: Mutex::default(),
            catalogs: Mutex::default(),
            fleet: Mutex::default(),
        }
    }
}

impl Metrics {
    /// Content type of the rendered text.
    pub const CONTENT_TYPE: &'static str = "text/plain; version=0.0.4; charset=utf-8";

    /// All metrics in Prometheus' text format.
    pub fn render(&self) -> String {
        let mut page = MetricsPage::default();
        page.gauge("toolscout_build_info", "Build information; the value is always 1.");
        page.line(&[("version", env!("CARGO_PKG_VERSION"))], 1);
        page.gauge(
            "toolscout_start_time_seconds",
            "Unix time when this process started to count, in seconds.",
        );
        page.line(&[], self.started.0 as f64 / 1e3);
        self.write_tools(&mut page);
        if let Some(fleet) = self.fleet.lock().as_ref().and_then(|read| read()) {
            write_fleet(&mut page, &fleet);
        }
        self.counts.lock().write(&mut page);
        page.text()
    }

    /// Adds a function that counts a catalog. Each rendering calls it; several catalogs are added
    /// up.
    pub fn add_catalog(&self, count: impl Fn() -> CatalogCounts + Send + Sync + 'static) {
        self.catalogs.lock().push(Box::new(count));
    }

    /// Sets the function that reads the state of this replica. Each rendering calls it; without a
    /// fleet it returns none.
    pub fn set_fleet(&self, read: impl Fn() -> Option<FleetGauges> + Send + Sync + 'static) {
        *self.fleet.lock() = Some(Box::new(read));
    }

    fn write_tools(&self, page: &mut MetricsPage) {
        let counted: Vec<CatalogCounts> =
            self.catalogs.lock().iter().map(|count| count()).collect();
        if counted.is_empty() {
            return;
        }
        let sources: usize = counted.iter().map(|counts| counts.sources).sum();
        let mut tools = BTreeMap::new();
        let mut counts = self.counts.lock();
        for ((server, status), count) in counted.into_iter().flat_map(|catalog| catalog.tools) {
            *tools.entry((counts.server(&server), status)).or_insert(0) += count;
        }
        drop(counts);
        page.gauge("toolscout_sources", "Number of sources: servers, folders and others.");
        page.line(&[], sources);
        page.gauge("toolscout_tools", "Tools in the catalog, by server and status.");
        for ((server, status), count) in &tools {
            page.line(&[("server", server.as_str()), ("status", status)], *count);
        }
    }
}

fn write_fleet(page: &mut MetricsPage, fleet: &FleetGauges) {
    page.gauge("toolscout_fleet_info", "The name of this replica; the value is always 1.");
    page.line(&[("replica", &fleet.replica)], 1);
    page.gauge(
        "toolscout_fleet_connected",
        "Whether this replica is connected to the database of the fleet.",
    );
    page.line(&[], u8::from(fleet.is_connected));
    if let Some(age) = fleet.contact_age {
        page.gauge(
            "toolscout_fleet_contact_age_seconds",
            "Time since the last contact with the database of the fleet, in seconds.",
        );
        page.line(&[], age.as_secs_f64());
    }
    page.gauge(
        "toolscout_fleet_revisions_behind",
        "Changes of shared state that this replica has not applied, as of the last contact.",
    );
    page.line(&[], fleet.revisions_behind);
    page.gauge(
        "toolscout_fleet_unshipped_audit_records",
        "Audit records that are on this machine and not in the database of the fleet.",
    );
    page.line(&[], fleet.unshipped_records);
    page.gauge("toolscout_fleet_live_replicas", "Replicas that serve, as this one knows.");
    page.line(&[], fleet.live_replicas);
}

impl Observer for Metrics {
    fn observe(&self, event: &Event) {
        self.counts.lock().add(event);
    }
}
