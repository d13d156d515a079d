//! What must survive the process, as the rest sees it.

use crate::Digest;
use parking_lot::{Mutex, MutexGuard};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Keeps bytes by namespace and key, for several processes at once. What is written is there for the next reader, whole.
///
/// A store that cannot be read is not a reason to stop: callers go on without what they would have found there.
pub trait Store: Send + Sync + 'static {
    /// What is kept there.
    fn read(&self, namespace: Namespace, key: &str) -> Result<Option<Vec<u8>>, StoreError>;
    /// Keeps this instead of what was there.
    fn write(&self, namespace: Namespace, key: &str, value: &[u8]) -> Result<(), StoreError>;
    /// Forgets it; says whether there was something.
    fn remove(&self, namespace: Namespace, key: &str) -> Result<bool, StoreError>;
    /// All keys of a namespace, sorted.
    fn keys(&self, namespace: Namespace) -> Result<Vec<String>, StoreError>;
    /// Is another, as long as this lives, whenever something may have been written to this namespace. None where nobody can tell.
    fn revision(&self, _: Namespace) -> Option<u64> {
        None
    }
    /// Stands for all that this namespace holds, across processes: it is another whenever something was written there, by whomever
    /// and however. Reads nothing of it. None where nobody can tell.
    fn fingerprint(&self, _: Namespace) -> Option<Digest> {
        None
    }
    /// Keeps `next` (or forgets, where that is none) if what is there is still what `seen` says; says whether it was.
    /// Of several who try at once, from the same sight, one succeeds.
    fn swap(
        &self,
        namespace: Namespace,
        key: &str,
        seen: Option<&[u8]>,
        next: Option<&[u8]>,
    ) -> Result<bool, StoreError>;
    /// The right to do something that one process at a time may do; none while another has it. It ends when it is
    /// dropped, and with the process that has it, however that ends.
    fn lease(&self, name: &str) -> Result<Option<Lease>, StoreError>;
    /// Whether somebody, perhaps ourselves, has this right now.
    fn is_leased(&self, name: &str) -> Result<bool, StoreError>;
    /// A secret of this store, made once: for hashes that nobody else can make, or guess back from.
    fn key(&self) -> Result<[u8; 32], StoreError>;
}

/// The right to do something; dropping it gives it back.
pub struct Lease(#[expect(dead_code, reason = "held, never looked at")] Box<dyn Send + Sync>);

impl Lease {
    /// A right that ends when this is dropped.
    pub fn new(held: impl Send + Sync + 'static) -> Self {
        Self(Box::new(held))
    }
}

impl std::fmt::Debug for Lease {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Lease")
    }
}

/// The sorts of things that are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Namespace {
    /// What a scan of a root found, by root and strategy.
    Scan,
    /// What a file said about itself when asked, by content digest.
    Probe,
    /// Which folders a person trusts, by real path.
    Trust,
    /// What the last discovery of a server found, by project and server.
    Discovery,
    /// Which definitions may be used, by project and source. Lost, nothing is approved any more.
    Approval,
    /// Calls that wait for a person's word, or have it, by what exactly is asked.
    Pending,
    /// What another program's configuration was before we were written into it, by path.
    Backup,
    /// What tools are called on the wire, by project. Lost, they may be called otherwise.
    Name,
    /// What was worked out about tools to find them, by project and language. Large: each value is better a file of its own.
    Index,
    /// What texts of tools mean, by encoder and text.
    Vector,
    /// Which tool answered which question, by tenant. Lost, it is learned again.
    Lesson,
    /// What was asked in the last minutes, by who asked.
    Asked,
    /// What reviews came to, by project. Lost, there is more to review.
    Settled,
    /// Tools that were seen in the messages of agents, by project.
    Observed,
}

impl Namespace {
    /// The word the namespace is known by on disk.
    pub fn word(self) -> &'static str {
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
            Self::Lesson => "lesson",
            Self::Asked => "asked",
            Self::Settled => "settled",
            Self::Observed => "observed",
        }
    }

    /// Whether each of its values is better a file of its own: it is large, or so little would be lost that nobody should wait
    /// for a disk.
    pub fn is_bulky(self) -> bool {
        matches!(self, Self::Index | Self::Asked)
    }

    /// Whether what it holds cannot be found again: a person said it, or it exists nowhere else. A store must not begin
    /// such a namespace anew on its own, whatever became of its file: reading it is an error until a person has looked.
    pub fn is_precious(self) -> bool {
        matches!(self, Self::Approval | Self::Backup)
    }
}

/// Why the store could not answer.
#[derive(Debug, thiserror::Error)]
#[error("{what}")]
pub struct StoreError {
    /// What was tried, for people.
    pub what: String,
    /// The cause.
    #[source]
    pub cause: Option<Box<dyn std::error::Error + Send + Sync>>,
}

/// Keeps everything in memory: for tests, and for who wants nothing left behind.
#[derive(Debug, Default)]
pub struct MemoryStore {
    entries: Mutex<BTreeMap<(Namespace, String), Vec<u8>>>,
    /// Apart for what is precious.
    writes: [AtomicU64; 2],
    leased: Arc<Mutex<BTreeSet<String>>>,
}

impl MemoryStore {
    fn map_to_write(&self, namespace: Namespace) -> MutexGuard<'_, BTreeMap<(Namespace, String), Vec<u8>>> {
        self.writes[usize::from(namespace.is_precious())].fetch_add(1, Ordering::Relaxed);
        self.entries.lock()
    }
}

/// Names the right that is given back when this is dropped.
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
        self.map_to_write(namespace).insert((namespace, key.to_owned()), value.to_vec());
        Ok(())
    }

    fn remove(&self, namespace: Namespace, key: &str) -> Result<bool, StoreError> {
        Ok(self.map_to_write(namespace).remove(&(namespace, key.to_owned())).is_some())
    }

    fn keys(&self, namespace: Namespace) -> Result<Vec<String>, StoreError> {
        Ok(self.entries.lock().keys().filter(|(it, _)| *it == namespace).map(|(_, key)| key.clone()).collect())
    }

    fn swap(
        &self,
        namespace: Namespace,
        key: &str,
        seen: Option<&[u8]>,
        next: Option<&[u8]>,
    ) -> Result<bool, StoreError> {
        let mut map = self.map_to_write(namespace);
        let place = (namespace, key.to_owned());
        if map.get(&place).map(Vec::as_slice) != seen {
            return Ok(false);
        }
        match next {
            Some(next) => map.insert(place, next.to_vec()),
            None => map.remove(&place),
        };
        Ok(true)
    }

    fn lease(&self, name: &str) -> Result<Option<Lease>, StoreError> {
        let is_free = self.leased.lock().insert(name.to_owned());
        Ok(is_free.then(|| Lease::new(LeaseRelease { name: name.to_owned(), leased: self.leased.clone() })))
    }

    fn is_leased(&self, name: &str) -> Result<bool, StoreError> {
        Ok(self.leased.lock().contains(name))
    }

    fn fingerprint(&self, namespace: Namespace) -> Option<Digest> {
        let writes = self.writes[usize::from(namespace.is_precious())].load(Ordering::Relaxed);
        Some(Digest::of_bytes(&writes.to_le_bytes()))
    }

    /// Always the same: what it protects does not outlive the process.
    fn key(&self) -> Result<[u8; 32], StoreError> {
        Ok([7; 32])
    }
}
