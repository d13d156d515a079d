//! The replicas under test: real processes with their own state, one project and one database.

use super::client::ReplicaClient;
use crate::hostile::HostilePrograms;
use crate::tenants::listening;
use anyhow::{Context, ensure};
use parking_lot::Mutex;
use serde_json::json;
use std::fs;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// How long replicas may take to be ready.
const READY: Duration = Duration::from_secs(60);
/// The time between two looks at something that changes.
const LOOK: Duration = Duration::from_millis(5);

/// The variables and files of a fleet.
#[derive(Default)]
pub(super) struct SiteOptions {
    /// The database; without one, it is a single replica without a fleet.
    pub(super) database: Option<String>,
    pub(super) replicas: usize,
    /// The names of more servers, which no replica knows when it starts.
    pub(super) unknown_servers: Vec<String>,
    /// The clock of each replica is this many seconds ahead or behind.
    pub(super) clock_offsets: Vec<i64>,
}

/// Replicas that serve; ended on drop.
pub(super) struct FleetSite {
    replicas: Vec<Replica>,
    pub(super) addresses: Addresses,
    /// A token with the rights of an operator, valid on all replicas.
    pub(super) operator: String,
    dir: TempDir,
}

/// Where each replica listens. A replica that starts again has another address.
#[derive(Clone)]
pub(super) struct Addresses(Arc<Vec<Mutex<SocketAddr>>>);

struct Replica {
    launch: ReplicaLaunch,
    child: Child,
}

/// How a replica is started.
struct ReplicaLaunch {
    toolscout: PathBuf,
    folder: PathBuf,
    project: PathBuf,
    variables: Vec<(String, String)>,
    clock_offset: i64,
}

impl FleetSite {
    /// Prepares the database, and starts all replicas together.
    pub(super) fn open(programs: &HostilePrograms, options: &SiteOptions) -> anyhow::Result<Self> {
        let dir = tempfile::tempdir()?;
        let project = dir.path().join("project");
        fs::create_dir_all(&project)?;
        fs::write(project.join("toolscout.toml"), project_config(programs, &dir, options))?;
        let launches = launches(programs, dir.path(), &project, options)?;
        let first = &launches[0];
        if options.database.is_some() {
            first.run(&["fleet", "migrate"])?;
        }
        first.run(&["server", "refresh", "s"])?;
        let started: Vec<_> = thread::scope(|scope| {
            let starts = launches.iter().map(|launch| scope.spawn(|| launch.start()));
            let starts: Vec<_> = starts.collect();
            starts.into_iter().map(|start| start.join().expect("no panic")).collect()
        });
        let mut replicas = Vec::new();
        let mut addresses = Vec::new();
        for (launch, started) in launches.into_iter().zip(started) {
            let (child, addr) = started?;
            replicas.push(Replica { launch, child });
            addresses.push(Mutex::new(addr));
        }
        let addresses = Addresses(Arc::new(addresses));
        let mut site = Self { replicas, addresses, operator: String::new(), dir };
        site.operator = site.create_operator()?;
        for replica in 0..site.len() {
            site.wait_until_ready(replica)?;
        }
        Ok(site)
    }

    pub(super) fn len(&self) -> usize {
        self.replicas.len()
    }

    /// The folder of the fleet, for files of a demand.
    pub(super) fn folder(&self) -> &Path {
        self.dir.path()
    }

    /// The log of the tool server.
    pub(super) fn server_log(&self) -> PathBuf {
        self.dir.path().join("server.log")
    }

    /// The name of a replica in the audit log.
    pub(super) fn name(replica: usize) -> String {
        format!("replica-{replica}")
    }

    /// The process of a replica.
    pub(super) fn process(&self, replica: usize) -> u32 {
        self.replicas[replica].child.id()
    }

    /// A connection to a replica, as an operator.
    pub(super) fn client(&self, replica: usize) -> anyhow::Result<ReplicaClient> {
        Ok(ReplicaClient::connect(self.addresses.of(replica), &self.operator)?)
    }

    /// Ends a replica as a crash does.
    pub(super) fn kill(&mut self, replica: usize) -> anyhow::Result<()> {
        let child = &mut self.replicas[replica].child;
        child.kill()?;
        child.wait()?;
        Ok(())
    }

    /// Starts a replica again with its earlier state.
    pub(super) fn restart(&mut self, replica: usize) -> anyhow::Result<()> {
        let (child, addr) = self.replicas[replica].launch.start()?;
        self.replicas[replica].child = child;
        *self.addresses.0[replica].lock() = addr;
        Ok(())
    }

    /// Runs a command on the machine of a replica, and returns its output.
    pub(super) fn run(&self, replica: usize, words: &[&str]) -> anyhow::Result<String> {
        self.replicas[replica].launch.run(words)
    }

    /// Waits until a replica serves with the database, and accepts the token of all replicas.
    pub(super) fn wait_until_ready(&self, replica: usize) -> anyhow::Result<()> {
        wait_until(READY, &format!("{} is ready", Self::name(replica)), || {
            let Ok(mut client) = self.client(replica) else { return false };
            let is_ready = client
                .api("GET", "/api/ready", None)
                .is_ok_and(|answer| answer.body["status"] == "ready");
            is_ready && client.api("GET", "/api/me", None).is_ok_and(|answer| answer.status == 200)
        })
    }

    /// Creates the token of all replicas, with that of the first one.
    fn create_operator(&self) -> anyhow::Result<String> {
        let file = self.replicas[0].launch.folder.join("state/operator.token");
        let own = fs::read_to_string(&file).with_context(|| file.display().to_string())?;
        let mut client = ReplicaClient::connect(self.addresses.of(0), own.trim())?;
        let body = json!({"name": "campaign", "role": "operator"});
        let answer = client.api("POST", "/api/tokens", Some(&body))?;
        let value = answer.body["value"].as_str();
        Ok(value.with_context(|| format!("no token: {answer:?}"))?.to_owned())
    }
}

impl Drop for FleetSite {
    fn drop(&mut self) {
        for replica in &mut self.replicas {
            let _ = replica.child.kill();
            let _ = replica.child.wait();
        }
    }
}

impl Addresses {
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    pub(super) fn of(&self, replica: usize) -> SocketAddr {
        *self.0[replica].lock()
    }
}

impl ReplicaLaunch {
    fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(&self.toolscout);
        command.args(words).current_dir(&self.project).env_clear().stdin(Stdio::null());
        if let (true, Some(library)) = (self.clock_offset != 0, clock_library()) {
            // The library of `faketime`, without the program, which would be another process.
            command
                .env("LD_PRELOAD", library)
                .env("FAKETIME", format!("{:+}s", self.clock_offset))
                .env("FAKETIME_DONT_FAKE_MONOTONIC", "1")
                .env("DONT_FAKE_MONOTONIC", "1");
        }
        command
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("TOOLSCOUT_TRUST", "1")
            .env("TOOLSCOUT_SANDBOX", "off")
            .env("HOME", self.folder.join("home"))
            .env("TOOLSCOUT_STATE_DIR", self.folder.join("state"))
            .env("TOOLSCOUT_CONFIG_DIR", self.folder.join("config"))
            .envs(self.variables.iter().map(|(name, value)| (name, value)));
        command
    }

    fn run(&self, words: &[&str]) -> anyhow::Result<String> {
        let output = self.command(words).output()?;
        let stderr = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "`{}`: {stderr}", words.join(" "));
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }

    fn start(&self) -> anyhow::Result<(Child, SocketAddr)> {
        let mut command = self.command(&["serve", "--http", "127.0.0.1:0"]);
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn()?;
        match listening(&mut child) {
            Ok(addr) => Ok((child, addr)),
            Err(error) => {
                let _ = child.kill();
                let _ = child.wait();
                Err(error)
            }
        }
    }
}

/// The library that shifts the clock of a program with threads; none if it is not installed.
pub(super) fn clock_library() -> Option<PathBuf> {
    let folders = fs::read_dir("/usr/lib").ok()?.flatten();
    let mut libraries = folders.map(|folder| folder.path().join("faketime/libfaketimeMT.so.1"));
    libraries.find(|library| library.is_file())
}

/// Waits until a condition holds.
pub(super) fn wait_until(
    limit: Duration,
    what: &str,
    mut holds: impl FnMut() -> bool,
) -> anyhow::Result<()> {
    let started = Instant::now();
    while !holds() {
        ensure!(started.elapsed() < limit, "{what}: not after {limit:?}");
        thread::park_timeout(LOOK);
    }
    Ok(())
}

/// Lets this much time pass.
pub(super) fn pause(time: Duration) {
    let end = Instant::now() + time;
    while let Some(left) = end.checked_duration_since(Instant::now()) {
        thread::park_timeout(left);
    }
}

fn launches(
    programs: &HostilePrograms,
    dir: &Path,
    project: &Path,
    options: &SiteOptions,
) -> anyhow::Result<Vec<ReplicaLaunch>> {
    let key = match &options.database {
        Some(_) => {
            let mut command = Command::new(&programs.toolscout);
            command.args(["fleet", "key"]).current_dir(project).env_clear().env("HOME", dir);
            command.output()?.stdout
        }
        None => Vec::new(),
    };
    let key = String::from_utf8(key)?.trim().to_owned();
    let launch = |number: usize| {
        let folder = dir.join(FleetSite::name(number));
        fs::create_dir_all(folder.join("config"))?;
        let mut variables = Vec::new();
        if let Some(database) = &options.database {
            let config = "[fleet]\ndatabase = \"env:TOOLSCOUT_DATABASE_URL\"\n\
                key = \"env:TOOLSCOUT_FLEET_KEY\"\nproject = \"shop\"\nlisten = \"127.0.0.1:0\"\n";
            fs::write(folder.join("config/config.toml"), config)?;
            variables = [
                ("TOOLSCOUT_DATABASE_URL", database.clone()),
                ("TOOLSCOUT_FLEET_KEY", key.clone()),
                ("TOOLSCOUT_REPLICA_NAME", FleetSite::name(number)),
            ]
            .map(|(name, value)| (name.to_owned(), value))
            .to_vec();
        }
        anyhow::Ok(ReplicaLaunch {
            toolscout: programs.toolscout.clone(),
            folder,
            project: project.to_owned(),
            variables,
            clock_offset: options.clock_offsets.get(number).copied().unwrap_or_default(),
        })
    };
    (0..options.replicas.max(1)).map(launch).collect()
}

/// A server whose log has every call, with a tool that needs approval, and servers that no replica
/// knows. Each of those records its starts.
fn project_config(programs: &HostilePrograms, dir: &TempDir, options: &SiteOptions) -> String {
    let log = dir.path().join("server.log");
    let args = json!(["--name", "s", "--era", "legacy", "--ttl", "86400", "--log", log]);
    let hostile = json!(programs.hostile);
    let mut config =
        format!("[servers.s]\ncommand = {hostile}\nargs = {args}\ntools = {{ add = \"ask\" }}\n");
    let script = "echo \"$0\" >> \"$1\"; shift; exec \"$@\"";
    let starts = dir.path().join("starts.log");
    for name in &options.unknown_servers {
        let args = json!(["-c", script, name, starts, programs.hostile, "--name", name]);
        config += &format!("[servers.{name}]\ncommand = \"sh\"\nargs = {args}\n");
    }
    config
}
