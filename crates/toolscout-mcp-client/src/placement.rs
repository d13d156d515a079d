//! Servers that run on one replica of a fleet: the others forward calls to it.
//!
//! A lease decides which replica runs the server. It is taken before the process starts and released
//! after it has ended. A replica that loses contact ends the process before another one can take the
//! lease.

use crate::{ClientError, ServerConfig};
use parking_lot::Mutex;
use std::collections::HashMap;
use std::future::pending;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};
use tokio::task::spawn_blocking;
use tokio::time::{sleep, sleep_until};
use toolscout_core::{
    BoxFuture, Cx, FencedLease, FencedLeaseAttempt, SourceError, SourceId, Store, ToolCall,
    ToolOutput,
};

/// How often a call that cannot reach the replica of its server tries again.
const RETRY: Duration = Duration::from_millis(250);
/// How long a call waits for the lease of a replica that does not answer: longer than the row of a
/// replica is valid.
const TAKEOVER_LIMIT: Duration = Duration::from_secs(10);
/// How often a lease is checked at least.
const CHECK: Duration = Duration::from_millis(500);

/// On how many replicas of a fleet a server runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Placement {
    /// On each replica where it is called.
    #[default]
    Each,
    /// On one replica.
    One,
}

/// Sends calls to other replicas.
pub trait ReplicaCalls: Send + Sync {
    /// The replicas that can be reached and have all these labels, except this one; the one to
    /// prefer first.
    fn reachable(&self, labels: &[String]) -> Vec<String>;
    /// Has a replica run a call that this one has authorized.
    fn send<'a>(
        &'a self,
        replica: &'a str,
        partition: &'a str,
        call: &'a ToolCall,
        cx: &'a Cx,
        deadline: Instant,
    ) -> BoxFuture<'a, Result<ToolOutput, ForwardError>>;
}

/// Why another replica has not returned the result of a call.
#[derive(Debug)]
pub enum ForwardError {
    /// It has not received the call, or does not run the server: another attempt is safe.
    NotRun,
    /// The call failed, or may have run.
    Failed(SourceError),
}

/// Sends calls to other replicas as soon as this process can.
pub type ReplicaCallsSlot = Arc<OnceLock<Arc<dyn ReplicaCalls>>>;

/// The part of a fleet in the servers of a project.
#[derive(Clone)]
pub struct FleetPlacement(Arc<Shared>);

struct Shared {
    store: Arc<dyn Store>,
    /// The id of the project, the same on all replicas.
    partition: String,
    /// What this machine offers.
    labels: Vec<String>,
    calls: ReplicaCallsSlot,
    /// The replica that ran a server when it was last called.
    owners: Mutex<HashMap<SourceId, String>>,
}

/// The replica where a call runs.
pub(crate) enum CallTarget {
    Here,
    Replica(String),
}

impl FleetPlacement {
    /// The servers of the project with this id, on a machine with these labels.
    pub fn new(
        store: Arc<dyn Store>,
        partition: String,
        labels: Vec<String>,
        calls: ReplicaCallsSlot,
    ) -> Self {
        Self(Arc::new(Shared { store, partition, labels, calls, owners: Mutex::default() }))
    }

    /// The lease to start this server with; none if it may run on each replica.
    pub(crate) async fn lease(
        &self,
        server: &ServerConfig,
    ) -> Result<Option<FencedLease>, ClientError> {
        if server.placement == Placement::Each {
            return Ok(None);
        }
        if !self.fits(server) {
            let needs = server.needs.join(", ");
            let reason = format!("this replica does not have what it needs: {needs}");
            return Err(ClientError::Elsewhere { replica: None, reason });
        }
        let (store, name) =
            (self.0.store.clone(), format!("run/{}/{}", self.0.partition, server.id));
        let attempt = spawn_blocking(move || store.fenced_lease(&name)).await;
        match attempt {
            Ok(Ok(FencedLeaseAttempt::Taken(lease))) => {
                tracing::info!(event = "server_lease_taken", server = %server.id, generation = lease.generation());
                Ok(Some(lease))
            }
            Ok(Ok(FencedLeaseAttempt::HeldBy(replica))) => {
                let reason = "it runs on another replica of the fleet".to_owned();
                Err(ClientError::Elsewhere { replica, reason })
            }
            Ok(Err(error)) => {
                Err(ClientError::lost(format!("it runs on one replica of the fleet, and {error}")))
            }
            Err(_) => Err(ClientError::lost("it was stopped while it was starting")),
        }
    }

    /// Whether this machine has what the server needs.
    fn fits(&self, server: &ServerConfig) -> bool {
        server.needs.iter().all(|label| self.0.labels.contains(label))
    }

    /// Where a call of this server runs, as far as it is known without the database.
    pub(crate) fn target(&self, server: &ServerConfig) -> CallTarget {
        if let Some(owner) = self.0.owners.lock().get(&server.id) {
            return CallTarget::Replica(owner.clone());
        }
        if self.fits(server) {
            return CallTarget::Here;
        }
        let reachable = self.0.calls.get().map(|calls| calls.reachable(&server.needs));
        match reachable.unwrap_or_default().into_iter().next() {
            Some(replica) => CallTarget::Replica(replica),
            None => CallTarget::Here,
        }
    }

    /// Remembers the replica that runs the server, or that it is not known.
    pub(crate) fn set_owner(&self, server: &SourceId, replica: Option<String>) {
        let mut owners = self.0.owners.lock();
        match replica {
            Some(replica) => owners.insert(server.clone(), replica),
            None => owners.remove(server),
        };
    }

    /// Has the replica run the call.
    pub(crate) async fn forward(
        &self,
        replica: &str,
        call: &ToolCall,
        cx: &Cx,
        deadline: Instant,
    ) -> Result<ToolOutput, ForwardError> {
        let Some(calls) = self.0.calls.get() else {
            let what =
                "it runs on another replica of the fleet; call it through `toolscout serve --http`";
            let (id, what) = (call.tool.source.clone(), what.to_owned());
            return Err(ForwardError::Failed(SourceError::Unavailable { id, what }));
        };
        calls.send(replica, &self.0.partition, call, cx, deadline).await
    }
}

/// The attempts of a call to find the replica that runs its server.
pub(crate) struct Attempts {
    until: Instant,
}

impl Attempts {
    pub(crate) fn until(deadline: Instant) -> Self {
        Self { until: deadline.min(Instant::now() + TAKEOVER_LIMIT) }
    }

    /// Waits before the next attempt; false if there is no time for one.
    pub(crate) async fn next(&self) -> bool {
        let next = Instant::now() + RETRY;
        if next >= self.until {
            return false;
        }
        sleep_until(next.into()).await;
        true
    }
}

/// Waits until work under this lease must end. Without a lease, that is never.
pub(crate) async fn lost(lease: Option<&FencedLease>) {
    let Some(lease) = lease else { return pending().await };
    loop {
        let remaining = lease.remaining();
        if remaining.is_zero() {
            return;
        }
        sleep(remaining.min(CHECK)).await;
    }
}

impl std::fmt::Debug for FleetPlacement {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FleetPlacement").field("labels", &self.0.labels).finish_non_exhaustive()
    }
}
