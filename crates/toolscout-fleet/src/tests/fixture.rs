//! A fleet with a database of its own.

use crate::{FleetKey, FleetKeys, FleetRoles, FleetSettings, FleetStore, MAX_CUT_OFF, migrate};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tempfile::TempDir;
use toolscout_store::SqliteStore;
use toolscout_test_support::postgres::PostgresServer;

/// A fleet whose database is ready.
pub(super) struct Fleet {
    pub(super) settings: FleetSettings,
    folder: TempDir,
}

impl Fleet {
    /// None if PostgreSQL is not installed.
    pub(super) fn start() -> Option<Self> {
        Some(Self::on(server()?))
    }

    pub(super) fn on(server: &PostgresServer) -> Self {
        let fleet = Self::unprepared(server.database());
        block_on(migrate(&fleet.settings, &FleetRoles::default())).expect("the tables");
        fleet
    }

    pub(super) fn unprepared(database: String) -> Self {
        let current = FleetKey::generate().expect("a key");
        let keys = FleetKeys { current, other: None };
        let max_cut_off = MAX_CUT_OFF;
        let settings = FleetSettings { database, listen_database: None, keys, max_cut_off };
        Self { settings, folder: tempfile::tempdir().expect("a folder") }
    }

    /// Opens the store of a machine.
    pub(super) fn replica(&self, name: &str) -> FleetStore {
        self.open(name, self.settings.clone()).expect("a store")
    }

    /// The state folder of a machine.
    pub(super) fn folder(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Runs statements in the database, and returns their values.
    pub(super) fn sql(&self, statements: &str) -> String {
        server().expect("the server").sql(self.database(), statements)
    }

    /// The name of the database.
    pub(super) fn database(&self) -> &str {
        let path = self.settings.database.rsplit_once('/').expect("a path").1;
        path.split('?').next().expect("a name")
    }

    pub(super) fn open(
        &self,
        name: &str,
        settings: FleetSettings,
    ) -> Result<FleetStore, crate::FleetError> {
        let folder = self.folder(name);
        let local = Arc::new(SqliteStore::open(&folder).expect("a store"));
        FleetStore::open(local, &folder, settings, name)
    }
}

/// The server of this process; none if PostgreSQL is not installed.
pub(super) fn server() -> Option<&'static PostgresServer> {
    let server = PostgresServer::shared();
    if server.is_none() {
        report_missing();
    }
    server
}

#[expect(clippy::print_stderr, reason = "reports skipped tests")]
pub(super) fn report_missing() {
    let must_run = std::env::var_os("TOOLSCOUT_TESTS").is_some_and(|value| value == "all");
    assert!(!must_run, "PostgreSQL is not installed");
    eprintln!("skipped: needs PostgreSQL");
}

pub(super) fn block_on<T>(work: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.expect("a runtime").block_on(work)
}

/// Waits for a state that another thread brings about.
pub(super) fn wait_until(what: &str, is_true: impl Fn() -> bool) {
    let started = Instant::now();
    while !is_true() {
        assert!(started.elapsed() < Duration::from_secs(20), "not in time: {what}");
        std::thread::yield_now();
    }
}
