//! Starts a server when it is first needed, shares it, and stops it when it is idle.

mod library;
mod refresh;

use super::backoff::Backoff;
use super::client::McpClient;
use super::discovery::{ServerContext, in_full, soonest};
use super::running::{InUse, RunningServer};
use super::{ClientError, ServerConfig};
use parking_lot::Mutex;
use serde_json::json;
use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock, Weak};
use std::time::{Duration, Instant};
use tokio::sync::{Notify, broadcast, watch};
use tokio::task::{AbortHandle, JoinSet};
use tokio::time::{sleep_until, timeout_at};
use toolscout_core::{Caller, Cx, LibraryEvent, Moment, RawJson};

/// The capacity of the event channel; a slow receiver misses events.
const NEWS: usize = 64;
/// The maximum number of resource subscriptions per server.
const WATCHED: usize = 1_000;
/// An idle server is stopped after this long.
const IDLE: Duration = Duration::from_secs(300);

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
    phase: watch::Sender<Phase>,
    /// Counts lists that differed from the previous one.
    changes: watch::Sender<u64>,
    /// Library events. The channel takes memory, so it is created for the first subscriber.
    news: OnceLock<broadcast::Sender<LibraryEvent>>,
    /// Resources with a subscription.
    watched: Mutex<BTreeSet<String>>,
    /// Ends the backoff of a failed server early.
    poke: Arc<Notify>,
    state: Mutex<SupervisorState>,
    /// The task that runs `lead`; aborted on drop.
    life: Mutex<JoinSet<()>>,
}

#[derive(Default)]
struct SupervisorState {
    backoff: Backoff,
    /// Whether a user requested that it runs even if it is unused.
    is_wanted: bool,
    last_use: Option<Instant>,
    running: Option<AbortHandle>,
}

impl Supervisor {
    pub(super) fn new(server: Arc<ServerConfig>, shared: Arc<ServerContext>) -> Arc<Self> {
        Arc::new(Self {
            server,
            context: shared,
            phase: watch::Sender::new(Phase::Stopped),
            changes: watch::Sender::new(0),
            news: OnceLock::new(),
            watched: Mutex::default(),
            poke: Arc::default(),
            state: Mutex::default(),
            life: Mutex::default(),
        })
    }

    pub(super) fn phase(&self) -> Phase {
        self.phase.borrow().clone()
    }

    /// Wakes when a list differs from the previous one.
    pub(super) fn changes(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    pub(super) fn has_changed(&self) {
        self.changes.send_modify(|it| *it += 1);
    }

    /// Subscribes to library events.
    pub(super) fn news(&self) -> broadcast::Receiver<LibraryEvent> {
        self.event_sender().subscribe()
    }

    fn event_sender(&self) -> &broadcast::Sender<LibraryEvent> {
        self.news.get_or_init(|| broadcast::Sender::new(NEWS))
    }

    pub(super) fn has_listeners(&self) -> bool {
        self.news.get().is_some_and(|it| it.receiver_count() > 0)
    }

    pub(super) fn tell(&self, news: LibraryEvent) {
        // Fails if there are no subscribers left.
        let _ = self.news.get().map(|it| it.send(news));
    }

    /// Adds or removes the subscription to a resource; returns all subscriptions.
    pub(super) fn watch(
        &self,
        uri: String,
        is_wanted: bool,
    ) -> Result<BTreeSet<String>, ClientError> {
        let mut watched = self.watched.lock();
        if !is_wanted {
            watched.remove(&uri);
        } else if watched.len() >= WATCHED && !watched.contains(&uri) {
            let reason =
                format!("{WATCHED} resources are subscribed to already, and no more are allowed");
            return Err(ClientError::invalid(reason));
        } else {
            watched.insert(uri);
        }
        Ok(watched.clone())
    }

    fn watched(&self) -> BTreeSet<String> {
        self.watched.lock().clone()
    }

    /// The running server, started if necessary. Concurrent callers share one start. A server that
    /// just failed is not restarted during its backoff, unless a user calls it. Cancel-safe: the
    /// start continues for the others.
    pub(super) async fn acquire(self: &Arc<Self>, cx: &Cx) -> Result<InUse, ClientError> {
        self.state.lock().last_use = Some(Instant::now());
        if let Phase::Running(running) = &*self.phase.borrow()
            && running.client.is_lost().is_none()
        {
            return Ok(running.use_it());
        }
        let mut phases = self.phase.subscribe();
        let limit = self.time_to_start(cx);
        let deadline = soonest(cx, limit);
        let mut asked = false;
        loop {
            let phase = phases.borrow_and_update().clone();
            match phase {
                Phase::Running(running) if running.client.is_lost().is_none() => {
                    return Ok(running.use_it());
                }
                Phase::Failed { error, .. } if asked => return Err(error),
                Phase::Failed { error, retry, .. } if is_left_alone(retry, cx) => {
                    return Err(resting(&error, retry));
                }
                Phase::Failed { .. } | Phase::Stopped => {
                    asked = true;
                    self.start();
                }
                Phase::Starting { .. } => asked = true,
                // The connection is lost, and the `lead` task is about to notice.
                Phase::Running(_) => {}
            }
            let waited = timeout_at(deadline.into(), phases.changed()).await;
            waited
                .map_err(|_| ClientError::TimedOut { what: "the start".to_owned(), limit })
                .and_then(|it| it.map_err(|_| gone()))?;
        }
    }

    /// Starts the server and keeps it running until [`Supervisor::stop`], even if it is unused.
    pub(super) async fn keep(self: &Arc<Self>, cx: &Cx) -> Result<(), ClientError> {
        self.state.lock().is_wanted = true;
        self.acquire(cx).await.map(drop)
    }

    /// Stops the server, and prevents automatic restarts.
    pub(super) async fn stop(&self) {
        let abort = {
            let mut kept = self.state.lock();
            kept.is_wanted = false;
            kept.last_use = None;
            kept.running.take()
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
        let mut life = self.life.lock();
        while life.try_join_next().is_some() {}
        if life.is_empty() {
            self.phase.send_replace(Phase::Starting { since: Moment::now() });
            self.state.lock().running =
                Some(life.spawn(lead(Arc::downgrade(self), self.poke.clone())));
        } else {
            self.poke.notify_one();
        }
    }

    /// Records the start, and returns the future that connects.
    fn begin(&self) -> impl Future<Output = Result<Arc<RunningServer>, ClientError>> + use<> {
        self.phase.send_replace(Phase::Starting { since: Moment::now() });
        self.state.lock().backoff.started(Instant::now());
        connect(
            self.server.clone(),
            self.context.clone(),
            self.event_sender().clone(),
            self.watched(),
        )
    }

    /// Records the failure; returns the time of the next permitted attempt.
    fn failed(&self, error: ClientError, running: Option<&RunningServer>) -> Instant {
        let (up, answered) = running.map_or((Duration::ZERO, 0), |it| (it.up(), it.answered()));
        let retry = self.state.lock().backoff.failed(Instant::now(), up, answered, jitter());
        tracing::warn!(event = "server_failed", server = %self.server.id, error = %toolscout_core::escape::line(&error.to_string()));
        self.phase.send_replace(Phase::Failed { error, at: Moment::now(), retry });
        retry
    }

    /// Whether it should run: a user requested it, it was used recently, or resources are
    /// subscribed to.
    fn is_needed(&self) -> bool {
        let kept = self.state.lock();
        let is_used = kept.last_use.is_some_and(|it| it.elapsed() < self.idle());
        kept.is_wanted || is_used || !self.watched().is_empty()
    }

    fn idle(&self) -> Duration {
        self.server.idle_timeout.unwrap_or(IDLE)
    }

    fn time_to_start(&self, cx: &Cx) -> Duration {
        let record = self.context.read(&self.server, cx).unwrap_or_default();
        self.context.time_for(&self.server, &record)
    }
}

/// Runs the server from the first start to the last stop. It holds the supervisor only briefly, so
/// that dropping the supervisor ends this task.
async fn lead(supervisor: Weak<Supervisor>, poke: Arc<Notify>) {
    let mut was_up = false;
    loop {
        let Some(attempt) = supervisor.upgrade().map(|it| it.begin()) else { return };
        let (error, running) = match attempt.await {
            Ok(running) => {
                was_up = true;
                let Some(this) = supervisor.upgrade() else { return };
                this.phase.send_replace(Phase::Running(running.clone()));
                tracing::info!(event = "server_started", server = %this.server.id);
                drop(this);
                let ended = tokio::select! {
                    ended = attend(&supervisor, &running) => ended,
                    () = library::attend(&supervisor, &running) => None,
                };
                let Some(error) = ended else { return };
                running.client.close().await;
                (error, Some(running))
            }
            Err(error) => (error, None),
        };
        let Some(this) = supervisor.upgrade() else { return };
        let retry = this.failed(error, running.as_deref());
        // A server that never started is retried with the next call; one that was running is
        // restarted.
        if !was_up || !this.is_needed() {
            return;
        }
        drop(this);
        tokio::select! {
            () = sleep_until(retry.into()) => {}
            () = poke.notified() => {}
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
    shared: Arc<ServerContext>,
    news: broadcast::Sender<LibraryEvent>,
    watched: BTreeSet<String>,
) -> Result<Arc<RunningServer>, ClientError> {
    let cx = Cx::new(Caller::Mcp);
    let record = shared.read(&server, &cx).unwrap_or_default();
    let limit = shared.time_for(&server, &record);
    let deadline = Instant::now() + limit;
    let client = McpClient::connect(&server, &shared.dial(&server, &record), deadline).await;
    let client = client.map_err(|it| in_full(it, limit, deadline, &cx))?;
    client.router().tell_news(news);
    subscribe(&client, watched, deadline).await;
    // A server may refuse the subscription to changes; then its list is refreshed when it expires.
    if client.said().tells_of_changes()
        && let Err(error) = client.listen().await
        && client.is_lost().is_some()
    {
        return Err(error);
    }
    Ok(Arc::new(RunningServer::new(client, server, shared)))
}

/// Renews the subscriptions of the last run. Subscriptions to removed resources fail, which is
/// ignored.
async fn subscribe(client: &McpClient, watched: BTreeSet<String>, deadline: Instant) {
    if client.era().is_modern() && !watched.is_empty() {
        let _ = client.watch(watched).await;
        return;
    }
    for uri in watched {
        let params = RawJson::from_value(&json!({"uri": uri}));
        let _ =
            client.request("resources/subscribe", &params, &Cx::new(Caller::Mcp), deadline).await;
    }
}

/// Watches a running server until the connection is lost, and returns the error, or until it is
/// idle, and stops it.
async fn attend(
    supervisor: &Weak<Supervisor>,
    running: &Arc<RunningServer>,
) -> Option<ClientError> {
    let mut changes = running.client.list_changes();
    loop {
        let idle = supervisor.upgrade()?.idle();
        tokio::select! {
            error = running.client.lost() => return Some(error),
            changed = changes.changed() => {
                changed.ok()?;
                // A failed listing is recorded, but the server may still work.
                if let Ok(true) = running.list_when_due(&Cx::new(Caller::Mcp)).await {
                    supervisor.upgrade()?.has_changed();
                }
            }
            () = sleep_until((running.last_use() + idle).into()) => {
                let this = supervisor.upgrade()?;
                if !running.is_in_use() && running.last_use().elapsed() >= idle && !this.is_needed() {
                    this.phase.send_replace(Phase::Stopped);
                    tracing::info!(event = "server_idle", server = %this.server.id);
                    running.client.close().await;
                    return None;
                }
                // The server is in use for longer than the idle time, so this checks again later.
                tokio::time::sleep(idle.min(Duration::from_secs(1))).await;
            }
        }
    }
}

/// Whether this caller must wait for the backoff. Agents wait; a user's call is never refused.
fn is_left_alone(retry: Instant, cx: &Cx) -> bool {
    !cx.caller.is_person() && Instant::now() < retry
}

fn resting(error: &ClientError, retry: Instant) -> ClientError {
    let after = retry.saturating_duration_since(Instant::now());
    let what = format!("it failed ({error}), and is tried again in {} s", after.as_secs().max(1));
    ClientError::Busy { what, after: Some(after) }
}

fn gone() -> ClientError {
    ClientError::lost("it was let go of while it was being started")
}

/// A number from 0 to 1, so that servers that failed together do not restart together.
fn jitter() -> f64 {
    let nanos = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .map_or(0, |it| it.subsec_nanos());
    f64::from(nanos % 1_000) / 1_000.0
}
