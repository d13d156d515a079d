//! A PostgreSQL server for tests: one for each test process, and a database for each test.

use std::fs;
use std::io::Write;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// How long the server may take to start.
const START_LIMIT: Duration = Duration::from_secs(60);

/// A server that listens on a socket of its own folder and on a port of loopback. It ends with
/// the process that started it, however that ends.
pub struct PostgresServer {
    folder: TempDir,
    programs: PathBuf,
    user: Option<u32>,
    port: u16,
    /// The server ends when the input of its shell is closed.
    shell: Option<Child>,
}

impl PostgresServer {
    /// Starts a server of its own; none if PostgreSQL is not installed.
    pub fn start() -> Option<Self> {
        let programs = programs()?;
        let folder = tempfile::Builder::new().prefix("toolscout-pg").tempdir().expect("a folder");
        // PostgreSQL refuses to run as root.
        let user = unprivileged_user_if_root();
        if let Some(user) = user {
            std::os::unix::fs::chown(folder.path(), Some(user), None).expect("change the owner");
        }
        let mut server = Self { folder, programs, user, port: free_port(), shell: None };
        let data = server.data();
        let made = server
            .command("initdb")
            .args(["--auth=trust", "--username=owner", "--no-sync", "--encoding=UTF8"])
            .args(["--locale=C", "--pgdata"])
            .arg(&data)
            .output()
            .expect("start initdb");
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        server.resume();
        Some(server)
    }

    /// The server that all tests of this process share; none if PostgreSQL is not installed.
    pub fn shared() -> Option<&'static Self> {
        static SERVER: OnceLock<Option<PostgresServer>> = OnceLock::new();
        SERVER.get_or_init(Self::start).as_ref()
    }

    /// The URL of a new, empty database.
    pub fn database(&self) -> String {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let name = format!("test{}", COUNT.fetch_add(1, Ordering::Relaxed));
        self.sql("postgres", &format!("CREATE DATABASE {name}"));
        self.url(&name)
    }

    /// The URL of a database.
    pub fn url(&self, name: &str) -> String {
        self.url_as("owner", name)
    }

    /// The URL of a database, for another user.
    pub fn url_as(&self, user: &str, name: &str) -> String {
        format!("postgres://{user}@127.0.0.1:{}/{name}?sslmode=disable", self.port)
    }

    /// The port on loopback.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Runs statements as the owner, and returns what psql prints: values only.
    pub fn sql(&self, database: &str, statements: &str) -> String {
        let output = self.psql("owner", database, statements);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    }

    /// Runs statements as another user; returns what psql prints, or its error.
    pub fn sql_as(&self, user: &str, database: &str, statements: &str) -> Result<String, String> {
        let output = self.psql(user, database, statements);
        let printed = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
        if output.status.success() {
            Ok(printed(&output.stdout))
        } else {
            Err(printed(&output.stderr))
        }
    }

    fn psql(&self, user: &str, database: &str, statements: &str) -> Output {
        self.command("psql")
            .args(["--no-psqlrc", "--quiet", "--tuples-only", "--no-align"])
            .args(["--set=ON_ERROR_STOP=1", "--host=127.0.0.1", "--username", user])
            .arg(format!("--port={}", self.port))
            .args(["--dbname", database, "--command", statements])
            .output()
            .expect("start psql")
    }

    /// Ends the server at once, as a crash does.
    pub fn kill(&mut self) {
        self.end_by("-KILL");
    }

    /// Stops the server without a checkpoint: `pg_ctl stop -m immediate`.
    pub fn stop_immediately(&mut self) {
        self.end_by("-QUIT");
    }

    fn end_by(&mut self, name: &str) {
        if let Some(mut shell) = self.shell.take() {
            fs::write(self.kept(), "").expect("a mark");
            let processes = self.processes();
            signal(name, &processes[..1]);
            shell.wait().expect("the shell ends");
            // Its children end by themselves; until then, it does not start again.
            let runs = |id: &String| id.parse().ok().and_then(crate::group_of).is_some();
            while processes.iter().any(runs) {
                std::thread::yield_now();
            }
        }
    }

    /// Stops all processes of the server, without an answer to anyone, until the returned value is
    /// dropped.
    pub fn pause(&self) -> PausedServer {
        let all = self.processes();
        signal("-STOP", &all);
        PausedServer(all)
    }

    /// The process of the server, then those that it has started.
    fn processes(&self) -> Vec<String> {
        let server = self.pid();
        let children = format!("/proc/{server}/task/{server}/children");
        let children = fs::read_to_string(children).expect("the processes of the server");
        let children = children.split_whitespace().map(str::to_owned);
        std::iter::once(server).chain(children).collect()
    }

    /// Exists while the server is killed, so that its folder stays for a restart.
    fn kept(&self) -> PathBuf {
        self.folder.path().join("kept")
    }

    fn pid(&self) -> String {
        let file = self.data().join("postmaster.pid");
        let text = fs::read_to_string(file).expect("the file of the server");
        text.lines().next().expect("a process id").to_owned()
    }

    /// Starts the server again, and waits until it accepts connections.
    pub fn resume(&mut self) {
        let _ = fs::remove_file(self.kept());
        let data = self.data();
        let mut shell = self.command("postgres");
        let program = shell.get_program().to_owned();
        let mut shell = {
            shell = Command::new("sh");
            self.confine(&mut shell);
            // A closed input means that the process that started it is gone, and its folder with
            // it: a server that all tests of a process share is never dropped.
            let script = "\"$0\" \"$@\" </dev/null & server=$!; exec 3<&0; \
                (read -r _ <&3; kill -QUIT $server) & reader=$!; wait $server; kill $reader; \
                [ -e \"$FOLDER/kept\" ] || rm -rf \"$FOLDER\"";
            shell.env("FOLDER", self.folder.path());
            shell.arg("-c").arg(script).arg(program);
            shell
        };
        shell.arg("-D").arg(&data).args(["-c", "listen_addresses=127.0.0.1"]);
        shell.arg("-c").arg(format!("port={}", self.port));
        shell.arg("-c").arg(format!("unix_socket_directories={}", self.folder.path().display()));
        shell.args(["-c", "max_connections=300", "-c", "shared_buffers=32MB"]);
        let log = fs::File::create(self.folder.path().join("log")).expect("a log file");
        let errors = log.try_clone().expect("the log file");
        let child = shell.stdin(Stdio::piped()).stdout(log).stderr(errors).spawn();
        self.shell = Some(child.expect("start postgres"));
        self.wait_until_ready();
    }

    fn wait_until_ready(&self) {
        let started = Instant::now();
        loop {
            let ready = self
                .command("pg_isready")
                .args(["--quiet", "--host=127.0.0.1", "--username=owner", "--dbname=postgres"])
                .arg(format!("--port={}", self.port))
                .status();
            if ready.expect("start pg_isready").success() {
                return;
            }
            let log = fs::read_to_string(self.folder.path().join("log")).unwrap_or_default();
            assert!(started.elapsed() < START_LIMIT, "the server does not start: {log}");
            std::thread::yield_now();
        }
    }

    fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(self.programs.join(program));
        self.confine(&mut command);
        command
    }

    fn confine(&self, command: &mut Command) {
        command.current_dir(self.folder.path()).env("LC_ALL", "C");
        if let Some(user) = self.user {
            command.uid(user);
        }
    }
}

impl Drop for PostgresServer {
    fn drop(&mut self) {
        if let Some(mut shell) = self.shell.take() {
            if let Some(mut input) = shell.stdin.take() {
                let _ = input.write_all(b"\n");
            }
            let _ = shell.wait();
        }
    }
}

/// A server that answers again when this is dropped.
pub struct PausedServer(Vec<String>);

impl Drop for PausedServer {
    fn drop(&mut self) {
        signal("-CONT", &self.0);
    }
}

fn signal(name: &str, processes: &[String]) {
    let sent = Command::new("kill").arg(name).args(processes).status();
    assert!(sent.expect("start kill").success(), "the server runs");
}

/// The folder of the latest installed version.
fn programs() -> Option<PathBuf> {
    let versions = fs::read_dir("/usr/lib/postgresql").ok()?.flatten();
    let mut versions: Vec<_> = versions.map(|entry| entry.path().join("bin")).collect();
    versions.sort();
    let mut found = versions.into_iter().rev().chain(path_folders());
    found.find(|folder| folder.join("initdb").is_file() && folder.join("psql").is_file())
}

fn path_folders() -> impl Iterator<Item = PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).collect::<Vec<_>>().into_iter()
}

fn runs_as_root() -> bool {
    let id = Command::new("id").arg("-u").output().expect("start id");
    id.stdout.trim_ascii() == b"0"
}

/// The user of servers that refuse to run as root; none if this process is not root.
pub(crate) fn unprivileged_user_if_root() -> Option<u32> {
    runs_as_root().then(unprivileged_user).flatten()
}

/// The user id of `postgres`, or else of `nobody`.
fn unprivileged_user() -> Option<u32> {
    let users = fs::read_to_string(Path::new("/etc/passwd")).ok()?;
    let id = |name: &str| {
        let line = users.lines().find(|line| line.starts_with(&format!("{name}:")))?;
        line.split(':').nth(2)?.parse().ok()
    };
    id("postgres").or_else(|| id("nobody"))
}

pub(crate) fn free_port() -> u16 {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    listener.local_addr().expect("its address").port()
}
