//! What sandboxes denied to servers, as the servers reported it, until an operator grants it or
//! removes the server.

use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::sync::Arc;
use toolscout_core::{Moment, Namespace, SourceId, Store, StoreError};
use toolscout_process::sandbox::Denial;

/// The version of the stored form. Rows of other versions count as empty.
const VERSION: u32 = 1;
/// The most denials that are kept for each server; the oldest are dropped. A hostile server may
/// report any number.
const MAX_DENIALS: usize = 20;
/// How often a write is tried while other processes write the same row.
const ATTEMPTS: usize = 8;

/// The reported denials of one project's servers.
#[derive(Clone)]
pub struct DenialLog {
    store: Arc<dyn Store>,
    partition: String,
}

/// A denial, and when the server last reported it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReportedDenial {
    /// What was denied.
    pub denial: Denial,
    /// When the server last reported it.
    pub at: Moment,
}

#[derive(Serialize, Deserialize, Default)]
struct DenialRow {
    version: u32,
    denials: Vec<StoredDenial>,
}

#[derive(Serialize, Deserialize)]
struct StoredDenial {
    #[serde(flatten)]
    access: StoredAccess,
    at: Moment,
}

#[derive(Clone, Serialize, Deserialize, PartialEq)]
#[serde(rename_all = "lowercase")]
enum StoredAccess {
    Read(PathBuf),
    Write(PathBuf),
    Connect(u16),
}

impl DenialLog {
    /// The log of the project with this partition key.
    pub(super) fn new(store: Arc<dyn Store>, partition: String) -> Self {
        Self { store, partition }
    }

    /// The denials of a server, the latest last. An unreadable row counts as empty.
    pub fn of(&self, server: &SourceId) -> Result<Vec<ReportedDenial>, StoreError> {
        let bytes = self.store.read(Namespace::Denial, &self.key(server))?;
        let denials = bytes.as_deref().map(read).unwrap_or_default();
        let reported =
            |stored: StoredDenial| ReportedDenial { denial: stored.access.into(), at: stored.at };
        Ok(denials.into_iter().map(reported).collect())
    }

    /// Deletes the denials of a server.
    pub fn remove(&self, server: &SourceId) -> Result<(), StoreError> {
        self.store.remove(Namespace::Denial, &self.key(server)).map(drop)
    }

    /// Adds denials. A failure is only logged: it must not fail the call that was denied.
    pub(super) async fn record(&self, server: SourceId, denials: Vec<Denial>) {
        if denials.is_empty() {
            return;
        }
        let log = self.clone();
        let written = tokio::task::spawn_blocking(move || log.add(&server, denials)).await;
        if let Ok(Err(error)) = written {
            tracing::warn!(event = "denial_not_stored", %error);
        }
    }

    fn add(&self, server: &SourceId, denials: Vec<Denial>) -> Result<(), StoreError> {
        let (key, at) = (self.key(server), Moment::now());
        let new: Vec<StoredAccess> = denials.into_iter().map(StoredAccess::from).collect();
        for _ in 0..ATTEMPTS {
            let before = self.store.read(Namespace::Denial, &key)?;
            let mut denials = before.as_deref().map(read).unwrap_or_default();
            denials.retain(|stored| !new.contains(&stored.access));
            denials.extend(new.iter().map(|access| StoredDenial { access: access.clone(), at }));
            denials.drain(..denials.len().saturating_sub(MAX_DENIALS));
            let row = DenialRow { version: VERSION, denials };
            let next = serde_json::to_vec(&row).map_err(|error| failure(Some(error.into())))?;
            if self.store.swap(Namespace::Denial, &key, before.as_deref(), Some(&next))? {
                return Ok(());
            }
        }
        Err(failure(None))
    }

    fn key(&self, server: &SourceId) -> String {
        format!("{}/{server}", self.partition)
    }
}

impl From<Denial> for StoredAccess {
    fn from(denial: Denial) -> Self {
        match denial {
            Denial::Read(path) => Self::Read(path),
            Denial::Write(path) => Self::Write(path),
            Denial::Connect(port) => Self::Connect(port),
        }
    }
}

impl From<StoredAccess> for Denial {
    fn from(access: StoredAccess) -> Self {
        match access {
            StoredAccess::Read(path) => Self::Read(path),
            StoredAccess::Write(path) => Self::Write(path),
            StoredAccess::Connect(port) => Self::Connect(port),
        }
    }
}

fn read(bytes: &[u8]) -> Vec<StoredDenial> {
    let row = serde_json::from_slice::<DenialRow>(bytes).ok();
    row.filter(|row| row.version == VERSION).map_or_else(Vec::new, |row| row.denials)
}

fn failure(cause: Option<Box<dyn std::error::Error + Send + Sync>>) -> StoreError {
    StoreError { what: "cannot store what the sandbox denied".to_owned(), cause }
}
