//! The interface of persistent state.

use crate::{Digest, Moment};
use parking_lot::{Mutex, MutexGuard};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Stores bytes by namespace and key, for several processes at once. Every write is atomic and
/// visible to the next reader.
///
/// A store that cannot be read is not fatal: callers continue without the stored data.
pub trait Store: Send + Sync + 'static {
    /// The stored value.
    fn read(&self, namespace: Namespace, key: &str) -> Result<Option<Vec<u8>>, StoreError>;
    /// Stores a value, replacing any earlier one.
    fn write(&self, namespace: Namespace, key: &str, value: &[u8]) -> Result<(), StoreError>;
    /// Removes a value; returns whether there was one.
    fn remove(&self, namespace: Namespace, key: &str) -> Result<bool, StoreError>;
    /// All keys of a namespace, sorted.
    fn keys(&self, namespace: Namespace) -> Result<Vec<String>, StoreError>;
    /// Changes, during the lifetime of this store, whenever something may have been written to this
    /// namespace. None if the store cannot detect that.
    fn revision(&self, _: Namespace) -> Option<u64> {
        None
    }
    /// Identifies the contents of a namespace across processes: it changes with every write, by any
    /// process and by any means. Does not read the values. None if the store cannot detect that.
    fn fingerprint(&self, _: Namespace) -> Option<Digest> {
        None
    }
    /// Compare-and-swap: stores `next` (or removes the value, if `next` is none) if the current
    /// value equals `expected`; returns whether it did. Of several concurrent swaps with the same
    /// `expected`, one succeeds.
    fn swap(
        &self,
        namespace: Namespace,
        key: &str,
        expected: Option<&[u8]>,
        next: Option<&[u8]>,
    ) -> Result<bool, StoreError>;
    /// As [`swap`](Self::swap), with the meaning of the change for the audit log. A store that
    /// several machines share records it in the same transaction; any other ignores it, because its
    /// callers emit an event.
    fn swap_noted(
        &self,
        namespace: Namespace,
        key: &str,
        expected: Option<&[u8]>,
        next: Option<&[u8]>,
        _: &RowNote<'_>,
    ) -> Result<bool, StoreError> {
        self.swap(namespace, key, expected, next)
    }
    /// An exclusive lease across processes; none while another process holds it. It ends when it is
    /// dropped, and with the process that holds it, however that ends.
    fn lease(&self, name: &str) -> Result<Option<Lease>, StoreError>;
    /// Whether any process, including this one, holds this lease now.
    fn is_leased(&self, name: &str) -> Result<bool, StoreError>;
    /// As [`lease`](Self::lease), for work that must never run twice at once: on all machines that
    /// share the store, also if they lose contact with each other. An error if that cannot be
    /// ensured now.
    fn fenced_lease(&self, name: &str) -> Result<FencedLeaseAttempt, StoreError> {
        Ok(match self.lease(name)? {
            Some(lease) => FencedLeaseAttempt::Taken(FencedLease::unlimited(lease)),
            None => FencedLeaseAttempt::HeldBy(None),
        })
    }
    /// A secret key of this store, created once: for keyed hashes that no other party can compute
    /// or guess.
    fn key(&self) -> Result<[u8; 32], StoreError>;
    /// The time by the clock that all users of the store share. Their own clocks may differ.
    fn now(&self) -> Moment {
        Moment::now()
    }
    /// Fails if calls must not rely on this store: others share it, and it has not heard of their
    /// decisions for too long.
    fn check_contact(&self) -> Result<(), StoreError> {
        Ok(())
    }
    /// Calls `changed` whenever something may have been written to this namespace, by any process,
    /// until the subscription is dropped. `changed` must return at once. None if the store does not
    /// notice writes of others by itself; [`Store::revision`] shows them then.
    fn on_change(&self, _: Namespace, _: ChangeListener) -> Option<ChangeSubscription> {
        None
    }
}

/// Is called after a write to a namespace.
pub type ChangeListener = Box<dyn Fn() + Send + Sync>;

/// A subscription to changes; dropping it ends it.
pub struct ChangeSubscription(
    #[expect(dead_code, reason = "never read, only dropped")] Box<dyn Send + Sync>,
);

impl ChangeSubscription {
    /// A subscription that ends when `guard` is dropped.
    pub fn new(guard: impl Send + Sync + 'static) -> Self {
        Self(Box::new(guard))
    }
}

impl std::fmt::Debug for ChangeSubscription {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("ChangeSubscription")
    }
}

/// The meaning of a changed row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RowNote<'a> {
    /// The tool, server or token that the row is about.
    pub subject: &'a str,
    /// The decision: `approved`, `rejected`, `used`.
    pub action: &'a str,
    /// The person or the rule that decided.
    pub by: &'a str,
}

/// An exclusive lease; dropping it releases it.
pub struct Lease(#[expect(dead_code, reason = "never read, only dropped")] Box<dyn Send + Sync>);

impl Lease {
    /// A lease that is released when `guard` is dropped.
    pub fn new(guard: impl Send + Sync + 'static) -> Self {
        Self(Box::new(guard))
    }
}

impl std::fmt::Debug for Lease {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Lease")
    }
}

/// A lease that expires if its holder loses contact with the other machines; dropping it releases
/// it.
pub struct FencedLease {
    #[expect(dead_code, reason = "never read, only dropped")]
    lease: Lease,
    generation: u64,
    remaining: Box<dyn Fn() -> Duration + Send + Sync>,
}

impl FencedLease {
    /// A lease that others may take when `remaining` is zero. Its generation is higher than that of
    /// every holder before.
    pub fn new(
        lease: Lease,
        generation: u64,
        remaining: impl Fn() -> Duration + Send + Sync + 'static,
    ) -> Self {
        Self { lease, generation, remaining: Box::new(remaining) }
    }

    /// A lease that ends with its process alone.
    pub fn unlimited(lease: Lease) -> Self {
        Self::new(lease, 0, || Duration::MAX)
    }

    /// The number of this holder among all holders of the lease.
    pub fn generation(&self) -> u64 {
        self.generation
    }

    /// How long the work under the lease may go on, unless the lease is renewed by then. Once it is
    /// zero, it stays zero.
    pub fn remaining(&self) -> Duration {
        (self.remaining)()
    }
}

impl std::fmt::Debug for FencedLease {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FencedLease").field("generation", &self.generation).finish_non_exhaustive()
    }
}

/// The result of [`Store::fenced_lease`].
#[derive(Debug)]
pub enum FencedLeaseAttempt {
    /// This process holds it now.
    Taken(FencedLease),
    /// Another holder has it: the replica with this id, if it is known.
    HeldBy(Option<String>),
}

/// The kinds of stored data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Namespace {
    /// Results of scanning a root, by root and strategy.
    Scan,
    /// Definitions that programs reported about themselves, by content digest.
    Probe,
    /// Folders that a user trusts, with the content that the user has seen, by real path. If lost,
    /// nothing is trusted any more.
    Trust,
    /// Results of the last discovery of a server, by project and server.
    Discovery,
    /// Approved definitions, by project and source. If lost, nothing is approved any more.
    Approval,
    /// Calls with a pending or given approval, by the exact call.
    Pending,
    /// Configurations of other programs before toolscout changed them, by path.
    Backup,
    /// Names of tools on the wire, by project. If lost, tools may get other names.
    Name,
    /// Search indexes, by project and language. Large: each value is better stored as its own file.
    Index,
    /// Embeddings of tool texts, by encoder and text.
    Vector,
    /// Relevance feedback, by tenant. If lost, it is learned again.
    Feedback,
    /// Searches of the last minutes, by caller.
    RecentSearch,
    /// Results of reviews, by project. If lost, there is more to review.
    Review,
    /// Tools that were seen in the messages of agents, by project.
    Observed,
    /// Tools that other programs have registered with a running process, by project.
    Registration,
    /// Access tokens for HTTP, by name: hashes, never values. If lost, no such token is valid.
    AccessToken,
    /// When access tokens were last used, by name.
    TokenUse,
    /// Where the journal began, and how long it was.
    JournalStart,
    /// What sandboxes denied to servers, as the servers reported it, by project and server.
    Denial,
    /// Sessions that a client has ended before their ids expired, by fingerprint of the id.
    EndedSession,
}

impl Namespace {
    /// The name of the namespace on disk.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Scan => "scan",
            Self::Probe => "probe",
            Self::Trust => "trust",
            Self::Discovery => "discovery",
            Self::Approval => "approval",
            Self::Pending => "pending",
            Self::Backup => "backup",
            Self::Name => "name",
            Self::Index => "index",
            Self::Vector => "vector",
            Self::Feedback => "lesson",
            Self::RecentSearch => "asked",
            Self::Review => "settled",
            Self::Observed => "observed",
            Self::Registration => "registration",
            Self::AccessToken => "token",
            Self::TokenUse => "token-use",
            Self::JournalStart => "journal-start",
            Self::Denial => "denial",
            Self::EndedSession => "ended-session",
        }
    }

    /// Whether each of its values is better stored as its own file: because it is large, or because
    /// losing it costs too little to wait for a disk.
    pub fn is_bulky(self) -> bool {
        matches!(self, Self::Index | Self::RecentSearch)
    }

    /// Whether its contents cannot be recreated: a user's decision, or data that exists nowhere
    /// else. A store must not recreate such a namespace on its own, whatever happened to its file:
    /// reading it is an error until a user has intervened.
    pub fn is_precious(self) -> bool {
        matches!(self, Self::Trust | Self::Approval | Self::Backup | Self::AccessToken)
    }
}

/// The reason why the store could not answer.
#[derive(Debug, thiserror::Error)]
#[error("{what}")]
pub struct StoreError {
    /// The failed action, as text for users.
    pub what: String,
    /// The cause.
    #[source]
    pub cause: Option<Box<dyn std::error::Error + Send + Sync>>,
}

/// Keeps everything in memory: for tests, and for users who want no files left behind.
#[derive(Debug, Default)]
pub struct MemoryStore {
    entries: Mutex<BTreeMap<(Namespace, String), Vec<u8>>>,
    /// Write counters: ordinary namespaces first, precious ones second.
    writes: [AtomicU64; 2],
    leased: Arc<Mutex<BTreeSet<String>>>,
}

impl MemoryStore {
    fn lock_for_write(
        &self,
        namespace: Namespace,
    ) -> MutexGuard<'_, BTreeMap<(Namespace, String), Vec<u8>>> {
        self.writes[usize::from(namespace.is_precious())].fetch_add(1, Ordering::Relaxed);
        self.entries.lock()
    }
}

/// Releases the named lease when it is dropped.
struct LeaseRelease {
    name: String,
    leased: Arc<Mutex<BTreeSet<String>>>,
}

impl Drop for LeaseRelease {
    fn drop(&mut self) {
        self.leased.lock().remove(&self.name);
    }
}

impl Store for MemoryStore {
    fn read(&self, namespace: Namespace, key: &str) -> Result<Option<Vec<u8>>, StoreError> {
        Ok(self.entries.lock().get(&(namespace, key.to_owned())).cloned())
    }

    fn write(&self, namespace: Namespace, key: &str, value: &[u8]) -> Result<(), StoreError> {
        self.lock_for_write(namespace).insert((namespace, key.to_owned()), value.to_vec());
        Ok(())
    }

    fn remove(&self, namespace: Namespace, key: &str) -> Result<bool, StoreError> {
        Ok(self.lock_for_write(namespace).remove(&(namespace, key.to_owned())).is_some())
    }

    fn keys(&self, namespace: Namespace) -> Result<Vec<String>, StoreError> {
        Ok(self
            .entries
            .lock()
            .keys()
            .filter(|(other, _)| *other == namespace)
            .map(|(_, key)| key.clone())
            .collect())
    }

    fn swap(
        &self,
        namespace: Namespace,
        key: &str,
        expected: Option<&[u8]>,
        next: Option<&[u8]>,
    ) -> Result<bool, StoreError> {
        let mut map = self.lock_for_write(namespace);
        let entry_key = (namespace, key.to_owned());
        if map.get(&entry_key).map(Vec::as_slice) != expected {
            return Ok(false);
        }
        match next {
            Some(next) => map.insert(entry_key, next.to_vec()),
            None => map.remove(&entry_key),
        };
        Ok(true)
    }

    fn lease(&self, name: &str) -> Result<Option<Lease>, StoreError> {
        let is_free = self.leased.lock().insert(name.to_owned());
        Ok(is_free.then(|| {
            Lease::new(LeaseRelease { name: name.to_owned(), leased: self.leased.clone() })
        }))
    }

    fn is_leased(&self, name: &str) -> Result<bool, StoreError> {
        Ok(self.leased.lock().contains(name))
    }

    fn fingerprint(&self, namespace: Namespace) -> Option<Digest> {
        let writes = self.writes[usize::from(namespace.is_precious())].load(Ordering::Relaxed);
        Some(Digest::of_bytes(&writes.to_le_bytes()))
    }

    /// Always the same, since the data it protects does not outlive the process.
    fn key(&self) -> Result<[u8; 32], StoreError> {
        Ok([7; 32])
    }
}
