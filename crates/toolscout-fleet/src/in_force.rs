//! Reports what this process has applied, and waits until all replicas have.

use crate::link::Link;
use crate::replica;
use crate::sync::LocalCopy;
use crate::{CUT_OFF, FleetError, FleetStore};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};
use tokio::sync::Notify;
use tokio::time::sleep;
use toolscout_core::{ChangeSubscription, Namespace, Store};

/// How long a caller waits for the other replicas.
const LIMIT: Duration = Duration::from_secs(1);
/// The time between two looks at the rows of the replicas.
const PACE: Duration = Duration::from_millis(10);

/// Follows a namespace for a part of this process that derives something from its rows. Until it
/// has, other replicas see that this one is behind.
pub struct NamespaceFollower {
    namespace: Namespace,
    number: u64,
    link: Arc<Link>,
    copy: Arc<LocalCopy>,
    changed: Arc<Notify>,
    _subscription: Option<ChangeSubscription>,
}

impl NamespaceFollower {
    /// Waits for a revision that is not applied yet, and returns it.
    pub async fn next(&self) -> i64 {
        loop {
            let revision = position(&self.copy, self.namespace);
            let applied = self.link.applied().followed.lock().get(&self.number).copied();
            if applied.is_none_or(|(_, applied)| applied != revision) {
                return revision;
            }
            self.changed.notified().await;
        }
    }

    /// Reports that everything up to this revision is in force here.
    pub fn applied(&self, revision: i64) {
        let entry = (self.namespace, revision);
        self.link.applied().followed.lock().insert(self.number, entry);
        self.link.publish_soon();
    }
}

impl Drop for NamespaceFollower {
    fn drop(&mut self) {
        self.link.applied().followed.lock().remove(&self.number);
    }
}

/// Where a change is in force.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InForce {
    /// The number of replicas where it is.
    pub on: usize,
    /// The names of the replicas where it may not be: they are slow, or have lost the database.
    pub behind: Vec<String>,
}

impl FleetStore {
    /// Follows a namespace. Its present rows count as not applied yet.
    pub fn follow(&self, namespace: Namespace) -> NamespaceFollower {
        let applied = self.link.applied();
        let number = applied.next.fetch_add(1, Ordering::Relaxed);
        applied.followed.lock().insert(number, (namespace, -1));
        let changed = Arc::new(Notify::new());
        let wake = changed.clone();
        let subscription = self.on_change(namespace, Box::new(move || wake.notify_one()));
        NamespaceFollower {
            namespace,
            number,
            link: self.link.clone(),
            copy: self.copy.clone(),
            changed,
            _subscription: subscription,
        }
    }

    /// Waits until all live replicas have applied what this process has written to the namespace,
    /// for a second at most.
    pub fn wait_until_in_force(&self, namespace: Namespace) -> Result<InForce, FleetError> {
        // A write ends with a synchronization, so the copy has its revision, or a later one.
        let revision = position(&self.copy, namespace);
        let until = Instant::now() + LIMIT;
        let grace = self.link.max_cut_off().saturating_sub(CUT_OFF);
        self.link.call(async move |client| {
            loop {
                let replicas =
                    replica::progress(&client, namespace.as_str(), revision, grace).await?;
                let is_waiting =
                    replicas.iter().any(|replica| replica.is_live && !replica.has_applied);
                if !is_waiting || Instant::now() >= until {
                    let (done, behind): (Vec<_>, Vec<_>) =
                        replicas.into_iter().partition(|replica| replica.has_applied);
                    let behind = behind.into_iter().map(|replica| replica.name).collect();
                    return Ok(InForce { on: done.len(), behind });
                }
                sleep(PACE).await;
            }
        })
    }
}

/// The revision of the copy; 0 if the namespace was never written.
fn position(copy: &LocalCopy, namespace: Namespace) -> i64 {
    copy.positions().get(namespace.as_str()).copied().unwrap_or_default()
}
