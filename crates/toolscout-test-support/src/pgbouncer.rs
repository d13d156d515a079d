//! PgBouncer in transaction mode, in front of a PostgreSQL server of a test.

use crate::postgres::{PostgresServer, free_port, unprivileged_user_if_root};
use std::fs;
use std::net::TcpStream;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// How long it may take to start.
const START_LIMIT: Duration = Duration::from_secs(20);

/// A pooler that gives a connection of the server away for each transaction. It ends when it is
/// dropped.
pub struct PgBouncer {
    port: u16,
    child: Child,
    _folder: TempDir,
}

impl PgBouncer {
    /// Starts a pooler for all databases of this server; none if PgBouncer is not installed.
    pub fn start(server: &PostgresServer) -> Option<Self> {
        let program = program()?;
        let folder = tempfile::Builder::new().prefix("toolscout-pgb").tempdir().expect("a folder");
        let (port, path) = (free_port(), folder.path().display());
        let settings = format!(
            "[databases]\n* = host=127.0.0.1 port={} user=owner\n\
             [pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = {port}\nunix_socket_dir =\n\
             auth_type = any\npool_mode = transaction\ndefault_pool_size = 10\n\
             max_client_conn = 300\nlogfile = {path}/log\npidfile = {path}/pid\n\
             ignore_startup_parameters = extra_float_digits\n",
            server.port()
        );
        let file = folder.path().join("pgbouncer.ini");
        fs::write(&file, settings).expect("write the settings");
        let mut command = Command::new(program);
        command.arg("-q").arg(&file).current_dir(folder.path());
        // PgBouncer refuses to run as root, too.
        if let Some(user) = unprivileged_user_if_root() {
            std::os::unix::fs::chown(folder.path(), Some(user), None).expect("change the owner");
            command.uid(user);
        }
        let nothing = (Stdio::null(), Stdio::null(), Stdio::null());
        let child = command.stdin(nothing.0).stdout(nothing.1).stderr(nothing.2).spawn();
        let pooler = Self { port, child: child.expect("start pgbouncer"), _folder: folder };
        pooler.wait_until_ready();
        Some(pooler)
    }

    /// The URL of a database through the pooler.
    pub fn url(&self, name: &str) -> String {
        format!("postgres://owner@127.0.0.1:{}/{name}?sslmode=disable", self.port)
    }

    fn wait_until_ready(&self) {
        let started = Instant::now();
        while TcpStream::connect(("127.0.0.1", self.port)).is_err() {
            assert!(started.elapsed() < START_LIMIT, "PgBouncer does not start");
            std::thread::yield_now();
        }
    }
}

impl Drop for PgBouncer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn program() -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    // Debian installs it in a folder that is not in the PATH of users.
    let folders = std::env::split_paths(&path).chain([PathBuf::from("/usr/sbin")]);
    folders.map(|folder| folder.join("pgbouncer")).find(|program| program.is_file())
}
