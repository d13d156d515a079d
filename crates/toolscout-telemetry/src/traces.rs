//! Sends events as spans to an OpenTelemetry collector, over OTLP/HTTP with JSON. Langfuse reads
//! the same spans.
//!
//! [`Traces`] turns events into spans and queues them; the [`exporter`] sends them on its own
//! thread.

mod attributes;
mod environment;
mod exporter;
mod request;
mod span;

#[cfg(test)]
mod tests;

pub use attributes::Attributes;
pub use environment::OtelEnvironment;
pub use exporter::{Notify, OpenTransport, TraceTarget, TraceTransport, TransportResponse};

use exporter::Exporter;
use request::ExportedSpan;
use span::{CacheCounts, to_span, with_servers};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::{Duration, Instant};
use tokio::sync::{oneshot, watch};
use toolscout_core::event::{Event, EventKind, Observer};
use toolscout_core::{BatchLimits, BatchWriter};

const LIMITS: BatchLimits =
    BatchLimits { name: "traces", capacity: 2_048, batch: 512, delay: Duration::from_secs(1) };

/// The MCP servers at the time of a span.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TracedServers {
    /// Their names.
    pub names: Vec<String>,
    /// Whether one of them has no valid cached tools.
    pub needs_discovery: bool,
}

/// Returns the current MCP servers.
type CurrentServers = Box<dyn Fn() -> TracedServers + Send + Sync>;

/// The observer that exports spans.
pub struct Traces {
    writer: BatchWriter<ExportedSpan>,
    /// The deadline for sending the remaining spans, set once at shutdown.
    closing: watch::Sender<Option<Instant>>,
    content: bool,
    notify: Arc<OnceLock<Notify>>,
    servers: OnceLock<CurrentServers>,
    hits: AtomicU64,
    misses: AtomicU64,
}

impl Traces {
    /// Exports to this target. The connection is opened with the first batch.
    pub fn new(target: TraceTarget) -> Arc<Self> {
        let (closing, closed) = watch::channel(None);
        let (content, notify) = (target.content, Arc::default());
        let mut exporter = Exporter::new(target, closed, Arc::clone(&notify));
        let writer =
            BatchWriter::new(LIMITS, move |spans, dropped| exporter.export(&spans, dropped));
        let (hits, misses) = (AtomicU64::new(0), AtomicU64::new(0));
        let servers = OnceLock::new();
        Arc::new(Self { writer, closing, content, notify, servers, hits, misses })
    }

    /// Sets the function that returns the current MCP servers, for the spans of discoveries and
    /// searches.
    pub fn set_servers(&self, servers: impl Fn() -> TracedServers + Send + Sync + 'static) {
        let _ = self.servers.set(Box::new(servers));
    }

    /// Sets the function that shows the user, once, that spans cannot be sent.
    pub fn set_notify(&self, notify: Notify) {
        let _ = self.notify.set(notify);
    }

    /// Sends the remaining spans, within this time.
    pub async fn finish(self: &Arc<Self>, limit: Duration) {
        if !self.writer.is_started() {
            return;
        }
        self.closing.send_replace(Some(Instant::now() + limit.mul_f32(0.9)));
        let (traces, (done, is_done)) = (self.clone(), oneshot::channel());
        // This is not a blocking task, because the runtime would wait for it without a limit.
        thread::spawn(move || {
            traces.writer.flush();
            let _ = done.send(());
        });
        let _ = tokio::time::timeout(limit, is_done).await;
    }

    /// Counts how often a cached discovery was enough, and how often a server had to be queried.
    fn count(&self, kind: &EventKind) -> CacheCounts {
        match kind {
            EventKind::Search(_) | EventKind::Call(_) => self.hits.fetch_add(1, Ordering::Relaxed),
            EventKind::Discovery(event) if event.was_uncached => {
                self.misses.fetch_add(1, Ordering::Relaxed)
            }
            _ => 0,
        };
        CacheCounts {
            hits: self.hits.load(Ordering::Relaxed),
            misses: self.misses.load(Ordering::Relaxed),
        }
    }
}

impl Observer for Traces {
    fn observe(&self, event: &Event) {
        let counts = self.count(&event.kind);
        if !event.span.is_sampled {
            return;
        }
        let servers = || self.servers.get().map(|servers| servers()).unwrap_or_default();
        if let Some(span) = to_span(event, counts, self.content) {
            self.writer.push(with_servers(span, servers));
            self.writer.start();
        }
    }

    fn traces(&self) -> bool {
        true
    }
}
