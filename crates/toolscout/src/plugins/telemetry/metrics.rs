//! Counts what happens, and shows it in the text that Prometheus reads.

mod counts;
mod histogram;
mod page;

#[cfg(test)]
mod tests;

use counts::Counts;
pub(super) use counts::word;
use page::Page;
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};
use toolscout_core::Moment;
use toolscout_core::event::{Event, Observer};
use toolscout_gateway::Gateway;

/// Counts what happens while agents are served. The plugin `Telemetry` offers one to the other plugins.
pub struct Metrics {
    started: Moment,
    counts: Mutex<Counts>,
    gateway: OnceLock<Arc<Gateway>>,
}

impl Default for Metrics {
    fn default() -> Self {
        Self { started: Moment::now(), counts: Mutex::default(), gateway: OnceLock::new() }
    }
}

impl Metrics {
    /// What the text is, for who sends it over HTTP.
    pub const CONTENT_TYPE: &'static str = "text/plain; version=0.0.4; charset=utf-8";

    /// Everything so far, in Prometheus' text format. Starts nothing, and waits for nobody.
    pub fn render(&self) -> String {
        let mut page = Page::default();
        page.gauge("toolscout_build_info", "Always 1; the version is in the label.");
        page.line(&[("version", env!("CARGO_PKG_VERSION"))], 1);
        page.gauge("toolscout_start_time_seconds", "When this process began to count, in seconds since 1970.");
        page.line(&[], self.started.0 as f64 / 1e3);
        self.tools(&mut page);
        self.counts.lock().write(&mut page);
        page.text()
    }

    /// Has the tools of this gateway counted, too.
    pub(super) fn of_gateway(&self, gateway: Arc<Gateway>) {
        let _ = self.gateway.set(gateway);
    }

    fn tools(&self, page: &mut Page) {
        let Some(gateway) = self.gateway.get() else { return };
        let snapshot = gateway.snapshot();
        let mut tools: BTreeMap<_, u64> = BTreeMap::new();
        for tool in snapshot.tools() {
            *tools.entry((&tool.id.source, tool.status.word())).or_default() += 1;
        }
        page.gauge("toolscout_sources", "Servers, folders and other sources of tools.");
        page.line(&[], gateway.sources().len());
        page.gauge("toolscout_tools", "Tools that are known, by server and by whether they can be called.");
        for ((server, status), count) in tools.iter().take(counts::SERVERS) {
            page.line(&[("server", server.as_str()), ("status", status)], *count);
        }
    }
}

impl Observer for Metrics {
    fn observe(&self, event: &Event) {
        self.counts.lock().add(event);
    }
}
