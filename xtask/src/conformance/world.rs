//! A project with one server, served transparently on loopback.

use super::programs::ConformancePrograms;
use super::suite::Suite;
use anyhow::{Context, bail};
use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;
use tempfile::TempDir;

/// The timeout for startup.
const LIMIT: Duration = Duration::from_secs(20);

/// The server behind toolscout.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Upstream {
    /// Our own reference server, in the modern era, over stdio.
    Modern,
    /// Our own reference server, in the legacy era, over HTTP.
    Legacy,
    /// A server of both eras that uses an official SDK, over HTTP.
    Dual,
}

impl Upstream {
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Modern => "modern",
            Self::Legacy => "legacy",
            Self::Dual => "dual",
        }
    }
}

pub(super) struct ConformanceWorld {
    pub(super) url: String,
    /// The address of the server behind toolscout, if the scenarios are also run directly.
    pub(super) compared_url: Option<String>,
    /// Child processes, ended on drop.
    children: Vec<Child>,
    top: TempDir,
}

impl ConformanceWorld {
    /// Discovers the server, and serves it.
    pub(super) fn serve(
        suite: &Suite,
        programs: &ConformancePrograms,
        upstream: Upstream,
    ) -> anyhow::Result<Self> {
        let top = TempDir::new().context("make a temporary folder")?;
        let mut world = Self { url: String::new(), compared_url: None, children: Vec::new(), top };
        for folder in ["project", "config", "config/toolscout"] {
            fs::create_dir(world.top.path().join(folder))?;
        }
        let entry = match upstream {
            Upstream::Modern => {
                let words = words(upstream).map(|word| format!("{word:?}")).join(", ");
                format!(
                    "command = {:?}\nargs = [{words}]\n",
                    programs.reference.display().to_string()
                )
            }
            Upstream::Legacy => {
                format!("url = \"http://{}/mcp\"\n", world.start_reference(programs, upstream)?)
            }
            Upstream::Dual => {
                let command = suite.dual_server.command(&suite.node);
                let url = world.start(command, "dual-era", is_endpoint)?;
                world.compared_url = Some(url.clone());
                format!("url = {url:?}\n")
            }
        };
        let config = format!("[servers.reference]\n{entry}");
        fs::write(world.top.path().join("config/toolscout/config.toml"), config)?;
        let refreshed = world.toolscout(programs).args(["server", "refresh"]).output()?;
        if !refreshed.status.success() {
            bail!("the server was not discovered: {}", String::from_utf8_lossy(&refreshed.stderr));
        }
        let mut serve = world.toolscout(programs);
        serve.args([
            "serve",
            "--http",
            "127.0.0.1:0",
            "--auth",
            "none",
            "--transparent",
            "reference",
        ]);
        world.url = world.start(serve, "toolscout", is_endpoint)?;
        Ok(world)
    }

    /// Starts the reference server over HTTP: there, a request of a legacy server belongs to the
    /// call on whose stream it arrives. On a pipe it could not be attributed once the suite leaves
    /// a call unfinished.
    fn start_reference(
        &mut self,
        programs: &ConformancePrograms,
        upstream: Upstream,
    ) -> anyhow::Result<String> {
        let mut command = Command::new(&programs.reference);
        command.args(words(upstream)).args(["--http", "0"]);
        self.start(command, "reference", |value| value.starts_with("127.0.0.1:"))
    }

    /// Starts the program, and waits until it prints its address.
    fn start(
        &mut self,
        mut command: Command,
        name: &str,
        is_it: fn(&str) -> bool,
    ) -> anyhow::Result<String> {
        let (said, says) = std::io::pipe()?;
        let child = command.stdin(Stdio::null()).stdout(says.try_clone()?).stderr(says).spawn();
        self.children.push(child.with_context(|| format!("start {name}"))?);
        // The command also holds the write end of the pipe.
        drop(command);
        let (sender, lines) = mpsc::channel();
        // Reads to the end, so that the program never blocks on its output.
        thread::spawn(move || {
            BufReader::new(said)
                .lines()
                .map_while(Result::ok)
                .for_each(|line| drop(sender.send(line)))
        });
        let mut heard = String::new();
        while let Ok(line) = lines.recv_timeout(LIMIT) {
            if let Some(address) = line.split_whitespace().find(|word| is_it(word)) {
                return Ok(address.to_owned());
            }
            heard += &line;
        }
        bail!("{name} did not say where it listens: {heard}");
    }

    /// A toolscout command, isolated from the user's own environment.
    fn toolscout(&self, programs: &ConformancePrograms) -> Command {
        let top = self.top.path();
        let mut command = Command::new(&programs.toolscout);
        command.current_dir(top.join("project")).stdin(Stdio::null()).env("HOME", top);
        for (name, folder) in
            [("CONFIG", "config"), ("DATA", "data"), ("STATE", "state"), ("CACHE", "cache")]
        {
            command.env(format!("XDG_{name}_HOME"), top.join(folder));
        }
        for (name, _) in
            std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("TOOLSCOUT_"))
        {
            command.env_remove(name);
        }
        command
    }
}

fn is_endpoint(word: &str) -> bool {
    word.starts_with("http://") && word.ends_with("/mcp")
}

/// The arguments of the reference server; its lists are valid for a minute.
fn words(upstream: Upstream) -> [&'static str; 5] {
    ["--reference", "--era", upstream.word(), "--ttl-ms", "60000"]
}

impl Drop for ConformanceWorld {
    fn drop(&mut self) {
        for child in self.children.iter_mut().rev() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}
