//! A project with one hostile and one honest server, isolated from the user's own environment.

use super::HostilePrograms;
use super::terms::{MeetingTransport, TimeLimits};
use super::watched::Watched;
use anyhow::{Context, bail};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// The timeout of a command.
const LIMIT: Duration = Duration::from_secs(25);

/// A secret in toolscout's environment that no server may see.
pub(crate) const SECRET: &str = "hush-5c1f0a";
/// A secret that is given to the hostile server only.
pub(crate) const GIVEN: &str = "given-77e0b2";

pub(crate) struct HostileWorld {
    top: TempDir,
    toolscout: PathBuf,
    /// Part of the command line of every server of this world, and of their child processes.
    pub(crate) mark: String,
    /// Connections to it are never accepted, only counted.
    canary: TcpListener,
    /// The hostile server over HTTP, which this world must end.
    web: Option<Child>,
    /// The number of input files so far.
    inputs: AtomicUsize,
}

impl HostileWorld {
    pub(crate) fn new(
        programs: &HostilePrograms,
        server: &[String],
        mode: &str,
        transport: MeetingTransport,
        terms: &TimeLimits,
    ) -> anyhow::Result<Self> {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let top = TempDir::new().context("make a temporary folder")?;
        let canary = TcpListener::bind("127.0.0.1:0").context("listen for the canary")?;
        canary.set_nonblocking(true)?;
        let mark = format!("met-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let (toolscout, inputs) = (programs.toolscout.clone(), AtomicUsize::new(0));
        let mut world = Self { top, toolscout, mark, canary, web: None, inputs };
        for folder in ["home", "project", "config", "inputs"] {
            fs::create_dir(world.path(folder))?;
        }
        let words: Vec<String> = server.iter().cloned().chain(world.words(mode)?).collect();
        let hostile = match transport {
            MeetingTransport::Stdio => {
                entry("hostile", &words, terms) + "env = { GIVEN = \"env:GIVEN\" }\n"
            }
            MeetingTransport::Http => {
                let (url, limits) = (world.serve(&words)?, limits(terms));
                format!("[servers.hostile]\nurl = \"{url}\"\nbearer = \"env:GIVEN\"\n{limits}")
            }
        };
        let log = world.path("honest.log").display().to_string();
        let words = [
            &*programs.hostile.display().to_string(),
            "--log",
            &log,
            "--name",
            &world.mark,
            "--ttl",
            "180",
        ];
        let honest = entry("honest", &words.map(str::to_owned), terms);
        fs::write(world.path("project/toolscout.toml"), format!("{hostile}\n{honest}"))?;
        Ok(world)
    }

    /// Runs a monitored toolscout command in this world.
    pub(crate) fn run(&self, arguments: &[&str]) -> anyhow::Result<Watched> {
        Watched::run(&mut self.command(arguments), LIMIT)
    }

    /// A toolscout command in this world.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.toolscout);
        command.args(arguments).current_dir(self.path("project")).env_clear();
        command
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.path("home"));
        command
            .env("TOOLSCOUT_SANDBOX", "off")
            .env("TOOLSCOUT_STATE_DIR", self.path("state"))
            .env("TOOLSCOUT_CONFIG_DIR", self.path("config"));
        command.env("TOOLSCOUT_TRUST", "1").env("SOME_TOKEN", SECRET).env("GIVEN", GIVEN);
        command
    }

    /// Arguments for `--input`, in a file, because a command line has a length limit.
    pub(crate) fn input(&self, input: &Value) -> anyhow::Result<String> {
        let name = format!("inputs/{}.json", self.inputs.fetch_add(1, Ordering::Relaxed));
        fs::write(self.path(&name), input.to_string())?;
        Ok(format!("@{}", self.path(&name).display()))
    }

    /// How often the hostile server logged this event.
    pub(crate) fn count(&self, event: &str, method: Option<&str>) -> usize {
        self.events(event, method).len()
    }

    /// The logged events of this kind, from all processes of the hostile server; `None` matches any
    /// method.
    pub(crate) fn events(&self, event: &str, method: Option<&str>) -> Vec<Value> {
        let log = fs::read_to_string(self.path("hostile.log")).unwrap_or_default();
        let events = log.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        events
            .filter(|value| {
                value["ev"] == event && method.is_none_or(|method| value["method"] == method)
            })
            .collect()
    }

    /// The number of connections to the canary.
    pub(crate) fn canary_hits(&self) -> usize {
        std::iter::from_fn(|| self.canary.accept().ok()).count()
    }

    /// Every file outside our state, and its content.
    pub(crate) fn files(&self) -> anyhow::Result<BTreeMap<String, Vec<u8>>> {
        ["home", "project", "config"].iter().try_fold(BTreeMap::new(), |mut found, folder| {
            collect(self.top.path(), &self.path(folder), &mut found)?;
            Ok(found)
        })
    }

    /// The files outside our state that have changed since then, and all files that contain a
    /// secret.
    pub(crate) fn strays(&self, before: &BTreeMap<String, Vec<u8>>) -> anyhow::Result<Vec<String>> {
        let now = self.files()?;
        let changed = now
            .iter()
            .filter(|(name, text)| before.get(*name) != Some(*text))
            .map(|(name, _)| name.clone());
        let gone =
            before.keys().filter(|key| !now.contains_key(*key)).map(|key| format!("{key} is gone"));
        let mut state = BTreeMap::new();
        collect(self.top.path(), &self.path("state"), &mut state)?;
        let secret = |text: &[u8]| [SECRET, GIVEN].iter().any(|item| holds(text, item.as_bytes()));
        let leaks = state
            .iter()
            .filter(|(_, text)| secret(text))
            .map(|(name, _)| format!("a secret in {name}"));
        Ok(changed.chain(gone).chain(leaks).collect())
    }

    fn words(&self, mode: &str) -> anyhow::Result<Vec<String>> {
        let shown = |path: &str| self.path(path).display().to_string();
        let canary = format!("http://{}/canary", self.canary.local_addr()?);
        let (log, memory) = (shown("hostile.log"), shown("hostile.state"));
        let target = if mode == "cache_tamper" { shown("state/state.db") } else { shown("home") };
        let pairs = [
            ("--mode", mode),
            ("--name", &self.mark),
            ("--log", &log),
            ("--state", &memory),
            ("--canary", &canary),
            ("--target", &target),
            ("--ttl", "180"),
        ];
        // Slow, but within its time limit.
        let slow = Some(("--delay", "2")).filter(|_| mode == "slow_start");
        Ok(pairs
            .iter()
            .chain(&slow)
            .flat_map(|(name, value)| [(*name).to_owned(), (*value).to_owned()])
            .collect())
    }

    /// Starts the hostile server on a free port, and returns its URL once it accepts connections.
    fn serve(&mut self, words: &[String]) -> anyhow::Result<String> {
        let address = TcpListener::bind("127.0.0.1:0")?.local_addr()?;
        let (program, words) = words.split_first().context("no server command is given")?;
        let mut command = Command::new(program);
        command.args(words).args(["--http", &address.port().to_string()]);
        let child =
            command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        self.web = Some(child.context("start the hostile server")?);
        let end = Instant::now() + Duration::from_secs(10);
        while TcpStream::connect(address).is_err() {
            if Instant::now() > end {
                bail!("no server listens at {address}");
            }
            std::thread::park_timeout(Duration::from_millis(10));
        }
        Ok(format!("http://{address}/mcp"))
    }

    fn path(&self, path: &str) -> PathBuf {
        self.top.path().join(path)
    }

    /// Ends our HTTP server; a process that remains after that is a fault.
    pub(crate) fn end(&mut self) {
        if let Some(mut child) = self.web.take() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

impl Drop for HostileWorld {
    fn drop(&mut self) {
        self.end();
    }
}

fn collect(top: &Path, folder: &Path, found: &mut BTreeMap<String, Vec<u8>>) -> anyhow::Result<()> {
    let Ok(entries) = fs::read_dir(folder) else { return Ok(()) };
    for entry in entries {
        let path = entry?.path();
        if path.is_dir() {
            collect(top, &path, found)?;
        } else {
            let name = path.strip_prefix(top).unwrap_or(&path).display().to_string();
            found.insert(name, fs::read(&path).unwrap_or_default());
        }
    }
    Ok(())
}

fn holds(text: &[u8], part: &[u8]) -> bool {
    text.windows(part.len()).any(|window| window == part)
}

fn entry(id: &str, words: &[String], terms: &TimeLimits) -> String {
    let quoted = |text: &str| toml::Value::from(text).to_string();
    let words: Vec<String> = words.iter().map(|word| quoted(word)).collect();
    let (program, words) =
        (words.first().cloned().unwrap_or_default(), words.get(1..).unwrap_or_default().join(", "));
    format!("[servers.{id}]\ncommand = {program}\nargs = [{words}]\n{}", limits(terms))
}

fn limits(terms: &TimeLimits) -> String {
    let patience = terms.patience.as_millis();
    format!("discovery_timeout_ms = {patience}\ncall_timeout_ms = {patience}\n")
}
