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
use toolscout_core::event::{Event, Observer};
use toolscout_core::{Moment, SourceId};

/// Counts events. Cheap to update; rendering takes time linear in the number of labels.
pub struct Metrics {
    started: Moment,
    counts: Mutex<EventCounts>,
    /// One function for each catalog of this process.
    catalogs: Mutex<Vec<CountCatalog>>,
}

/// The sizes of the catalog.
#[derive(Debug, Clone, Default)]
pub struct CatalogCounts {
    /// Number of sources.
    pub sources: usize,
    /// Number of tools by source and status.
    pub tools: BTreeMap<(SourceId, &'static str), u64>,
}

type CountCatalog = Box<dyn Fn() -> CatalogCounts + Send + Sync>;

impl Default for Metrics {
    fn default() -> Self {
        Self { started: Moment::now(), counts: Mutex::default(), catalogs: Mutex::default() }
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
        self.counts.lock().write(&mut page);
        page.text()
    }

    /// Adds a function that counts a catalog. Each rendering calls it; several catalogs are added
    /// up.
    pub fn add_catalog(&self, count: impl Fn() -> CatalogCounts + Send + Sync + 'static) {
        self.catalogs.lock().push(Box::new(count));
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

impl Observer for Metrics {
    fn observe(&self, event: &Event) {
        self.counts.lock().add(event);
    }
}
