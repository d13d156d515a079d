//! The store of a replica: shared namespaces through the database, all others in local files.

use crate::decisions::{self, DecisionHead};
use crate::key::random;
use crate::lease::{self, FleetLease};
use crate::link::Link;
use crate::replica::{LiveReplica, ReplicaIdentity};
use crate::row::{RowSwap, SwapOutcome, sha256};
use crate::sync::{LocalCopy, SHARED};
use crate::{FleetError, FleetKeys, FleetSettings, FleetStatus, ReplicaState, connection, replica};
use parking_lot::Mutex;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use toolscout_core::{
    ChangeListener, ChangeSubscription, Digest, FencedLease, FencedLeaseAttempt, Lease, Moment,
    Namespace, RowNote, Store, StoreError,
};
use toolscout_store::journal::ChainKey;
use toolscout_store::seal;

/// The folder of the copy, below the state folder.
pub const COPY_FOLDER: &str = "fleet";
/// How long the start of a process waits for the database.
const START_LIMIT: Duration = Duration::from_secs(5);
/// Leases with names that start so are held by one replica of the fleet; others by one process of
/// this machine.
const SHARED_LEASES: [&str; 2] = ["discovery/", "audit/"];
const STORE_KEY: &str = "toolscout 2026 fleet: key of the store";
const SEAL_KEY: &str = "toolscout 2026 fleet: seals of rows";
const LISTENER_KEY: &str = "toolscout 2026 fleet: requests between replicas";
/// After this time without a heartbeat, a replica is cut off: its row has expired.
pub const CUT_OFF: Duration = Duration::from_secs(6);
/// How long a replica admits calls without the database at most: it does not know what was revoked.
pub const MAX_CUT_OFF: Duration = Duration::from_secs(15 * 60);

/// A store that several machines share.
///
/// Reads use a local copy and need no database. A write returns when the database has it and the
/// copy shows it. Without the database, reads go on and writes fail.
pub struct FleetStore {
    pub(crate) local: Arc<dyn Store>,
    pub(crate) copy: Arc<LocalCopy>,
    pub(crate) link: Arc<Link>,
    pub(crate) name: String,
    keys: FleetKeys,
    decisions: DecisionHead,
    /// Derived from the data key, when it is known.
    derived: Mutex<Option<(Vec<u8>, DerivedKeys)>>,
    pub(crate) shipped_position: AtomicU64,
}

#[derive(Clone, Copy)]
struct DerivedKeys {
    store: [u8; 32],
    seals: [u8; 32],
    listener: [u8; 32],
}

impl FleetStore {
    /// Connects, and opens the copy in the state folder. `local` is the store of this machine, and
    /// `name` the name of the replica. If the database does not answer, the copy of an earlier run
    /// is used; without one, it is an error.
    pub fn open(
        local: Arc<dyn Store>,
        folder: &Path,
        settings: FleetSettings,
        name: &str,
    ) -> Result<Self, FleetError> {
        connection::parse(&settings.database)?;
        let copy = Arc::new(LocalCopy::open(&folder.join(COPY_FOLDER))?);
        let keys = settings.keys.clone();
        let id: [u8; 16] = random()?;
        let identity = ReplicaIdentity {
            id: blake3::hash(&id).to_hex()[..32].to_owned(),
            name: name.to_owned(),
            address: None,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            labels: Vec::new(),
            serves: false,
        };
        let link = Link::start(settings, copy.clone(), identity)?;
        link.wait_for_contact(START_LIMIT);
        let contact = if link.is_connected() { link.sync() } else { Err(link.error()) };
        if let Err(error) = contact {
            let is_usable = matches!(error, FleetError::Unreachable(_));
            if !is_usable || copy.wrapped_key().is_empty() {
                return Err(error);
            }
            tracing::warn!(event = "fleet_database_unreachable", error = %error);
        }
        keys.unwrap(&copy.wrapped_key())?;
        Ok(Self {
            local,
            copy,
            link: Arc::new(link),
            name: name.to_owned(),
            keys,
            decisions: DecisionHead::default(),
            derived: Mutex::default(),
            shipped_position: AtomicU64::new(0),
        })
    }

    /// The id of the fleet.
    pub(crate) fn fleet_id(&self) -> String {
        self.copy.fleet()
    }

    /// Serves clients from now on: other replicas see this one.
    pub fn join(&self, address: Option<String>, labels: Vec<String>) {
        self.link.join(address, labels);
    }

    /// Changes the state that other replicas see.
    pub fn set_state(&self, state: ReplicaState) {
        self.link.set_state(state);
    }

    /// Serves no longer: other replicas see that at once.
    pub fn leave(&self) {
        self.link.leave();
    }

    /// The time since the last contact with the database; none if there never was one.
    pub fn contact_age(&self) -> Option<Duration> {
        self.link.last_contact()
    }

    /// Changes of shared state that this replica had not applied at its last contact.
    pub fn revisions_behind(&self) -> u64 {
        self.copy.revisions_behind()
    }

    /// The number of the last line of this machine's audit log that the database has, as this
    /// process knows.
    pub fn shipped_position(&self) -> u64 {
        self.shipped_position.load(Ordering::Relaxed)
    }

    /// Whether there is a connection, and if not, why.
    pub fn contact(&self) -> Result<(), FleetError> {
        if self.link.is_connected() { Ok(()) } else { Err(self.link.error()) }
    }

    /// The replicas of the fleet.
    pub fn status(&self) -> Result<FleetStatus, FleetError> {
        self.link.call(|client| async move { Ok(replica::all(&client).await) })?
    }

    /// The id of this process among the replicas.
    pub fn id(&self) -> String {
        self.link.id()
    }

    /// The replicas that serve, as of the last heartbeat. Uses no connection.
    pub fn live_replicas(&self) -> Vec<LiveReplica> {
        self.link.live()
    }

    /// Reads the replicas that serve from the database.
    pub fn refresh_replicas(&self) -> Result<(), FleetError> {
        self.link.refresh_live()
    }

    /// The key of requests between replicas. A rotation of the fleet key does not change it.
    pub fn listener_key(&self) -> Result<[u8; 32], StoreError> {
        Ok(self.derived()?.listener)
    }

    /// Whether this replica finishes its calls: it stops, or an operator has requested it.
    pub fn is_draining(&self) -> bool {
        self.link.is_draining()
    }

    fn derived(&self) -> Result<DerivedKeys, StoreError> {
        let wrapped = self.copy.wrapped_key();
        let mut derived = self.derived.lock();
        if let Some((_, keys)) = derived.as_ref().filter(|(from, _)| *from == wrapped) {
            return Ok(*keys);
        }
        let data_key = self.keys.unwrap(&wrapped).map_err(FleetError::into_store)?;
        let keys = DerivedKeys {
            store: blake3::derive_key(STORE_KEY, &data_key),
            seals: blake3::derive_key(SEAL_KEY, &data_key),
            listener: blake3::derive_key(LISTENER_KEY, &data_key),
        };
        *derived = Some((wrapped, keys));
        Ok(keys)
    }

    /// Swaps a row in the database. `expected` is none for any present value.
    fn swap_row(
        &self,
        namespace: Namespace,
        key: &str,
        expected: Option<Option<&[u8]>>,
        next: Option<&[u8]>,
        note: Option<&RowNote<'_>>,
    ) -> Result<SwapOutcome, StoreError> {
        let seals = self.derived()?.seals;
        let sealed = |value: &[u8]| seal::seal(&seals, namespace, key, value);
        let swap = RowSwap {
            namespace,
            key: key.to_owned(),
            is_any: expected.is_none(),
            expected: expected.flatten().map(|value| sha256(&sealed(value))),
            next: next.map(sealed),
        };
        let swapped = if decisions::is_decision(namespace) {
            let chain = ChainKey::of(self).map_err(|error| StoreError {
                what: "the key of the audit log is not available".to_owned(),
                cause: Some(Box::new(error)),
            })?;
            self.decisions.swap(&self.link, &chain, &self.name, swap, note)
        } else {
            self.link.call(async move |client| swap.run(&client).await)
        };
        let swapped = swapped.map_err(FleetError::into_store)?;
        // Also after a failed swap: the caller reads again, and must see the value that was there.
        self.link.sync().map_err(FleetError::into_store)?;
        Ok(swapped)
    }

    /// The store to read from.
    fn store_of(&self, namespace: Namespace) -> &dyn Store {
        if is_shared(namespace) { self.copy.store() } else { &*self.local }
    }

    fn is_shared_lease(name: &str) -> bool {
        SHARED_LEASES.iter().any(|prefix| name.starts_with(prefix))
    }
}

fn is_shared(namespace: Namespace) -> bool {
    SHARED.contains(&namespace)
}

impl Store for FleetStore {
    fn read(&self, namespace: Namespace, key: &str) -> Result<Option<Vec<u8>>, StoreError> {
        if !is_shared(namespace) {
            return self.local.read(namespace, key);
        }
        let Some(sealed) = self.copy.store().read(namespace, key)? else { return Ok(None) };
        let value = seal::unseal(&self.derived()?.seals, namespace, key, sealed);
        value.map(Some).ok_or_else(|| StoreError {
            what: format!(
                "the row `{key}` of `{}` was not written by a replica of this fleet",
                namespace.as_str()
            ),
            cause: None,
        })
    }

    fn write(&self, namespace: Namespace, key: &str, value: &[u8]) -> Result<(), StoreError> {
        if !is_shared(namespace) {
            return self.local.write(namespace, key, value);
        }
        self.swap_row(namespace, key, None, Some(value), None).map(drop)
    }

    fn remove(&self, namespace: Namespace, key: &str) -> Result<bool, StoreError> {
        if !is_shared(namespace) {
            return self.local.remove(namespace, key);
        }
        Ok(self.swap_row(namespace, key, None, None, None)?.existed)
    }

    fn keys(&self, namespace: Namespace) -> Result<Vec<String>, StoreError> {
        self.store_of(namespace).keys(namespace)
    }

    fn revision(&self, namespace: Namespace) -> Option<u64> {
        self.store_of(namespace).revision(namespace)
    }

    fn fingerprint(&self, namespace: Namespace) -> Option<Digest> {
        self.store_of(namespace).fingerprint(namespace)
    }

    fn swap(
        &self,
        namespace: Namespace,
        key: &str,
        expected: Option<&[u8]>,
        next: Option<&[u8]>,
    ) -> Result<bool, StoreError> {
        if !is_shared(namespace) {
            return self.local.swap(namespace, key, expected, next);
        }
        Ok(self.swap_row(namespace, key, Some(expected), next, None)?.swapped)
    }

    fn swap_noted(
        &self,
        namespace: Namespace,
        key: &str,
        expected: Option<&[u8]>,
        next: Option<&[u8]>,
        note: &RowNote<'_>,
    ) -> Result<bool, StoreError> {
        if !is_shared(namespace) {
            return self.local.swap_noted(namespace, key, expected, next, note);
        }
        Ok(self.swap_row(namespace, key, Some(expected), next, Some(note))?.swapped)
    }

    fn check_contact(&self) -> Result<(), StoreError> {
        self.link.check_contact().map_err(FleetError::into_store)
    }

    /// Without the database, the lease is that of this machine.
    fn lease(&self, name: &str) -> Result<Option<Lease>, StoreError> {
        let Some(local) = self.local.lease(name)? else { return Ok(None) };
        if !Self::is_shared_lease(name) {
            return Ok(Some(local));
        }
        match FleetLease::take(&self.link, name) {
            Ok(Some(shared)) => {
                // The holder before may have written just now: its work must not be repeated.
                self.link.sync().map_err(FleetError::into_store)?;
                Ok(Some(Lease::new((local, shared))))
            }
            Ok(None) => Ok(None),
            Err(FleetError::Unreachable(_)) => Ok(Some(local)),
            Err(error) => Err(error.into_store()),
        }
    }

    fn is_leased(&self, name: &str) -> Result<bool, StoreError> {
        if self.local.is_leased(name)? || !Self::is_shared_lease(name) {
            return self.local.is_leased(name);
        }
        match lease::holder(&self.link, name).map(|holder| holder.is_some()) {
            Ok(false) => self.link.sync().map(|()| false).map_err(FleetError::into_store),
            Err(FleetError::Unreachable(_)) => Ok(false),
            result => result.map_err(FleetError::into_store),
        }
    }

    /// Held by one process of the fleet. Fails without the database.
    fn fenced_lease(&self, name: &str) -> Result<FencedLeaseAttempt, StoreError> {
        let taken = FleetLease::take(&self.link, name).map_err(FleetError::into_store)?;
        let Some(lease) = taken else {
            let holder = lease::holder(&self.link, name).map_err(FleetError::into_store)?;
            return Ok(FencedLeaseAttempt::HeldBy(holder));
        };
        let lease = Arc::new(lease);
        let generation = lease.generation();
        let guard = Lease::new(lease.clone());
        Ok(FencedLeaseAttempt::Taken(FencedLease::new(guard, generation, move || {
            lease.remaining()
        })))
    }

    fn key(&self) -> Result<[u8; 32], StoreError> {
        Ok(self.derived()?.store)
    }

    /// By the clock of the database.
    fn now(&self) -> Moment {
        self.copy.clock.now()
    }

    fn on_change(
        &self,
        namespace: Namespace,
        changed: ChangeListener,
    ) -> Option<ChangeSubscription> {
        is_shared(namespace).then(|| self.copy.changes.subscribe(namespace, changed))
    }
}

impl std::fmt::Debug for FleetStore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FleetStore").field("copy", &self.copy).finish_non_exhaustive()
    }
}
