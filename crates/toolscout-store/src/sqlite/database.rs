//! One database file and its connection, shared by all threads of this process.

use super::open::{self, Care, OpenedDatabase};
use super::{failed, file};
use parking_lot::Mutex;
use rusqlite::Connection;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use toolscout_core::StoreError;

#[derive(Debug)]
pub(super) struct Database {
    path: PathBuf,
    care: Care,
    current: Mutex<Current>,
    /// Number of times this process opened the file or wrote to it.
    changes: AtomicU64,
}

#[derive(Debug, Default)]
struct Current {
    opened: Option<OpenedDatabase>,
    set_aside: Option<PathBuf>,
}

impl Database {
    /// Opens nothing yet.
    pub(super) fn new(path: PathBuf, care: Care) -> Self {
        Self { path, care, current: Mutex::default(), changes: AtomicU64::new(0) }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Opens the file now instead of on first use.
    pub(super) fn open(&self) -> Result<(), StoreError> {
        self.connection(&mut self.current.lock()).map(drop)
    }

    /// The path that this process moved a damaged file to, if it did.
    pub(super) fn set_aside(&self) -> Option<PathBuf> {
        self.current.lock().set_aside.clone()
    }

    /// Runs the action; if the file turns out to be damaged, settles it and runs the action once
    /// more.
    pub(super) fn run<T>(
        &self,
        verb: &str,
        action: impl Fn(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        let mut current = self.current.lock();
        let result = match action(self.connection(&mut current)?) {
            Err(cause) if open::is_damage(&cause) => {
                let prepared = open::prepare(&self.path, self.care);
                // Close the old connection only now: closing may still write to the file, which has
                // just been copied or moved.
                current.opened = None;
                action(self.set_opened(&mut current, prepared?))
            }
            other => other,
        };
        result.map_err(|cause| match self.care {
            Care::Keep if open::is_damage(&cause) => open::damage_error(&self.path),
            _ => failed(format!("cannot {verb} `{}`", self.path.display()), cause),
        })
    }

    /// Like [`Database::run`], for writes.
    pub(super) fn change<T>(
        &self,
        action: impl Fn(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        let result = self.run("write to", action);
        self.changes.fetch_add(1, Ordering::Relaxed);
        result
    }

    /// Changes whenever this or another process may have written; none if that cannot be detected.
    pub(super) fn revision(&self) -> Option<u64> {
        let mut current = self.current.lock();
        let connection = self.connection(&mut current).ok()?;
        let data_version: u32 =
            connection.pragma_query_value(None, "data_version", |row| row.get(0)).ok()?;
        Some(self.changes.load(Ordering::Relaxed) << 32 | u64::from(data_version))
    }

    /// Reopens the file if it is not the opened one: a user may have moved it away to start over.
    fn connection<'a>(&self, current: &'a mut Current) -> Result<&'a Connection, StoreError> {
        let identity = file::identity(&self.path);
        match current.opened.take().filter(|opened| opened.file == identity) {
            Some(opened) => Ok(&current.opened.insert(opened).connection),
            None => Ok(self.set_opened(current, open::open(&self.path, self.care)?)),
        }
    }

    fn set_opened<'a>(&self, current: &'a mut Current, opened: OpenedDatabase) -> &'a Connection {
        self.changes.fetch_add(1, Ordering::Relaxed);
        if opened.set_aside.is_some() {
            current.set_aside.clone_from(&opened.set_aside);
        }
        &current.opened.insert(opened).connection
    }
}
