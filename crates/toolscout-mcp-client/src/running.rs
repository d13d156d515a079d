//! A running server: its uses, and the tools it has listed since it was started.

use super::client::{McpClient, ServerListing, ToolDefinition};
use super::discovery::{ServerContext, effective_deadline, with_tail};
use super::pace::ListingPace;
use super::{ClientError, ServerConfig};
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};
use tokio::time::{sleep_until, timeout_at};
use toolscout_core::{Cx, Digest, Moment, RawJson, SourceError, SourceId, Tool, ToolName};

pub(super) struct RunningServer {
    pub(super) client: McpClient,
    pub(super) server: Arc<ServerConfig>,
    pub(super) context: Arc<ServerContext>,
    pub(super) since: Moment,
    started: Instant,
    uses: AtomicUsize,
    answered_calls: AtomicUsize,
    last_use: Mutex<Instant>,
    listed: Mutex<Option<Arc<ListedTools>>>,
    pace: Mutex<ListingPace>,
    /// Permits one listing at a time; concurrent callers wait for it.
    listing: tokio::sync::Mutex<()>,
}

/// A tool as the server has listed it. The parts of its definition that every call needs are parsed
/// once.
pub(super) struct Callable {
    definition: ToolDefinition,
    read: OnceLock<(RawJson, Digest)>,
}

impl Callable {
    fn new(definition: &ToolDefinition) -> Arc<Self> {
        Arc::new(Self { definition: definition.clone(), read: OnceLock::new() })
    }

    /// The input schema, and the digest of the whole definition.
    pub(super) fn read(&self, source: &SourceId) -> &(RawJson, Digest) {
        self.read.get_or_init(|| {
            let tool = self.definition.tool(source);
            let digest = tool.digest();
            (tool.input_schema, digest)
        })
    }
}

/// The last tool list of the server.
struct ListedTools {
    tools: HashMap<ToolName, Arc<Callable>>,
    /// The number of announced changes at that time.
    changes: u64,
    ended: Instant,
    ttl: Duration,
}

impl RunningServer {
    pub(super) fn new(
        client: McpClient,
        server: Arc<ServerConfig>,
        context: Arc<ServerContext>,
    ) -> Self {
        let pace = ListingPace::new(context.connect.limits.listing_interval);
        Self {
            client,
            server,
            context,
            since: Moment::now(),
            started: Instant::now(),
            uses: AtomicUsize::new(0),
            answered_calls: AtomicUsize::new(0),
            last_use: Mutex::new(Instant::now()),
            listed: Mutex::default(),
            pace: Mutex::new(pace),
            listing: tokio::sync::Mutex::new(()),
        }
    }

    /// Records a use that ends when the guard is dropped.
    pub(super) fn acquire(self: &Arc<Self>) -> InUse {
        self.uses.fetch_add(1, Ordering::Relaxed);
        *self.last_use.lock() = Instant::now();
        InUse(self.clone())
    }

    pub(super) fn is_in_use(&self) -> bool {
        self.uses.load(Ordering::Relaxed) > 0
    }

    pub(super) fn last_use(&self) -> Instant {
        *self.last_use.lock()
    }

    pub(super) fn uptime(&self) -> Duration {
        self.started.elapsed()
    }

    /// The number of answered calls, successful or not.
    pub(super) fn answered_calls(&self) -> usize {
        self.answered_calls.load(Ordering::Relaxed)
    }

    pub(super) fn record_answer(&self) {
        self.answered_calls.fetch_add(1, Ordering::Relaxed);
    }

    /// The current definition of the tool at the server. Lists the tools first if the list is not
    /// current: after a start, after an announced change, or when the list has expired. Also
    /// returns whether the new list differs from the previous one.
    pub(super) async fn definition(
        &self,
        name: &ToolName,
        cx: &Cx,
    ) -> Result<(Option<Arc<Callable>>, bool), SourceError> {
        if let Some(listed) = self.current() {
            return Ok((listed.tools.get(name).cloned(), false));
        }
        let limits = &self.context.connect.limits;
        let deadline = effective_deadline(cx, limits.list + 2 * limits.listing_interval);
        let refreshed = timeout_at(deadline.into(), self.list_when_due(cx)).await;
        let what = || format!("listing the tools before the call of `{name}`");
        let has_changed = refreshed.map_err(|_| {
            ClientError::TimedOut { what: what(), limit: limits.list }
                .into_source_error(&self.server.id)
        })??;
        Ok((
            self.listed.lock().as_ref().and_then(|value| value.tools.get(name).cloned()),
            has_changed,
        ))
    }

    /// The tools that the server has listed since it was started, sorted by name; `None` if it was
    /// not listed yet.
    pub(super) fn listed(&self) -> Option<Vec<Tool>> {
        let listed = self.listed.lock().clone()?;
        let mut tools: Vec<_> =
            listed.tools.values().map(|tool| tool.definition.tool(&self.server.id)).collect();
        tools.sort_by(|one, other| one.id.name.cmp(&other.id.name));
        Some(tools)
    }

    /// Lists the tools unless another task just has; never sooner than the pace permits. Returns
    /// whether anything changed.
    pub(super) async fn list_when_due(&self, cx: &Cx) -> Result<bool, SourceError> {
        let _guard = self.listing.lock().await;
        if self.current().is_some() {
            return Ok(false);
        }
        let due = self.pace.lock().due(Instant::now());
        if let Some(due) = due {
            tokio::select! {
                () = sleep_until(due.into()) => {}
                // The connection is lost; the listing fails with the reason.
                _ = self.client.wait_until_lost() => {}
            }
        }
        let is_calm = self.pace.lock().is_calm(Instant::now());
        self.list_locked(cx, is_calm).await
    }

    /// Lists the tools now, on request.
    pub(super) async fn list_now(&self, cx: &Cx) -> Result<bool, SourceError> {
        let _guard = self.listing.lock().await;
        self.list_locked(cx, true).await
    }

    /// Lists the tools. If `may_repeat`, lists them once more if the server announced a change
    /// during the first listing.
    async fn list_locked(&self, cx: &Cx, may_repeat: bool) -> Result<bool, SourceError> {
        let (context, server) = (&self.context, &*self.server);
        let started_at = Instant::now();
        let deadline = effective_deadline(cx, context.connect.limits.list);
        let mut listed = self.list_once(deadline).await;
        if may_repeat && listed.as_ref().is_ok_and(|value| value.1 != self.announced_changes()) {
            listed = self.list_once(deadline).await;
        }
        let listed = listed.map_err(|error| with_tail(error, &self.client));
        if !context.is_recorded() {
            let (listing, changes) = listed.map_err(|error| error.into_source_error(&server.id))?;
            let before = self.set_listed(&listing, changes);
            return Ok(before.is_some_and(|before| before.differs_from(&listing)));
        }
        let record = context.read(server, cx)?;
        match listed {
            Ok((listing, changes)) => {
                self.set_listed(&listing, changes);
                context
                    .record_success(server, cx, record, &listing, &self.client, started_at)
                    .map(|value| value.changed)
            }
            Err(error) => Err(context.record_failure(server, cx, record, error, started_at)),
        }
    }

    /// One list, and the number of changes announced before it. It counts for the pace even if it
    /// fails.
    async fn list_once(&self, deadline: Instant) -> Result<(ServerListing, u64), ClientError> {
        let changes = self.announced_changes();
        let listing = self.client.list_tools(deadline).await;
        self.pace.lock().listed(Instant::now());
        Ok((listing?, changes))
    }

    /// Replaces the last list, and returns it.
    fn set_listed(&self, listing: &ServerListing, changes: u64) -> Option<Arc<ListedTools>> {
        let interval = self.context.connect.limits.listing_interval;
        self.listed.lock().replace(Arc::new(ListedTools::new(listing, changes, interval)))
    }

    fn announced_changes(&self) -> u64 {
        *self.client.list_changes().borrow()
    }

    /// The last list, if it is still current.
    fn current(&self) -> Option<Arc<ListedTools>> {
        let listed = self.listed.lock().clone()?;
        (self.announced_changes() == listed.changes && listed.ended.elapsed() <= listed.ttl)
            .then_some(listed)
    }
}

impl ListedTools {
    fn new(listing: &ServerListing, changes: u64, listing_interval: Duration) -> Self {
        Self {
            tools: listing
                .tools
                .iter()
                .map(|tool| (tool.name.clone(), Callable::new(tool)))
                .collect(),
            changes,
            ended: Instant::now(),
            // A server with a short time to live is listed no more often than one that keeps
            // announcing changes.
            ttl: listing.ttl.unwrap_or(super::record::USUAL_TTL).max(listing_interval),
        }
    }

    fn differs_from(&self, listing: &ServerListing) -> bool {
        let is_same = |tool: &ToolDefinition| {
            self.tools.get(&tool.name).is_some_and(|known| known.definition.raw == tool.raw)
        };
        self.tools.len() != listing.tools.len() || !listing.tools.iter().all(is_same)
    }
}

/// A use of a running server; keeps it from being stopped as idle.
pub(super) struct InUse(pub(super) Arc<RunningServer>);

impl Drop for InUse {
    fn drop(&mut self) {
        *self.0.last_use.lock() = Instant::now();
        self.0.uses.fetch_sub(1, Ordering::Relaxed);
    }
}
