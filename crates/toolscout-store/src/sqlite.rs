//! The store over two SQLite files: data that can be recreated, and data that cannot.

mod bulk;
mod database;
pub(crate) mod file;
mod lease;
mod open;
mod schema;
mod secret;
mod witness;

use crate::seal;
use bulk::Bulk;
use database::Database;
use open::Care;
use rusqlite::{Connection, OptionalExtension, params};
use secret::StoreSecret;
use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};
use toolscout_core::{Digest, Lease, Namespace, Store, StoreError};

/// Stores bytes in `state.db` or, for a precious namespace ([`Namespace::is_precious`]), in
/// `trust.db`. Several processes may have both open; each write is atomic and visible to the next
/// reader. The values of bulky namespaces ([`Namespace::is_bulky`]) are files beside them.
///
/// If `state.db` is damaged, on opening or later, it is set aside and a new one is created: only
/// data that can be recreated is lost. A damaged `trust.db` stays: it is copied, and every access
/// to its contents is an error until a user has moved it away. If the folder is not writable,
/// existing data can still be read.
#[derive(Debug)]
pub struct SqliteStore {
    dir: PathBuf,
    state: Database,
    /// Opened on first use, because most runs never need it.
    trust: Database,
    secret: StoreSecret,
    bulk: Bulk,
}

impl SqliteStore {
    /// Opens `state.db` in this folder. Creates folder and file if they are missing, accessible to
    /// the user only.
    pub fn open(dir: &Path) -> Result<Self, StoreError> {
        let state = Database::new(dir.join("state.db"), Care::Rebuild);
        state.open()?;
        let trust = Database::new(dir.join("trust.db"), Care::Keep);
        Ok(Self {
            dir: dir.to_owned(),
            state,
            trust,
            secret: StoreSecret::new(dir.join("key")),
            bulk: Bulk::new(dir),
        })
    }

    /// The path that this store moved a damaged `state.db` to, if it did.
    pub fn recovered(&self) -> Option<PathBuf> {
        self.state.set_aside()
    }

    /// Starts over with an empty `trust.db`: nothing is trusted, and every definition is seen for
    /// the first time. Returns the path that the old file was moved to, if there was one.
    pub fn reset_trust(dir: &Path) -> Result<Option<PathBuf>, StoreError> {
        let path = dir.join("trust.db");
        let reset = || {
            let _lock = file::lock(&path)?;
            let moved = if path.exists() { Some(file::set_aside(&path)?) } else { None };
            witness::remove(&path)?;
            Ok(moved)
        };
        reset().map_err(|cause: std::io::Error| {
            failed(format!("cannot reset `{}`", path.display()), cause)
        })
    }

    /// Writes many values, and removes those without one, in one transaction. Not for bulky
    /// namespaces.
    pub fn write_all(
        &self,
        namespace: Namespace,
        changes: &[(String, Option<Vec<u8>>)],
    ) -> Result<(), StoreError> {
        let mut sealed = Vec::with_capacity(changes.len());
        for (key, value) in changes {
            let value = value.as_deref().map(|value| self.sealed(namespace, key, value));
            sealed.push((key, value.transpose()?));
        }
        self.change(namespace, |connection| {
            let transaction = connection.unchecked_transaction()?;
            for (key, value) in &sealed {
                match value {
                    Some(value) => put(connection, namespace, key, value)?,
                    None => drop(delete(connection, namespace, key)?),
                }
            }
            transaction.commit()
        })
    }

    pub(crate) fn run<T>(
        &self,
        namespace: Namespace,
        verb: &str,
        action: impl Fn(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        self.database(namespace).run(verb, action)
    }

    fn change<T>(
        &self,
        namespace: Namespace,
        action: impl Fn(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        self.database(namespace).change(action)
    }

    fn database(&self, namespace: Namespace) -> &Database {
        if namespace.is_precious() { &self.trust } else { &self.state }
    }

    fn file_error(&self, namespace: Namespace, key: &str, cause: std::io::Error) -> StoreError {
        failed(format!("cannot access `{}`", self.bulk.path(namespace, key).display()), cause)
    }

    /// The bytes as stored in the file: values of precious namespaces are sealed.
    fn sealed<'a>(
        &self,
        namespace: Namespace,
        key: &str,
        value: &'a [u8],
    ) -> Result<Cow<'a, [u8]>, StoreError> {
        if !namespace.is_precious() {
            return Ok(value.into());
        }
        Ok(seal::seal(&self.key()?, namespace, key, value).into())
    }

    fn unsealed(
        &self,
        namespace: Namespace,
        key: &str,
        stored: Vec<u8>,
    ) -> Result<Vec<u8>, StoreError> {
        if !namespace.is_precious() {
            return Ok(stored);
        }
        seal::unseal(&self.key()?, namespace, key, stored)
            .ok_or_else(|| open::invalid_seal(self.trust.path(), key))
    }
}

impl Store for SqliteStore {
    fn read(&self, namespace: Namespace, key: &str) -> Result<Option<Vec<u8>>, StoreError> {
        if namespace.is_bulky() {
            return self
                .bulk
                .read(namespace, key)
                .map_err(|error| self.file_error(namespace, key, error));
        }
        let stored = self.run(namespace, "read", |connection| {
            let mut statement = connection
                .prepare_cached("SELECT value FROM kept WHERE shelf = ?1 AND key = ?2")?;
            statement.query_row(params![namespace.as_str(), key], |row| row.get(0)).optional()
        })?;
        stored.map(|value| self.unsealed(namespace, key, value)).transpose()
    }

    fn write(&self, namespace: Namespace, key: &str, value: &[u8]) -> Result<(), StoreError> {
        if namespace.is_bulky() {
            return self
                .bulk
                .write(namespace, key, value)
                .map_err(|error| self.file_error(namespace, key, error));
        }
        let value = self.sealed(namespace, key, value)?;
        self.change(namespace, |connection| put(connection, namespace, key, &value))
    }

    fn remove(&self, namespace: Namespace, key: &str) -> Result<bool, StoreError> {
        if namespace.is_bulky() {
            return self
                .bulk
                .remove(namespace, key)
                .map_err(|error| self.file_error(namespace, key, error));
        }
        self.change(namespace, |connection| delete(connection, namespace, key))
    }

    fn keys(&self, namespace: Namespace) -> Result<Vec<String>, StoreError> {
        if namespace.is_bulky() {
            return self
                .bulk
                .keys(namespace)
                .map_err(|error| self.file_error(namespace, "", error));
        }
        self.run(namespace, "read", |connection| {
            let mut statement =
                connection.prepare_cached("SELECT key FROM kept WHERE shelf = ?1 ORDER BY key")?;
            statement.query_map(params![namespace.as_str()], |row| row.get(0))?.collect()
        })
    }

    fn swap(
        &self,
        namespace: Namespace,
        key: &str,
        expected: Option<&[u8]>,
        next: Option<&[u8]>,
    ) -> Result<bool, StoreError> {
        if namespace.is_bulky() {
            return self
                .bulk
                .swap(namespace, key, expected, next)
                .map_err(|error| self.file_error(namespace, key, error));
        }
        let sealed =
            |inner: Option<_>| inner.map(|value| self.sealed(namespace, key, value)).transpose();
        let (expected, next) = (sealed(expected)?, sealed(next)?);
        self.change(namespace, |connection| {
            swap(connection, namespace, key, expected.as_deref(), next.as_deref())
        })
    }

    fn revision(&self, namespace: Namespace) -> Option<u64> {
        self.database(namespace).revision()
    }

    fn fingerprint(&self, namespace: Namespace) -> Option<Digest> {
        file::fingerprint(self.database(namespace).path())
    }

    fn lease(&self, name: &str) -> Result<Option<Lease>, StoreError> {
        let path = lease::path(&self.dir, name);
        lease::take(&path)
            .map_err(|cause| failed(format!("cannot take the lease `{}`", path.display()), cause))
    }

    fn is_leased(&self, name: &str) -> Result<bool, StoreError> {
        let path = lease::path(&self.dir, name);
        lease::is_taken(&path)
            .map_err(|cause| failed(format!("cannot check the lease `{}`", path.display()), cause))
    }

    fn key(&self) -> Result<[u8; 32], StoreError> {
        self.secret.key().map_err(|cause| {
            failed(format!("cannot use the key file `{}`", self.secret.path().display()), cause)
        })
    }
}

fn put(
    connection: &Connection,
    namespace: Namespace,
    key: &str,
    value: &[u8],
) -> rusqlite::Result<()> {
    let mut statement = connection.prepare_cached(
        "INSERT INTO kept (shelf, key, value, written) VALUES (?1, ?2, ?3, ?4)
         ON CONFLICT DO UPDATE SET value = excluded.value, written = excluded.written",
    )?;
    statement.execute(params![namespace.as_str(), key, value, now()]).map(drop)
}

/// Returns whether there was a value.
fn delete(connection: &Connection, namespace: Namespace, key: &str) -> rusqlite::Result<bool> {
    let mut statement =
        connection.prepare_cached("DELETE FROM kept WHERE shelf = ?1 AND key = ?2")?;
    Ok(statement.execute(params![namespace.as_str(), key])? > 0)
}

/// Each case is a single statement, so that no other writer can come between the comparison and the
/// change.
fn swap(
    connection: &Connection,
    namespace: Namespace,
    key: &str,
    expected: Option<&[u8]>,
    next: Option<&[u8]>,
) -> rusqlite::Result<bool> {
    let namespace = namespace.as_str();
    let changed = match (expected, next) {
        (None, None) => {
            let mut statement = connection.prepare_cached("SELECT 1 FROM kept WHERE shelf = ?1 AND key = ?2")?;
            return Ok(!statement.exists(params![namespace, key])?);
        }
        (None, Some(next)) => connection
            .prepare_cached(
                "INSERT INTO kept (shelf, key, value, written) VALUES (?1, ?2, ?3, ?4) ON CONFLICT DO NOTHING",
            )?
            .execute(params![namespace, key, next, now()])?,
        (Some(expected), Some(next)) => connection
            .prepare_cached("UPDATE kept SET value = ?4, written = ?5 WHERE shelf = ?1 AND key = ?2 AND value = ?3")?
            .execute(params![namespace, key, expected, next, now()])?,
        (Some(expected), None) => connection
            .prepare_cached("DELETE FROM kept WHERE shelf = ?1 AND key = ?2 AND value = ?3")?
            .execute(params![namespace, key, expected])?,
    };
    Ok(changed > 0)
}

/// Milliseconds since 1970; a clock before that counts as 1970.
fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

fn failed(what: String, cause: impl std::error::Error + Send + Sync + 'static) -> StoreError {
    StoreError { what, cause: Some(Box::new(cause)) }
}
