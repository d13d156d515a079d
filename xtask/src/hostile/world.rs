//! A project with one hostile and one honest server, and nothing of the person who runs this.

use super::Programs;
use super::meeting::Transport;
use super::watched::Watched;
use anyhow::Context;
use serde_json::Value;
use std::fs;
use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tempfile::TempDir;

/// What a server may take before toolscout gives up; half of what a command may take before we do.
const PATIENCE_MS: u64 = 4_000;
const LIMIT: Duration = Duration::from_secs(20);

/// In toolscout's environment, and nobody else's business.
pub(crate) const SECRET: &str = "hush-5c1f0a";

pub(crate) struct World {
    top: TempDir,
    toolscout: PathBuf,
    /// In the command line of every hostile process of this world, and of no other.
    pub(crate) mark: String,
    /// Connections here are never accepted, only counted.
    canary: TcpListener,
    /// The hostile server, where it is reached over HTTP and so ours to end.
    web: Option<Child>,
}

impl World {
    pub(crate) fn new(programs: &Programs, mode: &str, transport: Transport) -> anyhow::Result<Self> {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let top = TempDir::new().context("make a temporary folder")?;
        let canary = TcpListener::bind("127.0.0.1:0").context("listen for the canary")?;
        canary.set_nonblocking(true)?;
        let mark = format!("met-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let mut world = Self { top, toolscout: programs.toolscout.clone(), mark, canary, web: None };
        for folder in ["home", "project", "config"] {
            fs::create_dir(world.path(folder))?;
        }
        let words = world.words(mode)?;
        let hostile = match transport {
            Transport::Stdio => entry("hostile", &programs.hostile, &words),
            Transport::Http => format!("[servers.hostile]\nurl = \"{}\"\n{}", world.serve(programs, &words)?, limits()),
        };
        let log = world.path("honest.log").display().to_string();
        let honest =
            entry("honest", &programs.hostile, &["--log".to_owned(), log, "--name".to_owned(), "honest".to_owned()]);
        fs::write(world.path("project/toolscout.toml"), format!("{hostile}\n{honest}"))?;
        Ok(world)
    }

    /// toolscout in this world, under watch.
    pub(crate) fn run(&self, arguments: &[&str]) -> anyhow::Result<Watched> {
        let mut command = Command::new(&self.toolscout);
        command.args(arguments).current_dir(self.path("project")).env_clear();
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default()).env("HOME", self.path("home"));
        command.env("TOOLSCOUT_STATE_DIR", self.path("state")).env("TOOLSCOUT_CONFIG_DIR", self.path("config"));
        command.env("TOOLSCOUT_TRUST", "1").env("SOME_TOKEN", SECRET);
        Watched::run(&mut command, LIMIT)
    }

    /// How often the hostile server logged this event; `None` is any method.
    pub(crate) fn count(&self, event: &str, method: Option<&str>) -> usize {
        let log = fs::read_to_string(self.path("hostile.log")).unwrap_or_default();
        let events = log.lines().filter_map(|it| serde_json::from_str::<Value>(it).ok());
        events.filter(|it| it["ev"] == event && method.is_none_or(|method| it["method"] == method)).count()
    }

    /// How many connections came where none should.
    pub(crate) fn canary_hits(&self) -> usize {
        std::iter::from_fn(|| self.canary.accept().ok()).count()
    }

    fn words(&self, mode: &str) -> anyhow::Result<Vec<String>> {
        let shown = |path: &str| self.path(path).display().to_string();
        let canary = format!("http://{}/canary", self.canary.local_addr()?);
        let (log, state) = (shown("hostile.log"), shown("hostile.state"));
        let target = if mode == "cache_tamper" { shown("state/state.db") } else { shown("home") };
        let pairs = [
            ("--mode", mode),
            ("--name", &self.mark),
            ("--log", &log),
            ("--state", &state),
            ("--canary", &canary),
            ("--target", &target),
            ("--ttl", "120"),
        ];
        Ok(pairs.iter().flat_map(|(name, value)| [(*name).to_owned(), (*value).to_owned()]).collect())
    }

    /// Starts the hostile server on a free port, and gives its address.
    fn serve(&mut self, programs: &Programs, words: &[String]) -> anyhow::Result<String> {
        let mut command = Command::new(&programs.hostile);
        command.args(words).args(["--http", "0"]).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let child = self.web.insert(command.spawn().context("start the hostile server")?);
        let mut line = String::new();
        BufReader::new(child.stdout.take().context("its output")?).read_line(&mut line)?;
        let address = line.trim().strip_prefix("listening ").with_context(|| format!("no address in `{line}`"))?;
        Ok(format!("http://{address}/mcp"))
    }

    fn path(&self, path: &str) -> PathBuf {
        self.top.path().join(path)
    }

    /// Ends the server that is ours to end; what is left of it after that is somebody's fault.
    pub(crate) fn end(&mut self) {
        if let Some(mut child) = self.web.take() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

impl Drop for World {
    fn drop(&mut self) {
        self.end();
    }
}

fn entry(id: &str, program: &Path, words: &[String]) -> String {
    let quoted = |it: &str| toml::Value::from(it).to_string();
    let words: Vec<String> = words.iter().map(|it| quoted(it)).collect();
    let program = quoted(&program.display().to_string());
    format!("[servers.{id}]\ncommand = {program}\nargs = [{}]\n{}", words.join(", "), limits())
}

fn limits() -> String {
    format!("discovery_timeout_ms = {PATIENCE_MS}\ncall_timeout_ms = {PATIENCE_MS}\n")
}
