//! What must survive the process, as the rest sees it.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// Keeps bytes by shelf and key, for several processes at once. What is written is there for the next reader, whole.
///
/// A store that cannot be read is not a reason to stop: callers go on without what they would have found there.
pub trait Store: Send + Sync + 'static {
    /// What is kept there.
    fn read(&self, shelf: Shelf, key: &str) -> Result<Option<Vec<u8>>, StoreError>;
    /// Keeps this instead of what was there.
    fn write(&self, shelf: Shelf, key: &str, value: &[u8]) -> Result<(), StoreError>;
    /// Forgets it; says whether there was something.
    fn remove(&self, shelf: Shelf, key: &str) -> Result<bool, StoreError>;
    /// All keys of a shelf, sorted.
    fn keys(&self, shelf: Shelf) -> Result<Vec<String>, StoreError>;
}

/// The sorts of things that are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Shelf {
    /// What a scan of a root found, by root and strategy.
    Scan,
    /// What a file said about itself when asked, by content digest.
    Probe,
    /// Which folders a person trusts, by real path.
    Trust,
}

impl Shelf {
    /// The word the shelf is known by on disk.
    pub fn word(self) -> &'static str {
        match self {
            Self::Scan => "scan",
            Self::Probe => "probe",
            Self::Trust => "trust",
        }
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
pub struct MemoryStore(Mutex<BTreeMap<(Shelf, String), Vec<u8>>>);

impl MemoryStore {
    fn map(&self) -> std::sync::MutexGuard<'_, BTreeMap<(Shelf, String), Vec<u8>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Store for MemoryStore {
    fn read(&self, shelf: Shelf, key: &str) -> Result<Option<Vec<u8>>, StoreError> {
        Ok(self.map().get(&(shelf, key.to_owned())).cloned())
    }

    fn write(&self, shelf: Shelf, key: &str, value: &[u8]) -> Result<(), StoreError> {
        self.map().insert((shelf, key.to_owned()), value.to_vec());
        Ok(())
    }

    fn remove(&self, shelf: Shelf, key: &str) -> Result<bool, StoreError> {
        Ok(self.map().remove(&(shelf, key.to_owned())).is_some())
    }

    fn keys(&self, shelf: Shelf) -> Result<Vec<String>, StoreError> {
        Ok(self.map().keys().filter(|(it, _)| *it == shelf).map(|(_, key)| key.clone()).collect())
    }
}
