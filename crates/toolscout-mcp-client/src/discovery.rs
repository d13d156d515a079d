//! Lists the tools of a server and stores the result. Only one process queries a server at a time.

pub(super) mod library;

use super::client::{CacheScope, LibraryListing, McpClient, ServerListing};
use super::era::ProtocolEra;
use super::limits::Limits;
use super::record::{DiscoveryRecord, DiscoveryRecords, DiscoveryStatus, KnownTools};
use super::tokens::TokenProvider;
use super::{
    ClientError, ConnectContext, ConnectPurpose, DenialLog, ProtocolChoice, ReferenceLookup,
    ServerConfig, ServerTransport, fingerprint,
};
use serde_json::json;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::time::{sleep, timeout_at};
use toolscout_core::event::{self, EventKind};
use toolscout_core::{Cx, Lease, Moment, RawJson, SourceError, Store, StoreError, redact};
use toolscout_process::sandbox::SandboxHost;
use toolscout_source::layer::Retry;
use tracing::Instrument as _;

/// The interval at which to check whether another process has discovered the same server.
const LEASE_POLL_INTERVAL: Duration = Duration::from_millis(20);
/// The delay before a remote server is queried a second time.
const RETRY_DELAY: Duration = Duration::from_millis(500);
/// How long a server that suddenly lists no tools keeps its previous tools.
const VANISHED_GRACE: Duration = Duration::from_secs(600);
/// An unchanged list is not stored again within this time.
const REWRITE_INTERVAL: Duration = Duration::from_secs(60);
/// A time limit with less than this left counts as expired, because timers are not exact.
const TIMER_TOLERANCE: Duration = Duration::from_millis(5);
/// The version of the definition checks; incremented when a check is added.
const CHECKS_VERSION: usize = 1;

/// The state that all servers of a project share: the store and the connection context.
#[derive(Clone)]
pub struct ServerContext {
    pub(super) records: DiscoveryRecords,
    pub(super) connect: ConnectContext,
    key: [u8; 32],
}

impl ServerContext {
    /// Creates the context for the project with this id; see [`crate::partition`]. Fails if the
    /// store has no secret key for hashing.
    pub fn new(
        store: Arc<dyn Store>,
        partition: String,
        connect: ConnectContext,
    ) -> Result<Self, StoreError> {
        let key = store.key()?;
        let denials = Some(DenialLog::new(store.clone(), partition.clone()));
        let connect = ConnectContext { denials, ..connect };
        let records =
            DiscoveryRecords::new(store, partition).marked_with(checks_key(&key, &connect.limits));
        Ok(Self { records, connect, key })
    }

    /// Returns the same context with these tokens, for the server they belong to.
    pub fn with_tokens(&self, tokens: Arc<dyn TokenProvider>) -> Self {
        Self {
            connect: ConnectContext { tokens: Some(tokens), ..self.connect.clone() },
            ..self.clone()
        }
    }

    /// Returns the same context without a token provider.
    pub(super) fn without_tokens(&self) -> Self {
        Self { connect: ConnectContext { tokens: None, ..self.connect.clone() }, ..self.clone() }
    }

    /// Returns the same context for legacy connections, whatever the configuration says.
    pub(super) fn legacy(&self) -> Self {
        let protocol = Some(ProtocolChoice::Legacy);
        Self { connect: ConnectContext { protocol, ..self.connect.clone() }, ..self.clone() }
    }

    /// Whether connections speak the configured revision, so that what they list is stored.
    pub(super) fn is_recorded(&self) -> bool {
        self.connect.protocol.is_none()
    }

    /// The discovery records.
    pub fn records(&self) -> &DiscoveryRecords {
        &self.records
    }

    /// What sandboxes denied to the servers.
    pub fn denials(&self) -> Option<&DenialLog> {
        self.connect.denials.as_ref()
    }

    /// Resolves references in configurations.
    pub fn lookup(&self) -> &ReferenceLookup {
        &self.connect.lookup
    }

    /// The folders and decisions for sandboxes.
    pub fn sandbox(&self) -> Option<&SandboxHost> {
        self.connect.sandbox.as_deref()
    }

    /// The configuration's fingerprint, with the current values of its references.
    pub fn configuration(&self, server: &ServerConfig) -> String {
        fingerprint::configuration_fingerprint(server, &self.key, &self.connect.lookup)
    }

    /// The context of a connection to this server, with the era of the last connection.
    pub(super) fn connect_context(
        &self,
        server: &ServerConfig,
        record: &DiscoveryRecord,
    ) -> ConnectContext {
        let known_tools =
            record.tools.as_ref().filter(|tools| tools.configuration == self.configuration(server));
        ConnectContext { era: known_tools.map(|value| value.era.clone()), ..self.connect.clone() }
    }

    /// The time limit of a discovery: longer if the server may have to be installed first.
    pub(super) fn discovery_time_limit(
        &self,
        server: &ServerConfig,
        record: &DiscoveryRecord,
    ) -> Duration {
        let limits = &self.connect.limits;
        let is_first = record.tools.is_none();
        let usual = if is_first && server.is_installed_first() {
            limits.installing
        } else {
            limits.discovery
        };
        server.discovery_timeout.unwrap_or(usual)
    }
}

/// The key that marks checked definitions. It differs if the checks or their limits differ.
fn checks_key(key: &[u8; 32], limits: &Limits) -> [u8; 32] {
    let mut all = key.to_vec();
    for number in [CHECKS_VERSION, limits.definition, limits.schema, limits.schema_nodes] {
        all.extend((number as u64).to_le_bytes());
    }
    blake3::derive_key("toolscout definitions that were checked", &all)
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiscoveryOutcome {
    /// The number of tools of the server.
    pub tools: usize,
    /// The number of unusable definitions.
    pub excluded: usize,
    /// The duration of the discovery.
    pub took: Duration,
    /// Whether anything differs from the last discovery.
    pub changed: bool,
}

impl DiscoveryOutcome {
    pub(super) fn from_tools(tools: Option<&KnownTools>, took: Duration, changed: bool) -> Self {
        let (count, excluded) =
            tools.map_or((0, 0), |tools| (tools.definitions.len(), tools.excluded.len()));
        Self { tools: count, excluded, took, changed }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerTestOutcome {
    /// The number of tools of the server.
    pub tools: usize,
    /// Its protocol era.
    pub era: ProtocolEra,
}

impl ServerContext {
    /// Starts the server, lists its tools, stops it, and stores the outcome. If another process is
    /// already discovering the server, waits for that outcome instead. Cancel-safe: dropping the
    /// future stops the server, and the discovery counts as failed.
    pub async fn discover(
        &self,
        server: &ServerConfig,
        cx: &Cx,
    ) -> Result<DiscoveryOutcome, SourceError> {
        let started_at = Moment::now();
        let before = self.read(server, cx)?;
        let limit = self.discovery_time_limit(server, &before);
        let deadline = effective_deadline(cx, limit);
        let Some(lease) = self.lease(server, &before, limit, deadline, cx).await? else {
            return self.outcome(server, started_at, cx);
        };
        let span = tracing::debug_span!("tool-discovery", server = %server.id);
        self.discover_leased(server, limit, deadline, cx, lease).instrument(span).await
    }

    /// Discovers the server while holding the lease.
    async fn discover_leased(
        &self,
        server: &ServerConfig,
        limit: Duration,
        deadline: Instant,
        cx: &Cx,
        _lease: Lease,
    ) -> Result<DiscoveryOutcome, SourceError> {
        let started = Instant::now();
        let before = self.read(server, cx)?;
        let mut record = before.clone();
        record.status = DiscoveryStatus::Discovering;
        record.error = None;
        self.write(server, cx, &record)?;
        tracing::info!(event = "tools.discovery.started", server = %server.id);
        cx.emit(|| {
            EventKind::DiscoveryStarted(event::DiscoveryStart {
                source: server.id.clone(),
                installer: server.installer().map(str::to_owned),
            })
        });
        let outcome =
            timeout_at(deadline.into(), self.query_with_retry(server, &record, deadline)).await;
        let outcome = outcome
            .unwrap_or_else(|_| Err(ClientError::TimedOut { what: "discovery".to_owned(), limit }));
        match outcome.map_err(|error| with_configured_limit(error, limit, deadline, cx)) {
            Ok((listing, library, client)) => {
                let discovered =
                    self.record_success(server, cx, record, &listing, &client, started)?;
                let library_changes = self.store_library(server, cx, &client, library)?;
                Ok(DiscoveryOutcome {
                    changed: discovered.changed || !library_changes.is_empty(),
                    ..discovered
                })
            }
            // The replica that runs it keeps the record.
            Err(error @ ClientError::Elsewhere { .. }) => {
                self.write(server, cx, &before)?;
                match &before.tools {
                    None => Err(error.into_source_error(&server.id)),
                    tools => {
                        Ok(DiscoveryOutcome::from_tools(tools.as_ref(), started.elapsed(), false))
                    }
                }
            }
            Err(error) => Err(self.record_failure(server, cx, record, error, started)),
        }
    }

    /// Like [`Self::query`], but queries a remote server again after a delay if it is busy or
    /// unreachable. A program is not retried, because it would fail again.
    async fn query_with_retry(
        &self,
        server: &ServerConfig,
        record: &DiscoveryRecord,
        deadline: Instant,
    ) -> Result<(ServerListing, LibraryListing, McpClient), ClientError> {
        let is_remote = matches!(server.transport, ServerTransport::Http(_));
        let retry = Retry { delay: RETRY_DELAY, ..Retry::default() };
        let mut attempt = 1;
        loop {
            let list_library =
                async |client: &McpClient| library::list(client, self, Some(deadline)).await;
            let error = match self.query(server, record, deadline, list_library).await {
                Err(error) if is_remote => error,
                response => return response,
            };
            let remaining = deadline.saturating_duration_since(Instant::now());
            if !retry
                .wait_for_retry(
                    &server.id,
                    &error.clone().into_source_error(&server.id),
                    &mut attempt,
                    Some(remaining),
                )
                .await
            {
                return Err(error);
            }
        }
    }

    /// Starts the server, lists its tools, runs `more`, and always stops the server.
    async fn query<T>(
        &self,
        server: &ServerConfig,
        record: &DiscoveryRecord,
        deadline: Instant,
        more: impl AsyncFnOnce(&McpClient) -> T,
    ) -> Result<(ServerListing, T, McpClient), ClientError> {
        let context = ConnectContext {
            purpose: ConnectPurpose::Discovery,
            ..self.connect_context(server, record)
        };
        let client = McpClient::connect(server, &context, deadline).await?;
        let listed = match list_settled(&client, deadline).await {
            Ok(listing) => Ok((listing, more(&client).await)),
            Err(error) => Err(with_tail(error, &client)),
        };
        client.close().await;
        listed.map(|(listing, more)| (listing, more, client))
    }

    /// Starts the server, lists its tools, stops it, and stores nothing.
    pub(super) async fn try_out(
        &self,
        server: &ServerConfig,
        cx: &Cx,
    ) -> Result<ServerTestOutcome, ClientError> {
        let record = self.read(server, cx).unwrap_or_default();
        let limit = self.discovery_time_limit(server, &record);
        let deadline = effective_deadline(cx, limit);
        let tested =
            timeout_at(deadline.into(), self.query(server, &record, deadline, async |_| ())).await;
        let tested = tested
            .unwrap_or_else(|_| Err(ClientError::TimedOut { what: "the test".to_owned(), limit }));
        let (listing, (), client) =
            tested.map_err(|error| with_configured_limit(error, limit, deadline, cx))?;
        Ok(ServerTestOutcome { tools: listing.tools.len(), era: client.era().clone() })
    }

    /// Acquires the lease for discovering the server; `None` if another process has discovered it
    /// since this record was read.
    async fn lease(
        &self,
        server: &ServerConfig,
        before: &DiscoveryRecord,
        limit: Duration,
        deadline: Instant,
        cx: &Cx,
    ) -> Result<Option<Lease>, SourceError> {
        let name = self.records.lease_name(&server.id);
        let mut has_waited = false;
        loop {
            if let Some(lease) =
                self.records.store().lease(&name).map_err(|error| store_error(server, &error))?
            {
                // Compared for equality only: the other process may have another clock.
                let is_done = self.read(server, cx)?.last_discovery != before.last_discovery;
                return Ok(Some(lease).filter(|_| !is_done));
            }
            if !has_waited {
                tracing::debug!(event = "tools.discovery.awaited", server = %server.id);
            }
            has_waited = true;
            if Instant::now() >= deadline {
                let what = "waiting for the discovery of another process".to_owned();
                return Err(SourceError::TimedOut { id: server.id.clone(), what, limit });
            }
            sleep(LEASE_POLL_INTERVAL).await;
        }
    }

    /// The outcome of a discovery by another process.
    fn outcome(
        &self,
        server: &ServerConfig,
        started_at: Moment,
        cx: &Cx,
    ) -> Result<DiscoveryOutcome, SourceError> {
        let record = self.read(server, cx)?;
        if let (DiscoveryStatus::Failed, Some(what)) = (record.status, record.error) {
            return Err(SourceError::Unavailable { id: server.id.clone(), what });
        }
        Ok(DiscoveryOutcome::from_tools(record.tools.as_ref(), started_at.age(Moment::now()), true))
    }

    /// Stores the listed tools of a server. Used by discoveries, and whenever a running server is
    /// listed again.
    pub(super) fn record_success(
        &self,
        server: &ServerConfig,
        cx: &Cx,
        mut record: DiscoveryRecord,
        listing: &ServerListing,
        client: &McpClient,
        started: Instant,
    ) -> Result<DiscoveryOutcome, SourceError> {
        let now = Moment::now();
        let configuration = self.configuration(server);
        let before = record.tools.take();
        let was_fresh = record.status == DiscoveryStatus::Success;
        let next = next_tools(before.as_ref(), listing, client, configuration, now);
        let same_as = |known_tools: &KnownTools| {
            *known_tools == KnownTools { listed: known_tools.listed, ..next.clone() }
        };
        let changed = !before.as_ref().is_some_and(same_as);
        // Definitions kept from the last discovery keep their mark.
        let are_fresh = listing.tools.iter().map(|tool| &tool.raw).eq(&next.definitions);
        let checked = if are_fresh {
            Some(self.records.mark(&next.definitions))
        } else {
            record.checked.take()
        };
        let discovered = DiscoveryOutcome::from_tools(Some(&next), started.elapsed(), changed);
        let is_written = was_fresh
            && !changed
            && record
                .last_discovery
                .is_some_and(|last_discovery| last_discovery.age(now) < REWRITE_INTERVAL);
        // The library may have been stored since `record` was read.
        let library = self.read(server, cx)?.library;
        record = DiscoveryRecord {
            library,
            status: DiscoveryStatus::Success,
            error: None,
            last_discovery: Some(now),
            tools: Some(next),
            checked,
            packed: None,
            ..record
        };
        if !is_written {
            self.write(server, cx, &record)?;
        }
        let took_ms = discovered.took.as_millis();
        let (listed, by_server) =
            (|| json!(names(&record)), || json!({server.id.as_str(): discovered.tools}));
        tracing::info!(event = "tools.discovery.succeeded", server = %server.id, count = discovered.tools, byServer = %by_server(), excluded = discovered.excluded, duration_ms = %took_ms, names = %listed());
        cx.emit_since(started, || {
            let (source, names) = (server.id.clone(), names(&record));
            EventKind::Discovery(event::DiscoveryEvent {
                source,
                names,
                was_uncached: !was_fresh,
                changed,
                error: None,
            })
        });
        Ok(discovered)
    }

    /// Stores that a discovery failed. The known tools stay, unless the entry drops them.
    pub(super) fn record_failure(
        &self,
        server: &ServerConfig,
        cx: &Cx,
        record: DiscoveryRecord,
        error: ClientError,
        started: Instant,
    ) -> SourceError {
        let is_timeout = matches!(error, ClientError::TimedOut { .. });
        let message = redact::text(&error.to_string());
        let message = match &error {
            _ if is_timeout => format!("timeout: {message}"),
            ClientError::Login { .. } if !message.contains("server login") => {
                format!("{message}; log in with `toolscout server login {}`", server.id)
            }
            _ => message,
        };
        let took_ms = started.elapsed().as_millis();
        tracing::warn!(event = "tools.discovery.failed", server = %server.id, error = %toolscout_core::escape::line(&message), duration_ms = %took_ms);
        cx.emit_since(started, || {
            let (source, error) = (server.id.clone(), Some(message.clone()));
            let was_uncached = record.tools.is_none();
            EventKind::Discovery(event::DiscoveryEvent {
                source,
                names: Vec::new(),
                was_uncached,
                changed: server.drop_on_failure && !was_uncached,
                error,
            })
        });
        let last_discovery = Some(Moment::now());
        let library = self.read(server, cx).ok().and_then(|value| value.library);
        let mut record = DiscoveryRecord {
            status: DiscoveryStatus::Failed,
            error: Some(message),
            last_discovery,
            library,
            ..record
        };
        if server.drop_on_failure {
            (record.tools, record.packed, record.checked) = (None, None, None);
        }
        match self.write(server, cx, &record) {
            Ok(()) => error.into_source_error(&server.id),
            Err(store_error) => store_error,
        }
    }

    pub(super) fn read(
        &self,
        server: &ServerConfig,
        cx: &Cx,
    ) -> Result<DiscoveryRecord, SourceError> {
        self.records
            .read(&server.id, cx.user.as_deref())
            .map_err(|error| store_error(server, &error))
    }

    pub(super) fn write(
        &self,
        server: &ServerConfig,
        cx: &Cx,
        record: &DiscoveryRecord,
    ) -> Result<(), SourceError> {
        self.records
            .write(&server.id, cx.user.as_deref(), record)
            .map_err(|error| store_error(server, &error))
    }
}

/// Lists the tools, and once more if the server announced a change during the first listing.
async fn list_settled(client: &McpClient, deadline: Instant) -> Result<ServerListing, ClientError> {
    let changes = client.list_changes();
    let before = *changes.borrow();
    let listing = client.list_tools(deadline).await?;
    if *changes.borrow() == before { Ok(listing) } else { client.list_tools(deadline).await }
}

/// The error with the last line of the server's stderr, if there is one.
pub(super) fn with_tail(error: ClientError, client: &McpClient) -> ClientError {
    let tail = client.tail();
    let last = tail.lines().rev().map(str::trim).find(|line| !line.is_empty());
    match (error, last) {
        (ClientError::Lost { what }, Some(last)) if !what.contains(last) => {
            let last: String = last.chars().take(300).collect();
            ClientError::lost(format!("{what}; last stderr output: {last}"))
        }
        (error, _) => error,
    }
}

/// The tools to store. If only the order differs, the previous order stays. A server that suddenly
/// lists no tools keeps the previous ones for [`VANISHED_GRACE`].
fn next_tools(
    before: Option<&KnownTools>,
    listing: &ServerListing,
    client: &McpClient,
    configuration: String,
    now: Moment,
) -> KnownTools {
    let mut next = KnownTools {
        listed: now,
        configuration,
        definitions: listing.tools.iter().map(|tool| tool.raw.clone()).collect(),
        excluded: listing.diagnostics.iter().map(|diagnostic| diagnostic.message.clone()).collect(),
        ttl_ms: listing.ttl.and_then(|ttl| u64::try_from(ttl.as_millis()).ok()),
        private: listing.scope == CacheScope::Private,
        era: client.era().clone(),
        vanished: None,
        unknown: before.map(|before| before.unknown.clone()).unwrap_or_default(),
    };
    let Some(before) = before.filter(|value| value.configuration == next.configuration) else {
        return next;
    };
    if next.definitions.is_empty() && !before.definitions.is_empty() {
        let since = before.vanished.unwrap_or(now);
        if since.age(now) < VANISHED_GRACE {
            next.definitions.clone_from(&before.definitions);
            next.vanished = Some(since);
        }
    } else if are_equivalent(&before.definitions, &next.definitions) {
        next.definitions.clone_from(&before.definitions);
    }
    next
}

/// Whether both lists contain the same definitions, in any order and any formatting.
fn are_equivalent(one: &[RawJson], other: &[RawJson]) -> bool {
    if one.len() != other.len() {
        return false;
    }
    let mut counts: HashMap<String, isize> = HashMap::new();
    let canonical = |raw: &RawJson| {
        let mut text = String::new();
        toolscout_core::digest::canonical(&raw.to_value(), &mut text);
        text
    };
    one.iter().for_each(|item| *counts.entry(canonical(item)).or_default() += 1);
    other.iter().for_each(|item| *counts.entry(canonical(item)).or_default() -= 1);
    counts.values().all(|count| *count == 0)
}

fn names(record: &DiscoveryRecord) -> Vec<String> {
    let tools = record.tools.iter().flat_map(|tool| &tool.definitions);
    tools.filter_map(|tool| tool.to_value().get("name")?.as_str().map(str::to_owned)).collect()
}

pub(super) fn effective_deadline(cx: &Cx, limit: Duration) -> Instant {
    let limit = Instant::now() + limit;
    cx.deadline.map_or(limit, |deadline| deadline.min(limit))
}

/// Reports the configured limit instead of the time that was left when the last step began. If
/// another limit or the caller's deadline expired, the error stays unchanged.
pub(super) fn with_configured_limit(
    error: ClientError,
    limit: Duration,
    deadline: Instant,
    cx: &Cx,
) -> ClientError {
    let is_this_limit =
        cx.deadline != Some(deadline) && Instant::now() + TIMER_TOLERANCE >= deadline;
    match error {
        ClientError::TimedOut { what, .. } if is_this_limit => {
            ClientError::TimedOut { what, limit }
        }
        other => other,
    }
}

fn store_error(server: &ServerConfig, error: &StoreError) -> SourceError {
    SourceError::Unavailable { id: server.id.clone(), what: error.to_string() }
}
