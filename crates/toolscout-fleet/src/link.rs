//! The connection of a process to the database: a thread that keeps it, and callers that wait.
//!
//! The store is synchronous and the driver is not. The thread runs the driver, connects again after
//! an error, and keeps the local copy current. A caller waits for at most [`LIMIT`]; on a worker of
//! a runtime, other tasks move to another thread. After a statement without an
//! answer the connection is given up, so that further callers fail at once.

use crate::applied::AppliedRevisions;
use crate::connection::{self, Driver, LIMIT};
use crate::replica::{self, LiveReplica, ReplicaIdentity, ReplicaState};
use crate::schema::FleetIdentity;
use crate::sync::LocalCopy;
use crate::{CUT_OFF, FleetError, FleetSettings, schema};
use parking_lot::Mutex;
use std::future::Future;
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use tokio::runtime::{Builder, Handle, RuntimeFlavor};
use tokio::sync::{Mutex as AsyncMutex, Notify, oneshot};
use tokio::time::{sleep, timeout};
use tokio_postgres::Client;

/// The time between two looks at the revisions, if no notification comes.
const POLL: Duration = Duration::from_millis(500);
/// The time between two heartbeats.
const HEARTBEAT: Duration = Duration::from_secs(2);
/// The time from a heartbeat until work under a lease has to end: a second before the row of this
/// replica expires, so that the work has ended when another replica takes the lease.
const LEASE_LIFETIME: Duration = Duration::from_secs(5);
/// The time between two sweeps.
const SWEEP: Duration = Duration::from_secs(600);
/// The longest time between two attempts to connect.
const MAX_RETRY: Duration = Duration::from_secs(2);
/// The extra time of a caller, so that the thread reports its own time-out.
const SLACK: Duration = Duration::from_millis(200);
/// How long work that reads a lot may take.
pub(crate) const LONG_LIMIT: Duration = Duration::from_secs(600);
/// How long a large synchronization may take.
const SYNC_LIMIT: Duration = Duration::from_secs(30);
/// How long the end of a process waits for the database.
const LEAVE_LIMIT: Duration = Duration::from_millis(500);

/// The connection, shared by the threads of a process.
pub(crate) struct Link {
    shared: Arc<Shared>,
    runtime: Handle,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

struct Shared {
    settings: FleetSettings,
    started: Instant,
    copy: Arc<LocalCopy>,
    contact: Mutex<Contact>,
    member: Mutex<Member>,
    /// Wakes the synchronization.
    wake: Notify,
    /// Wakes the connection: it is to be given up.
    broken: Notify,
    /// One synchronization of this process at a time.
    syncing: AsyncMutex<()>,
    /// How far this process has applied the revisions of the copy.
    applied: AppliedRevisions,
    /// The replicas that serve, and when each one's row expires.
    live: Mutex<Vec<(LiveReplica, Instant)>>,
}

struct Contact {
    client: Option<Arc<Client>>,
    /// Why there is no connection.
    error: Option<FleetError>,
    /// The last synchronization.
    last: Option<Instant>,
}

/// The row of this process among the replicas.
struct Member {
    identity: ReplicaIdentity,
    state: ReplicaState,
    /// Whether an operator has requested that it drains.
    is_drained: bool,
    leases: usize,
    is_registered: bool,
    /// The applied revisions that the row has.
    published: String,
    /// When the last heartbeat was sent that arrived. The row expires [`CUT_OFF`] later, or after
    /// that.
    renewed: Option<Instant>,
    /// Counts the times that the heartbeats paused for so long that leases may have been lost.
    period: u64,
}

impl Link {
    /// Starts the thread. It connects in the background.
    pub(crate) fn start(
        settings: FleetSettings,
        copy: Arc<LocalCopy>,
        identity: ReplicaIdentity,
    ) -> Result<Self, FleetError> {
        let shared = Arc::new(Shared {
            settings,
            started: Instant::now(),
            copy,
            contact: Mutex::new(Contact { client: None, error: None, last: None }),
            member: Mutex::new(Member {
                identity,
                state: ReplicaState::Ready,
                is_drained: false,
                leases: 0,
                is_registered: false,
                published: String::new(),
                renewed: None,
                period: 0,
            }),
            wake: Notify::new(),
            broken: Notify::new(),
            syncing: AsyncMutex::new(()),
            applied: AppliedRevisions::default(),
            live: Mutex::default(),
        });
        let cannot = |error: std::io::Error| FleetError::Unreachable(error.to_string());
        let runtime = Builder::new_current_thread().enable_all().build().map_err(cannot)?;
        let handle = runtime.handle().clone();
        let (stop, stopped) = oneshot::channel();
        let work = shared.clone();
        let thread = std::thread::Builder::new()
            .name("toolscout-fleet".to_owned())
            .spawn(move || runtime.block_on(work.run(stopped)))
            .map_err(cannot)?;
        Ok(Self { shared, runtime: handle, stop: Some(stop), thread: Some(thread) })
    }

    /// Runs statements, and waits for their result.
    pub(crate) fn call<T, F>(
        &self,
        statements: impl FnOnce(Arc<Client>) -> F + Send + 'static,
    ) -> Result<T, FleetError>
    where
        T: Send + 'static,
        F: Future<Output = Result<T, tokio_postgres::Error>> + Send,
    {
        self.call_within(LIMIT, statements)
    }

    /// As [`call`](Self::call), for work that reads a lot: with [`LONG_LIMIT`].
    pub(crate) fn call_within<T, F>(
        &self,
        limit: Duration,
        statements: impl FnOnce(Arc<Client>) -> F + Send + 'static,
    ) -> Result<T, FleetError>
    where
        T: Send + 'static,
        F: Future<Output = Result<T, tokio_postgres::Error>> + Send,
    {
        let shared = self.shared.clone();
        self.wait(limit, async move {
            let client = shared.client()?;
            statements(client).await.map_err(|error| FleetError::of(&error))
        })
    }

    /// Brings the local copy up to date.
    pub(crate) fn sync(&self) -> Result<(), FleetError> {
        let shared = self.shared.clone();
        self.wait(SYNC_LIMIT, async move {
            let client = shared.client()?;
            shared.sync(&client).await
        })
    }

    /// Waits until the thread has connected once, or has failed to.
    pub(crate) fn wait_for_contact(&self, limit: Duration) {
        let shared = self.shared.clone();
        let _ = self.wait(limit, async move {
            while shared.contact.lock().client.is_none() && shared.contact.lock().error.is_none() {
                sleep(Duration::from_millis(5)).await;
            }
            Ok(())
        });
    }

    /// Serves clients from now on, as this replica.
    pub(crate) fn join(&self, address: Option<String>, labels: Vec<String>) {
        {
            let identity = &mut self.shared.member.lock().identity;
            (identity.serves, identity.address, identity.labels) = (true, address, labels);
        }
        let shared = self.shared.clone();
        // Without the database, the next heartbeat registers it.
        let _ = self.wait(LIMIT, async move {
            let client = shared.client()?;
            shared.beat(&client).await
        });
    }

    /// Changes the state that other replicas see, without waiting for them.
    pub(crate) fn set_state(&self, state: ReplicaState) {
        self.shared.member.lock().state = state;
        let shared = self.shared.clone();
        self.runtime.spawn(async move {
            if let Ok(client) = shared.client() {
                let _ = timeout(LIMIT, shared.beat(&client)).await;
            }
        });
    }

    /// Whether this process finishes its calls: it stops, or an operator has requested it.
    pub(crate) fn is_draining(&self) -> bool {
        let member = self.shared.member.lock();
        member.is_drained || member.state == ReplicaState::Draining
    }

    /// Expires the row of this process.
    pub(crate) fn leave(&self) {
        let shared = self.shared.clone();
        let _ = self.wait(LEAVE_LIMIT, async move {
            shared.leave().await;
            Ok(())
        });
    }

    /// The id of this process, whose row is registered or renewed first.
    pub(crate) fn hold_lease(&self) -> Result<String, FleetError> {
        self.shared.member.lock().leases += 1;
        let shared = self.shared.clone();
        let registered = self.wait(LIMIT, async move {
            let client = shared.client()?;
            let renewed = shared.member.lock().renewed;
            if renewed.is_none_or(|renewed| renewed.elapsed() >= HEARTBEAT) {
                shared.beat(&client).await?;
            }
            Ok(())
        });
        if let Err(error) = registered {
            self.release_lease();
            return Err(error);
        }
        Ok(self.shared.member.lock().identity.id.clone())
    }

    pub(crate) fn release_lease(&self) {
        self.shared.member.lock().leases -= 1;
    }

    /// How far this process has applied the revisions of the copy.
    pub(crate) fn applied(&self) -> &AppliedRevisions {
        &self.shared.applied
    }

    /// How long calls are admitted without the database.
    pub(crate) fn max_cut_off(&self) -> Duration {
        self.shared.settings.max_cut_off
    }

    /// Publishes the applied revisions soon.
    pub(crate) fn publish_soon(&self) {
        self.shared.wake.notify_one();
    }

    /// The current period of contact: leases of earlier ones are lost.
    pub(crate) fn contact_period(&self) -> u64 {
        self.shared.member.lock().period
    }

    /// How long leases of this period are valid without another heartbeat.
    pub(crate) fn remaining_in(&self, period: u64) -> Duration {
        let member = self.shared.member.lock();
        let renewed = member.renewed.filter(|_| member.period == period);
        renewed.map_or(Duration::ZERO, |renewed| LEASE_LIFETIME.saturating_sub(renewed.elapsed()))
    }

    /// The id of this process.
    pub(crate) fn id(&self) -> String {
        self.shared.member.lock().identity.id.clone()
    }

    /// The replicas that serve, as of the last heartbeat. Without the database, all that served at
    /// the last contact.
    pub(crate) fn live(&self) -> Vec<LiveReplica> {
        let (now, is_connected) = (Instant::now(), self.is_connected());
        let live = self.shared.live.lock();
        let is_live = |(_, expires): &&(LiveReplica, Instant)| !is_connected || now < *expires;
        live.iter().filter(is_live).map(|(replica, _)| replica.clone()).collect()
    }

    /// Reads the replicas that serve.
    pub(crate) fn refresh_live(&self) -> Result<(), FleetError> {
        let shared = self.shared.clone();
        self.wait(LIMIT, async move {
            let client = shared.client()?;
            shared.read_live(&client).await
        })
    }

    /// Runs statements without waiting for their result.
    pub(crate) fn spawn<F>(&self, statements: impl FnOnce(Arc<Client>) -> F + Send + 'static)
    where
        F: Future<Output = Result<(), tokio_postgres::Error>> + Send,
    {
        let Ok(client) = self.shared.client() else { return };
        self.runtime.spawn(async move {
            let _ = timeout(LIMIT, statements(client)).await;
        });
    }

    /// Whether there is a connection now.
    pub(crate) fn is_connected(&self) -> bool {
        self.shared.contact.lock().client.is_some()
    }

    /// The time since the last synchronization; none if there never was one.
    pub(crate) fn last_contact(&self) -> Option<Duration> {
        self.shared.contact.lock().last.map(|last| last.elapsed())
    }

    /// Fails if this replica has been without the database for longer than its settings allow.
    pub(crate) fn check_contact(&self) -> Result<(), FleetError> {
        let limit = self.shared.settings.max_cut_off;
        let renewed = {
            let member = self.shared.member.lock();
            member.renewed.filter(|_| member.identity.serves)
        };
        let last = renewed.or(self.shared.contact.lock().last);
        // A process that has never had contact counts from its start, but not if it must refuse
        // as soon as it is cut off.
        let since = last.or((limit > CUT_OFF).then_some(self.shared.started));
        let elapsed = since.map(|since| since.elapsed());
        match elapsed {
            Some(elapsed) if elapsed < limit => Ok(()),
            since => Err(FleetError::CutOff { since }),
        }
    }

    /// Why there is no connection.
    pub(crate) fn error(&self) -> FleetError {
        self.shared.contact.lock().error.clone().unwrap_or_else(FleetError::no_answer)
    }

    fn wait<T: Send + 'static>(
        &self,
        limit: Duration,
        work: impl Future<Output = Result<T, FleetError>> + Send + 'static,
    ) -> Result<T, FleetError> {
        let (sender, receiver) = sync_channel(1);
        let shared = self.shared.clone();
        self.runtime.spawn(async move {
            let result = timeout(limit, work).await.unwrap_or_else(|_| {
                shared.give_up();
                Err(FleetError::no_answer())
            });
            // The caller may have given up.
            let _ = sender.send(result);
        });
        let receive = || receiver.recv_timeout(limit + SLACK);
        let is_worker = Handle::try_current()
            .is_ok_and(|handle| handle.runtime_flavor() == RuntimeFlavor::MultiThread);
        let received = if is_worker { tokio::task::block_in_place(receive) } else { receive() };
        received.unwrap_or_else(|error| match error {
            RecvTimeoutError::Timeout => Err(FleetError::no_answer()),
            RecvTimeoutError::Disconnected => Err(FleetError::closed()),
        })
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        if let Some(stop) = self.stop.take() {
            let _ = stop.send(());
        }
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl Shared {
    fn client(&self) -> Result<Arc<Client>, FleetError> {
        let contact = self.contact.lock();
        match &contact.client {
            Some(client) if !client.is_closed() => Ok(client.clone()),
            _ => Err(contact.error.clone().unwrap_or_else(FleetError::no_answer)),
        }
    }

    /// Ends the connection: it does not answer.
    fn give_up(&self) {
        let mut contact = self.contact.lock();
        if contact.client.take().is_some() {
            contact.error = Some(FleetError::no_answer());
            self.broken.notify_one();
        }
    }

    async fn run(self: Arc<Self>, stopped: oneshot::Receiver<()>) {
        let end = async {
            let _ = stopped.await;
            let _ = timeout(LEAVE_LIMIT, self.leave()).await;
        };
        tokio::select! {
            () = end => {}
            () = self.stay_connected() => {}
            () = self.stay_current() => {}
            () = self.listen() => {}
        }
    }

    /// Expires the row of this process, so that its leases are free at once.
    async fn leave(&self) {
        let id = {
            let mut member = self.member.lock();
            // No heartbeat from now on.
            (member.identity.serves, member.leases) = (false, 0);
            member.renewed.take().map(|_| member.identity.id.clone())
        };
        if let (Some(id), Ok(client)) = (id, self.client()) {
            let _ = replica::leave(&client, &id).await;
        }
    }

    /// Connects, and connects again whenever the connection ends.
    async fn stay_connected(&self) {
        let mut retry = Duration::from_millis(50);
        loop {
            match self.open().await {
                Ok(mut driver) => {
                    retry = Duration::from_millis(50);
                    self.wake.notify_one();
                    tokio::select! {
                        () = driver.run(|| self.wake.notify_one()) => {}
                        () = self.broken.notified() => {}
                    }
                    let mut contact = self.contact.lock();
                    contact.client = None;
                    contact.error.get_or_insert_with(FleetError::closed);
                }
                Err(error) => {
                    let mut contact = self.contact.lock();
                    contact.client = None;
                    contact.error = Some(error);
                }
            }
            sleep(retry).await;
            retry = (retry * 2).min(MAX_RETRY);
        }
    }

    async fn open(&self) -> Result<Driver, FleetError> {
        let (client, mut driver) = connection::connect(&self.settings.database).await?;
        let client = Arc::new(client);
        let checks = async {
            let identity = schema::check(&client, &self.settings.keys).await?;
            if self.settings.listen_database.is_none() {
                let listening = client.batch_execute("LISTEN toolscout").await;
                listening.map_err(|error| FleetError::of(&error))?;
            }
            Ok(identity)
        };
        let identity = tokio::select! {
            identity = timeout(LIMIT, checks) => {
                identity.unwrap_or_else(|_| Err(FleetError::no_answer()))?
            }
            () = driver.run(|| ()) => return Err(FleetError::closed()),
        };
        self.copy.belong_to(&identity)?;
        let mut contact = self.contact.lock();
        (contact.client, contact.error) = (Some(client), None);
        contact.last = Some(Instant::now());
        Ok(driver)
    }

    /// Receives notifications over a connection of its own, if the other one goes through a pooler.
    async fn listen(&self) {
        let Some(url) = self.settings.listen_database.as_deref() else {
            return std::future::pending().await;
        };
        loop {
            if let Ok((client, mut driver)) = connection::connect(url).await {
                let listening = async {
                    if client.batch_execute("LISTEN toolscout").await.is_ok() {
                        std::future::pending::<()>().await;
                    }
                };
                tokio::select! {
                    () = driver.run(|| self.wake.notify_one()) => {}
                    () = listening => {}
                }
            }
            sleep(MAX_RETRY).await;
        }
    }

    /// Applies what other replicas have written, and renews the row of this one.
    async fn stay_current(&self) {
        let (mut beaten, mut swept) = (None::<Instant>, Instant::now());
        loop {
            let _ = timeout(POLL, self.wake.notified()).await;
            let Ok(client) = self.client() else { continue };
            if self.is_member() && beaten.is_none_or(|beaten| beaten.elapsed() >= HEARTBEAT) {
                if timeout(LIMIT, self.beat(&client)).await.is_err() {
                    self.give_up();
                    continue;
                }
                beaten = Some(Instant::now());
            }
            match timeout(SYNC_LIMIT, self.sync(&client)).await {
                Ok(Ok(())) => {}
                Ok(Err(error)) => {
                    tracing::warn!(event = "fleet_sync_failed", error = %error);
                }
                Err(_) => self.give_up(),
            }
            if timeout(LIMIT, self.publish_seen(&client)).await.is_err() {
                self.give_up();
            }
            if self.is_member() && swept.elapsed() >= SWEEP {
                swept = Instant::now();
                let _ = timeout(LIMIT, client.batch_execute("SELECT toolscout.sweep()")).await;
            }
        }
    }

    fn is_member(&self) -> bool {
        let member = self.member.lock();
        member.identity.serves || member.leases > 0
    }

    async fn sync(&self, client: &Client) -> Result<(), FleetError> {
        let _one_at_a_time = self.syncing.lock().await;
        self.copy.sync(client).await?;
        self.contact.lock().last = Some(Instant::now());
        Ok(())
    }

    /// Publishes the applied revisions, if they have changed.
    async fn publish_seen(&self, client: &Client) {
        let id = {
            let member = self.member.lock();
            (member.identity.serves && member.is_registered).then(|| member.identity.id.clone())
        };
        let (Some(id), seen) = (id, self.seen()) else { return };
        if self.member.lock().published == seen {
            return;
        }
        // After an error, the next heartbeat publishes them.
        if replica::publish_seen(client, &id, &seen).await.is_ok() {
            self.member.lock().published = seen;
        }
    }

    /// The applied revisions, as JSON.
    fn seen(&self) -> String {
        self.applied.of(self.copy.positions())
    }

    async fn beat(&self, client: &Client) -> Result<(), FleetError> {
        let (identity, state) = {
            let member = self.member.lock();
            (member.identity.clone(), member.state)
        };
        let (seen, sent) = (self.seen(), Instant::now());
        let keys = self.settings.keys.fingerprints();
        let heartbeat = replica::heartbeat(client, &identity, state, &seen, &keys).await;
        let reply = heartbeat.map_err(|error| FleetError::of(&error))?;
        if reply.min_reader > schema::CURRENT {
            // Without the connection, this replica admits calls for a limited time.
            self.give_up();
            let (found, supported) = (reply.min_reader, schema::CURRENT);
            return Err(FleetError::TooNew { found, supported });
        }
        self.follow_key(reply.data_key)?;
        {
            let mut member = self.member.lock();
            member.is_drained = reply.is_drained;
            (member.is_registered, member.published) = (true, seen);
            // Measured from the sending of the last one: the row may have expired since.
            if member.renewed.is_some_and(|renewed| renewed.elapsed() >= LEASE_LIFETIME) {
                member.period += 1;
            }
            member.renewed = Some(sent);
        }
        if identity.serves {
            self.read_live(client).await?;
        }
        Ok(())
    }

    /// Remembers the data key as it is encrypted now, so that this replica starts without the
    /// database after a rotation.
    fn follow_key(&self, data_key: Vec<u8>) -> Result<(), FleetError> {
        if self.copy.wrapped_key() == data_key || self.settings.keys.unwrap(&data_key).is_err() {
            return Ok(());
        }
        self.copy.belong_to(&FleetIdentity { fleet: self.copy.fleet(), wrapped_key: data_key })
    }

    async fn read_live(&self, client: &Client) -> Result<(), FleetError> {
        let started = Instant::now();
        let live = replica::live(client).await?;
        let until = live.into_iter().map(|(replica, left)| (replica, started + left));
        *self.live.lock() = until.collect();
        Ok(())
    }
}
