//! The stored record of a server: its tools, and the status of the last discovery.

mod packed;
mod row;

#[cfg(test)]
mod tests;

use super::era::ProtocolEra;
use packed::PackedDefinitions;
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;
use toolscout_core::{Moment, Namespace, RawJson, SourceId, Store, StoreError, UnknownFields};

/// The time to live of a tool list, if the server names none.
pub const USUAL_TTL: Duration = Duration::from_secs(300);

/// The status of the last discovery of a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DiscoveryStatus {
    /// The server was never discovered.
    #[default]
    Never,
    /// A discovery is running.
    Discovering,
    /// The discovery succeeded, and the tools are known.
    Success,
    /// The discovery failed; previously known tools stay.
    Failed,
}

impl DiscoveryStatus {
    /// The word shown: `never`, `discovering`, `success`, `failed`.
    pub fn word(self) -> &'static str {
        match self {
            Self::Never => "never",
            Self::Discovering => "discovering",
            Self::Success => "success",
            Self::Failed => "failed",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct DiscoveryRecord {
    pub(super) version: u32,
    /// The status of the last discovery.
    pub status: DiscoveryStatus,
    /// The reason for its failure, for display; not escaped.
    pub error: Option<String>,
    /// When it ended.
    pub last_discovery: Option<Moment>,
    /// The tools of the last successful discovery.
    pub tools: Option<KnownTools>,
    /// A mark on the definitions, made when they were checked; see [`DiscoveryRecords::mark`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) checked: Option<String>,
    /// The packed definitions as read, if their mark is valid.
    #[serde(skip)]
    pub(super) packed: Option<PackedDefinitions>,
    /// Resources, templates and prompts; absent in old records.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub library: Option<KnownLibrary>,
    /// Fields of a later version.
    #[serde(flatten)]
    pub unknown: UnknownFields,
}

/// Resources, templates and prompts of a server, as last listed.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct KnownLibrary {
    /// When they were listed.
    pub listed: Option<Moment>,
    /// The fingerprint of the configuration at that time.
    pub configuration: String,
    /// The declared capabilities, as received.
    pub capabilities: Option<RawJson>,
    /// The server's instructions for agents; not escaped.
    pub instructions: Option<String>,
    /// Complete definitions of resources, as received.
    pub resources: Vec<RawJson>,
    /// Complete definitions of resource templates, as received.
    pub templates: Vec<RawJson>,
    /// Complete definitions of prompts, as received.
    pub prompts: Vec<RawJson>,
    /// The reasons why other definitions are excluded, for display; not escaped.
    pub excluded: Vec<String>,
    /// Whether they are visible to one user only.
    pub private: bool,
    /// Fields of a later version.
    #[serde(flatten)]
    pub unknown: UnknownFields,
}

/// The tools of a server, as it last listed them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct KnownTools {
    /// When they were listed.
    pub listed: Moment,
    /// The fingerprint of the configuration at that time.
    pub configuration: String,
    /// Complete definitions, as received.
    #[serde(skip)]
    pub definitions: Vec<RawJson>,
    /// The reasons why other definitions are excluded, for display; not escaped.
    pub excluded: Vec<String>,
    /// The time to live that the server names.
    pub ttl_ms: Option<u64>,
    /// Whether they are visible to one user only.
    pub private: bool,
    /// The agreed era; it saves a probe at the next connection.
    pub era: ProtocolEra,
    /// When the server first listed no tools although it had some before; those stay for a while.
    pub vanished: Option<Moment>,
    /// Fields of a later version.
    #[serde(flatten)]
    pub unknown: UnknownFields,
}

impl DiscoveryRecord {
    /// Whether some of the record is visible to one user only.
    fn is_private(&self) -> bool {
        self.tools.as_ref().is_some_and(|tools| tools.private)
            || self.library.as_ref().is_some_and(|library| library.private)
    }

    /// The reason why the tools may be outdated, if there is one.
    pub fn staleness(&self, configuration: &str, now: Moment) -> Option<Staleness> {
        let tools = self.tools.as_ref()?;
        let ttl = tools.ttl_ms.map_or(USUAL_TTL, Duration::from_millis);
        if tools.configuration != configuration {
            Some(Staleness::Reconfigured)
        } else if self.status == DiscoveryStatus::Failed {
            Some(Staleness::Failed)
        } else if tools.vanished.is_some() {
            Some(Staleness::Vanished)
        } else if tools.listed.age(now) > ttl {
            Some(Staleness::Old)
        } else {
            None
        }
    }
}

/// The reason why stored tools may be outdated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Staleness {
    /// The server's entry has changed since.
    Reconfigured,
    /// The last discovery failed.
    Failed,
    /// The server suddenly listed no tools.
    Vanished,
    /// The time to live has passed.
    Old,
}

/// The records of one project's servers.
#[derive(Clone)]
pub struct DiscoveryRecords {
    store: Arc<dyn Store>,
    partition: String,
    /// The key for marks; see [`DiscoveryRecords::mark`].
    key: [u8; 32],
    read: Arc<Mutex<RecordCache>>,
}

/// A cache of records by key, valid until the store's revision changes.
#[derive(Default)]
struct RecordCache {
    revision: Option<u64>,
    records: HashMap<String, Option<DiscoveryRecord>>,
}

impl DiscoveryRecords {
    /// The records of the project with this partition. Without a key, no definition counts as
    /// checked.
    pub fn new(store: Arc<dyn Store>, partition: impl Into<String>) -> Self {
        let key = blake3::hash(b"no mark is made with this").into();
        Self { store, partition: partition.into(), key, read: Arc::default() }
    }

    /// The same records, with a key for marks.
    pub(super) fn marked_with(self, key: [u8; 32]) -> Self {
        Self { key, ..self }
    }

    /// Records in another store, with the same key for marks.
    pub(super) fn in_store(&self, store: Arc<dyn Store>, partition: &str) -> Self {
        Self::new(store, partition).marked_with(self.key)
    }

    /// A keyed hash which proves that exactly these definitions have passed all checks. Definitions
    /// with a valid mark are not checked again at startup.
    pub(super) fn mark(&self, definitions: &[RawJson]) -> String {
        packed::mark(&self.key, &packed::pack(definitions)).to_string()
    }

    /// The record of the server, for this user. An unreadable record counts as absent. If the
    /// process that was discovering the server is gone, the discovery counts as failed.
    pub fn read(
        &self,
        server: &SourceId,
        user: Option<&str>,
    ) -> Result<DiscoveryRecord, StoreError> {
        let mut record = match self.read_own(server, user)? {
            Some(record) => record,
            None => self.read_shared(server, user)?.unwrap_or_default(),
        };
        if record.status == DiscoveryStatus::Discovering
            && !self.store.is_leased(&self.lease_name(server))?
        {
            record.status = DiscoveryStatus::Failed;
            record.error = Some("discovery was interrupted".to_owned());
        }
        Ok(record)
    }

    /// Replaces the record. If it is private, each user has a separate record.
    pub(super) fn write(
        &self,
        server: &SourceId,
        user: Option<&str>,
        record: &DiscoveryRecord,
    ) -> Result<(), StoreError> {
        let private = record.is_private();
        let bytes = row::write(record).map_err(|cause| StoreError {
            what: format!("cannot store the tools of `{server}`"),
            cause: Some(cause.into()),
        })?;
        self.store.write(Namespace::Discovery, &self.key(server, user.filter(|_| private)), &bytes)
    }

    /// Removes the records of the server, for every user; returns the number of their tools.
    pub fn remove(&self, server: &SourceId) -> Result<usize, StoreError> {
        let own = self.key(server, None);
        let of_users = own.clone() + "@";
        let mut removed = 0;
        for key in self
            .store
            .keys(Namespace::Discovery)?
            .into_iter()
            .filter(|key| *key == own || key.starts_with(&of_users))
        {
            // What a later version wrote is not counted.
            removed += self
                .read_key(&key)
                .ok()
                .flatten()
                .and_then(|value| value.tools)
                .map_or(0, |tools| tools.definitions.len());
            self.store.remove(Namespace::Discovery, &key)?;
        }
        Ok(removed)
    }

    /// All servers that have a record.
    pub fn servers(&self) -> Result<Vec<SourceId>, StoreError> {
        let own = format!("{}/", self.partition);
        let keys = self.store.keys(Namespace::Discovery)?;
        Ok(keys.iter().filter_map(|key| SourceId::new(key.strip_prefix(&own)?).ok()).collect())
    }

    /// The name of the lease for discovering this server.
    pub(super) fn lease_name(&self, server: &SourceId) -> String {
        format!("discovery/{}", self.key(server, None))
    }

    pub(super) fn store(&self) -> &Arc<dyn Store> {
        &self.store
    }

    fn read_own(
        &self,
        server: &SourceId,
        user: Option<&str>,
    ) -> Result<Option<DiscoveryRecord>, StoreError> {
        user.map_or(Ok(None), |user| self.read_key(&self.key(server, Some(user))))
    }

    /// Reads the shared record. A private record is not shared.
    fn read_shared(
        &self,
        server: &SourceId,
        user: Option<&str>,
    ) -> Result<Option<DiscoveryRecord>, StoreError> {
        let record = self.read_key(&self.key(server, None))?;
        Ok(record.filter(|record| user.is_none() || !record.is_private()))
    }

    fn read_key(&self, key: &str) -> Result<Option<DiscoveryRecord>, StoreError> {
        // The revision is taken before the read, so that a write after it invalidates the cache.
        let revision = self.store.revision(Namespace::Discovery);
        if let Some(record) = self.read.lock().get(revision, key) {
            return Ok(record.clone());
        }
        let record = match self.store.read(Namespace::Discovery, key)? {
            Some(bytes) => row::read(bytes, &self.key)
                .map_err(|row::NewerRecord| StoreError::newer_row("the stored tools"))?,
            None => None,
        };
        if revision.is_some() {
            self.read.lock().records.insert(key.to_owned(), record.clone());
        }
        Ok(record)
    }

    /// The key of a record. User names are hashed, because they may contain any character.
    fn key(&self, server: &SourceId, user: Option<&str>) -> String {
        match user {
            None => format!("{}/{server}", self.partition),
            Some(user) => {
                format!("{}/{server}@{}", self.partition, blake3::hash(user.as_bytes()).to_hex())
            }
        }
    }
}

impl RecordCache {
    /// The cached record at this revision, including the cached absence of one.
    fn get(&mut self, revision: Option<u64>, key: &str) -> Option<&Option<DiscoveryRecord>> {
        if self.revision != revision {
            *self = Self { revision, ..Self::default() };
        }
        revision.and_then(|_| self.records.get(key))
    }
}
