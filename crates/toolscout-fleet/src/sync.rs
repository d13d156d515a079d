//! The local copy of the shared namespaces, which follows the database.
//!
//! Processes of one machine share the copy. A file lock orders them: positions and rows are read
//! and written by one process at a time, so that an older row never replaces a newer one.

use crate::FleetError;
use crate::changes::Changes;
use crate::clock::DatabaseClock;
use crate::schema::FleetIdentity;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashSet};
use std::fs::{File, OpenOptions, TryLockError};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::time::sleep;
use tokio_postgres::Client;
use tokio_postgres::types::Type;
use toolscout_core::{Moment, Namespace, Store, StoreError};
use toolscout_store::SqliteStore;

/// The namespaces that replicas share.
pub(crate) const SHARED: [Namespace; 7] = [
    Namespace::Approval,
    Namespace::Pending,
    Namespace::Discovery,
    Namespace::Name,
    Namespace::Observed,
    Namespace::AccessToken,
    Namespace::EndedSession,
];

/// The row of the copy that says how far it is.
const STATE: (Namespace, &str) = (Namespace::Scan, "fleet");
/// Rows that are read at once.
const BATCH: i64 = 1_000;
/// How often the lock of another process is tried.
const RETRY: Duration = Duration::from_millis(2);

/// The copy.
#[derive(Debug)]
pub(crate) struct LocalCopy {
    store: SqliteStore,
    lock: File,
    pub(crate) clock: DatabaseClock,
    pub(crate) changes: Changes,
    /// Revisions that were not applied at the last contact.
    behind: AtomicU64,
}

/// What the copy is a copy of.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
struct CopyState {
    fleet: String,
    /// The data key, encrypted with the fleet key.
    wrapped_key: Vec<u8>,
    /// The revision of each namespace that is applied.
    positions: BTreeMap<String, i64>,
}

impl LocalCopy {
    /// Opens the copy in this folder. A damaged copy is replaced by an empty one: the database has
    /// everything.
    pub(crate) fn open(folder: &Path) -> Result<Self, FleetError> {
        let store = open_store(folder)?;
        let lock = OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .open(folder.join("sync.lock"))
            .map_err(|error| failed("lock the copy of the fleet's state", error))?;
        Ok(Self {
            store,
            lock,
            clock: DatabaseClock::default(),
            changes: Changes::default(),
            behind: AtomicU64::new(0),
        })
    }

    pub(crate) fn store(&self) -> &SqliteStore {
        &self.store
    }

    /// The data key of the fleet, encrypted, from the last contact with the database. Empty if there
    /// never was one.
    pub(crate) fn wrapped_key(&self) -> Vec<u8> {
        self.state().wrapped_key
    }

    /// Records the fleet. Rows of another fleet are removed.
    pub(crate) fn belong_to(&self, identity: &FleetIdentity) -> Result<(), FleetError> {
        let mut state = self.state();
        if state.fleet == identity.fleet && state.wrapped_key == identity.wrapped_key {
            return Ok(());
        }
        if state.fleet != identity.fleet {
            state.positions.clear();
        }
        state.fleet.clone_from(&identity.fleet);
        state.wrapped_key.clone_from(&identity.wrapped_key);
        Ok(self.save(&state)?)
    }

    /// The id of the fleet that this is a copy of.
    pub(crate) fn fleet(&self) -> String {
        self.state().fleet
    }

    /// Revisions that were not applied at the last contact.
    pub(crate) fn revisions_behind(&self) -> u64 {
        self.behind.load(Ordering::Relaxed)
    }

    /// The applied revisions, by namespace.
    pub(crate) fn positions(&self) -> BTreeMap<String, i64> {
        self.state().positions
    }

    /// Applies what is new in the database.
    pub(crate) async fn sync(&self, client: &Client) -> Result<(), FleetError> {
        let synced = self.apply_new(client).await;
        self.changes.report(&self.state().positions);
        synced
    }

    async fn apply_new(&self, client: &Client) -> Result<(), FleetError> {
        let revisions = self.revisions(client).await?;
        let is_behind = |state: &CopyState| {
            revisions.iter().any(|row| state.positions.get(&row.namespace) != Some(&row.latest))
        };
        self.behind.store(count_behind(&revisions, &self.state()), Ordering::Relaxed);
        if !is_behind(&self.state()) {
            return Ok(());
        }
        let _lock = self.locked().await?;
        let mut state = self.state();
        for namespace in SHARED {
            let Some(row) = revisions.iter().find(|row| row.namespace == namespace.as_str()) else {
                continue;
            };
            let have = state.positions.get(&row.namespace).copied().unwrap_or(-1);
            if have == row.latest {
                continue;
            }
            // Rows that were removed before the last sweep, or a database restored from a backup.
            let is_complete = have < row.swept || have > row.latest;
            let reached = self.apply(client, namespace, have, is_complete).await?;
            state.positions.insert(row.namespace.clone(), reached.max(row.latest));
            self.save(&state)?;
        }
        self.behind.store(count_behind(&revisions, &state), Ordering::Relaxed);
        Ok(())
    }

    /// Applies the rows after a revision, or all rows. Returns the latest applied revision.
    async fn apply(
        &self,
        client: &Client,
        namespace: Namespace,
        after: i64,
        is_complete: bool,
    ) -> Result<i64, FleetError> {
        let mut after = if is_complete { -1 } else { after };
        let mut present = HashSet::new();
        loop {
            let rows = client
                .query_typed(
                    "SELECT key, value, revision,
                         floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint
                     FROM toolscout.records_after($1, $2, $3)",
                    &[
                        (&namespace.as_str(), Type::TEXT),
                        (&after, Type::INT8),
                        (&BATCH, Type::INT8),
                    ],
                )
                .await
                .map_err(|error| FleetError::of(&error))?;
            let changes: Vec<(String, Option<Vec<u8>>)> =
                rows.iter().map(|row| (row.get(0), row.get(1))).collect();
            // Some rows are newer than the revisions. Without their time, a row that another replica
            // has just dated could be in the future here, and would not be valid.
            if let Some(millis) =
                rows.last().and_then(|row| u64::try_from(row.get::<_, i64>(3)).ok())
            {
                self.clock.record(Moment(millis));
            }
            self.store.write_all(namespace, &changes)?;
            let Some(last) = rows.last() else { break };
            after = last.get(2);
            if is_complete {
                present.extend(changes.into_iter().map(|(key, _)| key));
            }
        }
        if is_complete {
            let keys = self.store.keys(namespace)?.into_iter();
            let gone: Vec<_> =
                keys.filter(|key| !present.contains(key)).map(|key| (key, None)).collect();
            self.store.write_all(namespace, &gone)?;
        }
        Ok(after)
    }

    /// The revisions in the database, and its clock with them: what was written before a revision
    /// is not in the future.
    async fn revisions(&self, client: &Client) -> Result<Vec<RevisionRow>, FleetError> {
        let rows = client
            .query_typed(
                "SELECT now.millis, r.namespace, r.n, r.swept
                 FROM (SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint AS millis) now
                 LEFT JOIN toolscout.revision r ON true",
                &[],
            )
            .await
            .map_err(|error| FleetError::of(&error))?;
        if let Some(millis) = rows.first().and_then(|row| u64::try_from(row.get::<_, i64>(0)).ok())
        {
            self.clock.record(Moment(millis));
        }
        let row = |row: &tokio_postgres::Row| {
            let namespace = row.get::<_, Option<String>>(1)?;
            Some(RevisionRow { namespace, latest: row.get(2), swept: row.get(3) })
        };
        Ok(rows.iter().filter_map(row).collect())
    }

    async fn locked(&self) -> Result<CopyLock<'_>, FleetError> {
        loop {
            match self.lock.try_lock() {
                Ok(()) => return Ok(CopyLock(&self.lock)),
                Err(TryLockError::WouldBlock) => sleep(RETRY).await,
                Err(TryLockError::Error(error)) => {
                    return Err(failed("lock the copy of the fleet's state", error).into());
                }
            }
        }
    }

    fn state(&self) -> CopyState {
        let bytes = self.store.read(STATE.0, STATE.1).ok().flatten();
        bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default()
    }

    fn save(&self, state: &CopyState) -> Result<(), StoreError> {
        let bytes = serde_json::to_vec(state).unwrap_or_default();
        self.store.write(STATE.0, STATE.1, &bytes)
    }
}

/// Unlocks explicitly, because a child process may inherit the open file.
struct CopyLock<'a>(&'a File);

impl Drop for CopyLock<'_> {
    fn drop(&mut self) {
        let _ = self.0.unlock();
    }
}

/// A namespace in the database.
struct RevisionRow {
    namespace: String,
    latest: i64,
    swept: i64,
}

/// How many revisions of the shared namespaces are not applied.
fn count_behind(revisions: &[RevisionRow], state: &CopyState) -> u64 {
    let is_shared = |row: &&RevisionRow| SHARED.iter().any(|it| it.as_str() == row.namespace);
    let behind = |row: &RevisionRow| {
        let have = state.positions.get(&row.namespace).copied().unwrap_or(0);
        u64::try_from(row.latest - have).unwrap_or(0)
    };
    revisions.iter().filter(is_shared).map(behind).sum()
}

fn open_store(folder: &Path) -> Result<SqliteStore, FleetError> {
    let store = SqliteStore::open(folder)?;
    if store.keys(Namespace::Approval).is_ok() {
        return Ok(store);
    }
    drop(store);
    std::fs::remove_dir_all(folder)
        .map_err(|error| failed("remove the copy of the fleet's state", error))?;
    Ok(SqliteStore::open(folder)?)
}

fn failed(action: &str, cause: std::io::Error) -> StoreError {
    StoreError { what: format!("cannot {action}"), cause: Some(Box::new(cause)) }
}
