//! Starts a server when it is first needed, shares it, and stops it when it is idle.

mod library;
mod refresh;

use super::backoff::Backoff;
use super::client::McpClient;
use super::discovery::{ServerContext, effective_deadline, with_configured_limit};
use super::running::{InUse, RunningServer};
use super::{ClientError, ServerConfig};
use parking_lot::Mutex;
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, OnceLock, Weak};
use std::time::{Duration, Instant};
use tokio::sync::{Notify, broadcast, watch};
use tokio::task::{AbortHandle, JoinSet};
use tokio::time::{sleep_until, timeout_at};
use toolscout_core::{Caller, Cx, LibraryEvent, Moment, RawJson};

/// The capacity of the event channel; a slow receiver misses events.
const EVENT_CAPACITY: usize = 64;
/// The maximum number of resource subscriptions per server.
const MAX_SUBSCRIPTIONS: usize = 1_000;
/// How long a failed server may take to begin its next start.
const RECHECK: Duration = Duration::from_secs(1);
/// An idle server is stopped after this long.
const IDLE_TIMEOUT: Duration = Duration::from_secs(300);

/// The phase of a server in this process.
#[derive(Clone)]
pub(super) enum Phase {
    /// Not running.
    Stopped,
    /// The server is starting.
    Starting { since: Moment },
    /// The server accepts calls.
    Running(Arc<RunningServer>),
    /// The server could not be started, or exited.
    Failed { error: ClientError, at: Moment, retry: Instant },
}

/// One server and its process or connection. Dropping it ends them.
pub(super) struct Supervisor {
    server: Arc<ServerConfig>,
    context: Arc<ServerContext>,
    /// The main connection, if this is a legacy one beside it.
    main: Option<Weak<Supervisor>>,
    phase: watch::Sender<Phase>,
    /// Counts lists that differed from the previous one.
    changes: watch::Sender<u64>,
    /// Library events. The channel takes memory, so it is created for the first subscriber.
    library_events: OnceLock<broadcast::Sender<LibraryEvent>>,
    /// Resources with a subscription.
    /// The number of subscribers of each resource.
    subscriptions: Mutex<BTreeMap<String, usize>>,
    /// Ends the backoff of a failed server early.
    wake: Arc<Notify>,
    state: Mutex<SupervisorState>,
    /// The task that runs `supervise`; aborted on drop.
    task: Mutex<JoinSet<()>>,
}

#[derive(Default)]
struct SupervisorState {
    backoff: Backoff,
    /// Whether a user requested that it runs even if it is unused.
    stays_running: bool,
    last_use: Option<Instant>,
    running: Option<AbortHandle>,
}

impl Supervisor {
    pub(super) fn new(server: Arc<ServerConfig>, context: Arc<ServerContext>) -> Arc<Self> {
        Self::with_main(None, server, context)
    }

    /// A connection of another era beside the main one. Nothing of it is recorded; if its server
    /// announces changes, the main connection is refreshed.
    pub(super) fn beside(
        main: &Arc<Self>,
        server: Arc<ServerConfig>,
        context: Arc<ServerContext>,
    ) -> Arc<Self> {
        Self::with_main(Some(Arc::downgrade(main)), server, context)
    }

    fn with_main(
        main: Option<Weak<Self>>,
        server: Arc<ServerConfig>,
        context: Arc<ServerContext>,
    ) -> Arc<Self> {
        Arc::new(Self {
            server,
            context,
            main,
            phase: watch::Sender::new(Phase::Stopped),
            changes: watch::Sender::new(0),
            library_events: OnceLock::new(),
            subscriptions: Mutex::default(),
            wake: Arc::default(),
            state: Mutex::default(),
            task: Mutex::default(),
        })
    }

    pub(super) fn phase(&self) -> Phase {
        self.phase.borrow().clone()
    }

    pub(super) fn is_running(&self) -> bool {
        matches!(*self.phase.borrow(), Phase::Running(_))
    }

    /// Wakes when a list differs from the previous one.
    pub(super) fn changes(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    pub(super) fn notify_changed(&self) {
        self.changes.send_modify(|changes| *changes += 1);
    }

    /// Subscribes to library events.
    pub(super) fn library_events(&self) -> broadcast::Receiver<LibraryEvent> {
        self.event_sender().subscribe()
    }

    fn event_sender(&self) -> &broadcast::Sender<LibraryEvent> {
        self.library_events.get_or_init(|| broadcast::Sender::new(EVENT_CAPACITY))
    }

    pub(super) fn has_subscribers(&self) -> bool {
        self.library_events.get().is_some_and(|sender| sender.receiver_count() > 0)
    }

    pub(super) fn emit(&self, event: LibraryEvent) {
        // Fails if there are no subscribers left.
        let _ = self.library_events.get().map(|sender| sender.send(event));
    }

    /// Adds a subscriber of a resource.
    pub(super) fn add_subscriber(&self, uri: String) -> Result<(), ClientError> {
        let mut subscriptions = self.subscriptions.lock();
        if subscriptions.len() >= MAX_SUBSCRIPTIONS && !subscriptions.contains_key(&uri) {
            let reason =
                format!("the limit of {MAX_SUBSCRIPTIONS} resource subscriptions is reached");
            return Err(ClientError::invalid(reason));
        }
        *subscriptions.entry(uri).or_default() += 1;
        Ok(())
    }

    /// Removes a subscriber of a resource; returns whether it was the last one.
    pub(super) fn remove_subscriber(&self, uri: &str) -> bool {
        let mut subscriptions = self.subscriptions.lock();
        let Some(count) = subscriptions.get_mut(uri) else { return false };
        *count -= 1;
        if *count > 0 {
            return false;
        }
        subscriptions.remove(uri);
        true
    }

    /// The resources that have subscribers.
    pub(super) fn subscriptions(&self) -> BTreeSet<String> {
        self.subscriptions.lock().keys().cloned().collect()
    }

    /// The running server, started if necessary. Concurrent callers share one start. A server that
    /// just failed is not restarted during its backoff, unless a user calls it. Cancel-safe: the
    /// start continues for the others.
    pub(super) async fn acquire(self: &Arc<Self>, cx: &Cx) -> Result<InUse, ClientError> {
        self.acquire_unless(cx, || false).await
    }

    /// As [`Supervisor::acquire`], but a stopped server is not started if `is_cancelled`.
    async fn acquire_unless(
        self: &Arc<Self>,
        cx: &Cx,
        is_cancelled: impl Fn() -> bool,
    ) -> Result<InUse, ClientError> {
        self.state.lock().last_use = Some(Instant::now());
        if let Phase::Running(running) = &*self.phase.borrow()
            && running.client.lost_reason().is_none()
        {
            return Ok(running.acquire());
        }
        let mut phases = self.phase.subscribe();
        let limit = self.start_time_limit(cx);
        let deadline = effective_deadline(cx, limit);
        let mut has_requested = false;
        loop {
            let phase = phases.borrow_and_update().clone();
            let has_failed = matches!(phase, Phase::Failed { .. });
            match phase {
                Phase::Running(running) if running.client.lost_reason().is_none() => {
                    return Ok(running.acquire());
                }
                Phase::Failed { error, .. } if has_requested => return Err(error),
                Phase::Failed { error, retry, .. } if is_in_backoff(retry, cx) => {
                    return Err(backoff_error(&error, retry));
                }
                Phase::Stopped if is_cancelled() => return Err(stopped_while_starting()),
                Phase::Failed { .. } | Phase::Stopped => {
                    has_requested = true;
                    self.start();
                }
                Phase::Starting { .. } => has_requested = true,
                // The connection is lost, and the `supervise` task is about to notice.
                Phase::Running(_) => {}
            }
            // The task that failed may have ended just after it was woken: then it is started again.
            let until = if has_failed { deadline.min(Instant::now() + RECHECK) } else { deadline };
            let waited = timeout_at(until.into(), phases.changed()).await;
            if waited.is_err() && until < deadline {
                has_requested = false;
                continue;
            }
            waited
                .map_err(|_| ClientError::TimedOut { what: "starting it".to_owned(), limit })
                .and_then(|waited| waited.map_err(|_| stopped_while_starting()))?;
        }
    }

    /// Starts the server and keeps it running until [`Supervisor::stop`], even if it is unused.
    pub(super) async fn keep_running(self: &Arc<Self>, cx: &Cx) -> Result<(), ClientError> {
        self.state.lock().stays_running = true;
        let is_cancelled = || !self.state.lock().stays_running;
        self.acquire_unless(cx, is_cancelled).await.map(drop)
    }

    /// Stops the server, and prevents automatic restarts.
    pub(super) async fn stop(&self) {
        let abort = {
            let mut state = self.state.lock();
            state.stays_running = false;
            state.last_use = None;
            state.running.take()
        };
        let running = match self.phase() {
            Phase::Running(running) => Some(running),
            _ => None,
        };
        if let Some(abort) = abort {
            abort.abort();
        }
        if let Some(running) = running {
            running.client.close().await;
        }
        self.phase.send_replace(Phase::Stopped);
    }

    /// Starts the server, or wakes it from its backoff.
    fn start(self: &Arc<Self>) {
        let mut task = self.task.lock();
        while task.try_join_next().is_some() {}
        if task.is_empty() {
            self.phase.send_replace(Phase::Starting { since: Moment::now() });
            self.state.lock().running =
                Some(task.spawn(supervise(Arc::downgrade(self), self.wake.clone())));
        } else {
            self.wake.notify_one();
        }
    }

    /// Records the start, and returns the future that connects.
    fn start_attempt(
        &self,
    ) -> impl Future<Output = Result<Arc<RunningServer>, ClientError>> + use<> {
        self.phase.send_replace(Phase::Starting { since: Moment::now() });
        self.state.lock().backoff.started(Instant::now());
        connect(
            self.server.clone(),
            self.context.clone(),
            self.event_sender().clone(),
            self.subscriptions(),
        )
    }

    /// Records the failure; returns the time of the next permitted attempt.
    fn failed(&self, error: ClientError, running: Option<&RunningServer>) -> Instant {
        let (uptime, calls) = running
            .map_or((Duration::ZERO, 0), |running| (running.uptime(), running.answered_calls()));
        let retry = self.state.lock().backoff.failed(Instant::now(), uptime, calls, jitter());
        let (server, reason) = (&self.server.id, error.to_string());
        let reason = toolscout_core::escape::line(&reason);
        if self.main.is_none() {
            tracing::warn!(event = "server_failed", %server, error = %reason);
        } else {
            // Most modern servers have no legacy era.
            tracing::debug!(event = "legacy_connection_failed", %server, error = %reason);
        }
        self.phase.send_replace(Phase::Failed { error, at: Moment::now(), retry });
        retry
    }

    /// Whether it should run: a user requested it, it was used recently, or resources are
    /// subscribed to.
    fn is_needed(&self) -> bool {
        let state = self.state.lock();
        let is_used =
            state.last_use.is_some_and(|last_use| last_use.elapsed() < self.idle_timeout());
        state.stays_running || is_used || !self.subscriptions().is_empty()
    }

    fn idle_timeout(&self) -> Duration {
        self.server.idle_timeout.unwrap_or(IDLE_TIMEOUT)
    }

    fn start_time_limit(&self, cx: &Cx) -> Duration {
        let record = self.context.read(&self.server, cx).unwrap_or_default();
        self.context.discovery_time_limit(&self.server, &record)
    }
}

/// Runs the server from the first start to the last stop. It holds the supervisor only briefly, so
/// that dropping the supervisor ends this task.
async fn supervise(supervisor: Weak<Supervisor>, wake: Arc<Notify>) {
    let mut was_up = false;
    loop {
        let Some(attempt) = supervisor.upgrade().map(|supervisor| supervisor.start_attempt())
        else {
            return;
        };
        let (error, running) = match attempt.await {
            Ok(running) => {
                was_up = true;
                let Some(this) = supervisor.upgrade() else { return };
                this.phase.send_replace(Phase::Running(running.clone()));
                tracing::info!(event = "server_started", server = %this.server.id);
                drop(this);
                let end_reason = tokio::select! {
                    end_reason = watch_running(&supervisor, &running) => end_reason,
                    () = library::keep_library_current(&supervisor, &running) => None,
                };
                let Some(error) = end_reason else { return };
                running.client.close().await;
                (error, Some(running))
            }
            Err(error) => (error, None),
        };
        let Some(this) = supervisor.upgrade() else { return };
        if matches!(error, ClientError::Elsewhere { .. }) {
            // Not a failure of the server: the next call may try again at once.
            this.state.lock().backoff.not_started();
            let (at, retry) = (Moment::now(), Instant::now());
            this.phase.send_replace(Phase::Failed { error, at, retry });
            return;
        }
        let retry = this.failed(error, running.as_deref());
        // A server that never started is retried with the next call; one that was running is
        // restarted.
        if !was_up || !this.is_needed() {
            return;
        }
        drop(this);
        tokio::select! {
            () = sleep_until(retry.into()) => {}
            () = wake.notified() => {}
        }
        let Some(this) = supervisor.upgrade() else { return };
        if !this.is_needed() {
            this.phase.send_replace(Phase::Stopped);
            return;
        }
    }
}

async fn connect(
    server: Arc<ServerConfig>,
    context: Arc<ServerContext>,
    library_events: broadcast::Sender<LibraryEvent>,
    subscriptions: BTreeSet<String>,
) -> Result<Arc<RunningServer>, ClientError> {
    let cx = Cx::new(Caller::Mcp);
    let record = context.read(&server, &cx).unwrap_or_default();
    let limit = context.discovery_time_limit(&server, &record);
    let deadline = Instant::now() + limit;
    let client =
        McpClient::connect(&server, &context.connect_context(&server, &record), deadline).await;
    let client = client.map_err(|error| with_configured_limit(error, limit, deadline, &cx))?;
    client.router().set_event_sender(library_events);
    subscribe(&client, subscriptions, deadline).await;
    // A server may refuse the subscription to changes; then its list is refreshed when it expires.
    if client.description().declares_any_list_changes()
        && let Err(error) = client.listen().await
        && client.lost_reason().is_some()
    {
        return Err(error);
    }
    Ok(Arc::new(RunningServer::new(client, server, context)))
}

/// Renews the subscriptions of the last run. Subscriptions to removed resources fail, which is
/// ignored.
async fn subscribe(client: &McpClient, subscriptions: BTreeSet<String>, deadline: Instant) {
    if client.era().is_modern() && !subscriptions.is_empty() {
        let _ = client.subscribe_to_resources(subscriptions).await;
        return;
    }
    for uri in subscriptions {
        let params = RawJson::from_value(&json!({"uri": uri}));
        let _ =
            client.request("resources/subscribe", &params, &Cx::new(Caller::Mcp), deadline).await;
    }
}

/// Watches a running server until the connection is lost, and returns the error, or until it is
/// idle, and stops it.
async fn watch_running(
    supervisor: &Weak<Supervisor>,
    running: &Arc<RunningServer>,
) -> Option<ClientError> {
    let mut changes = running.client.list_changes();
    loop {
        let idle_timeout = supervisor.upgrade()?.idle_timeout();
        tokio::select! {
            error = running.client.wait_until_lost() => return Some(error),
            changed = changes.changed() => {
                changed.ok()?;
                // A failed listing is recorded, but the server may still work.
                if let Ok(true) = running.list_when_due(&Cx::new(Caller::Mcp)).await {
                    refresh::report_change(supervisor).await?;
                }
            }
            () = sleep_until((running.last_use() + idle_timeout).into()) => {
                let this = supervisor.upgrade()?;
                if !running.is_in_use() && running.last_use().elapsed() >= idle_timeout && !this.is_needed() {
                    this.phase.send_replace(Phase::Stopped);
                    tracing::info!(event = "server_idle", server = %this.server.id);
                    running.client.close().await;
                    return None;
                }
                // The server is in use for longer than the idle time, so this checks again later.
                tokio::time::sleep(idle_timeout.min(Duration::from_secs(1))).await;
            }
        }
    }
}

/// Whether this caller must wait for the backoff. Agents wait; a user's call is never refused.
fn is_in_backoff(retry: Instant, cx: &Cx) -> bool {
    !cx.caller.is_user() && Instant::now() < retry
}

fn backoff_error(error: &ClientError, retry: Instant) -> ClientError {
    let after = retry.saturating_duration_since(Instant::now());
    let what = format!("it failed ({error}); the next attempt is in {} s", after.as_secs().max(1));
    ClientError::Busy { what, after: Some(after) }
}

fn stopped_while_starting() -> ClientError {
    ClientError::lost("it was stopped while it was starting")
}

/// A number from 0 to 1, so that servers that failed together do not restart together.
fn jitter() -> f64 {
    let nanos = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .map_or(0, |elapsed| elapsed.subsec_nanos());
    f64::from(nanos % 1_000) / 1_000.0
}
