//! Sends batches of spans to the collector, with retries and backoff.

use super::attributes::Attributes;
use super::request::{ExportedSpan, request};
use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::Write;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};
use tokio::runtime::{Builder, Runtime};
use tokio::sync::watch;
use toolscout_core::{BoxFuture, counted, escape, redact};

/// Number of attempts to send a batch; then it is dropped.
const MAX_ATTEMPTS: u32 = 5;
/// Wait before the second attempt; doubled for each further one.
const FIRST_WAIT: Duration = Duration::from_millis(500);
/// The longest wait, even if the collector's `Retry-After` is longer.
const MAX_WAIT: Duration = Duration::from_secs(30);

/// The destination of spans, and how they are sent.
pub struct TraceTarget {
    /// Opens the connection. It may block, for example to look up secrets; it is called on the
    /// exporter's thread.
    pub open: OpenTransport,
    /// The attributes of this process.
    pub resource: Attributes,
    /// Whether queries and arguments are exported.
    pub content: bool,
    /// Timeout of a request.
    pub timeout: Duration,
    /// Whether bodies are compressed with gzip.
    pub is_compressed: bool,
}

/// Opens the connection to a collector. The error message is shown to the user.
pub type OpenTransport = Box<dyn Fn() -> Result<Box<dyn TraceTransport>, String> + Send>;

/// Sends requests to a collector.
pub trait TraceTransport: Send {
    /// The address, without secrets.
    fn display_url(&self) -> String;

    /// Sends a JSON body with this `Content-Encoding`. The error message is shown to the user.
    fn send(
        &self,
        body: Vec<u8>,
        encoding: Option<&'static str>,
        limit: Duration,
    ) -> BoxFuture<'_, Result<TransportResponse, String>>;
}

/// The response of the collector.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TransportResponse {
    /// HTTP status.
    pub status: u16,
    /// The `Retry-After` header.
    pub retry_after: Option<Duration>,
}

/// Shows a message to the user.
pub type Notify = Box<dyn Fn(&str) + Send + Sync>;

pub(super) struct Exporter {
    target: TraceTarget,
    closed: watch::Receiver<Option<Instant>>,
    notify: Arc<OnceLock<Notify>>,
    connection: CollectorConnection,
    has_notified: bool,
}

enum CollectorConnection {
    NotOpened,
    Open(Runtime, Box<dyn TraceTransport>),
    Failed,
}

impl Exporter {
    pub(super) fn new(
        target: TraceTarget,
        closed: watch::Receiver<Option<Instant>>,
        notify: Arc<OnceLock<Notify>>,
    ) -> Self {
        Self {
            target,
            closed,
            notify,
            connection: CollectorConnection::NotOpened,
            has_notified: false,
        }
    }

    pub(super) fn export(&mut self, spans: &[ExportedSpan], dropped: u64) {
        if dropped > 0 {
            self.report(&format!(
                "{} dropped because the queue was full",
                counted(dropped as usize, "span")
            ));
        }
        if matches!(self.connection, CollectorConnection::NotOpened) {
            self.connection = self.open().unwrap_or_else(|error| {
                self.report(&error);
                CollectorConnection::Failed
            });
        }
        if let CollectorConnection::Open(runtime, transport) = &self.connection
            && let Err(error) = runtime.block_on(self.send(&**transport, spans))
        {
            self.report(&error);
        }
    }

    fn open(&self) -> Result<CollectorConnection, String> {
        let runtime = Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| error.to_string())?;
        Ok(CollectorConnection::Open(runtime, (self.target.open)()?))
    }

    async fn send(
        &self,
        transport: &dyn TraceTransport,
        spans: &[ExportedSpan],
    ) -> Result<(), String> {
        let body = request(&self.target.resource, spans);
        let (body, encoding) =
            if self.target.is_compressed { compress(body) } else { (body, None) };
        let (mut wait, mut attempt) = (FIRST_WAIT, 1);
        loop {
            let is_last = attempt == MAX_ATTEMPTS || self.closed.borrow().is_some();
            let response = tokio::select! {
                response = transport.send(body.clone(), encoding, self.target.timeout) => response,
                () = self.deadline() => Err("the collector did not answer in time".to_owned()),
            };
            let Some((error, retry_after)) = failure(&response, &transport.display_url()) else {
                return Ok(());
            };
            let Some(retry_after) = retry_after.filter(|_| !is_last) else { return Err(error) };
            let mut closed = self.closed.clone();
            let pause = retry_after.max(wait).min(MAX_WAIT);
            let _ = tokio::time::timeout(pause, closed.wait_for(Option::is_some)).await;
            (wait, attempt) = (wait * 2, attempt + 1);
        }
    }

    /// Waits until the shutdown deadline.
    async fn deadline(&self) {
        let mut closed = self.closed.clone();
        let until = closed.wait_for(Option::is_some).await.ok().and_then(|until| *until);
        match until {
            Some(until) => tokio::time::sleep_until(until.into()).await,
            None => std::future::pending().await,
        }
    }

    /// Logs each failure, and shows the first one to the user.
    fn report(&mut self, error: &str) {
        tracing::warn!(event = "traces_not_sent", reason = %escape::line(error));
        if let (false, Some(notify)) =
            (std::mem::replace(&mut self.has_notified, true), self.notify.get())
        {
            notify(&format!(
                "warning: traces could not be sent: {}\n",
                escape::line(&redact::text(error))
            ));
        }
    }
}

impl Drop for Exporter {
    /// Shuts the runtime down in the background. The last owner may be an async task, in which
    /// dropping a runtime panics.
    fn drop(&mut self) {
        if let CollectorConnection::Open(runtime, _) =
            std::mem::replace(&mut self.connection, CollectorConnection::Failed)
        {
            runtime.shutdown_background();
        }
    }
}

/// The error of a response, and the wait before a retry. Without a wait, the request must not be
/// retried.
fn failure(
    response: &Result<TransportResponse, String>,
    display_url: &str,
) -> Option<(String, Option<Duration>)> {
    match response {
        Ok(TransportResponse { status: 200..=299, .. }) => None,
        Ok(TransportResponse { status: status @ (429 | 502 | 503 | 504), retry_after }) => Some((
            format!("`{display_url}` answered {status}"),
            Some(retry_after.unwrap_or_default()),
        )),
        Ok(TransportResponse { status, .. }) => {
            Some((format!("`{display_url}` answered {status}"), None))
        }
        Err(error) => Some((format!("`{display_url}`: {error}"), Some(Duration::ZERO))),
    }
}

fn compress(body: Vec<u8>) -> (Vec<u8>, Option<&'static str>) {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    match encoder.write_all(&body).and_then(|()| encoder.finish()) {
        Ok(compressed) => (compressed, Some("gzip")),
        Err(_) => (body, None),
    }
}
