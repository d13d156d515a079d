//! The store over one SQLite file.

mod file;
mod open;
mod schema;

use open::Opened;
use rusqlite::{Connection, OptionalExtension, params};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};
use toolscout_core::{Shelf, Store, StoreError};

/// Keeps bytes in `state.db`. Several processes may have it open; each write is whole, and there for the next reader.
///
/// A damaged file is set aside and a fresh one begun, whether that shows at opening or later: what is lost is what can
/// be found again. Where the folder cannot be written, what is there can still be read.
#[derive(Debug)]
pub struct SqliteStore {
    path: PathBuf,
    opened: Mutex<Opened>,
}

impl SqliteStore {
    /// Opens `state.db` in this folder; makes both where they are missing, readable for nobody else.
    pub fn open(dir: &Path) -> Result<Self, StoreError> {
        let path = dir.join("state.db");
        let opened = open::open(&path)?;
        Ok(Self { path, opened: Mutex::new(opened) })
    }

    /// Where a damaged file was set aside by this store, if that happened.
    pub fn recovered(&self) -> Option<PathBuf> {
        self.opened().set_aside.clone()
    }

    fn opened(&self) -> MutexGuard<'_, Opened> {
        self.opened.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Does it; where the file turns out to be damaged, sets that aside and does it once more.
    pub(crate) fn run<T>(
        &self,
        verb: &str,
        action: impl Fn(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        let mut opened = self.opened();
        let result = match action(&opened.connection) {
            Err(cause) if open::is_damage(&cause) => {
                *opened = open::settle(&self.path)?;
                action(&opened.connection)
            }
            other => other,
        };
        result.map_err(|cause| failed(format!("cannot {verb} `{}`", self.path.display()), cause))
    }
}

impl Store for SqliteStore {
    fn read(&self, shelf: Shelf, key: &str) -> Result<Option<Vec<u8>>, StoreError> {
        self.run("read", |connection| {
            let mut statement = connection.prepare_cached("SELECT value FROM kept WHERE shelf = ?1 AND key = ?2")?;
            statement.query_row(params![shelf.word(), key], |row| row.get(0)).optional()
        })
    }

    fn write(&self, shelf: Shelf, key: &str, value: &[u8]) -> Result<(), StoreError> {
        self.run("write to", |connection| {
            let mut statement = connection.prepare_cached(
                "INSERT INTO kept (shelf, key, value, written) VALUES (?1, ?2, ?3, ?4)
                 ON CONFLICT DO UPDATE SET value = excluded.value, written = excluded.written",
            )?;
            statement.execute(params![shelf.word(), key, value, now()]).map(drop)
        })
    }

    fn remove(&self, shelf: Shelf, key: &str) -> Result<bool, StoreError> {
        self.run("write to", |connection| {
            let mut statement = connection.prepare_cached("DELETE FROM kept WHERE shelf = ?1 AND key = ?2")?;
            Ok(statement.execute(params![shelf.word(), key])? > 0)
        })
    }

    fn keys(&self, shelf: Shelf) -> Result<Vec<String>, StoreError> {
        self.run("read", |connection| {
            let mut statement = connection.prepare_cached("SELECT key FROM kept WHERE shelf = ?1 ORDER BY key")?;
            statement.query_map(params![shelf.word()], |row| row.get(0))?.collect()
        })
    }
}

/// Milliseconds since 1970; a clock before that counts as 1970.
fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

fn failed(what: String, cause: impl std::error::Error + Send + Sync + 'static) -> StoreError {
    StoreError { what, cause: Some(Box::new(cause)) }
}
