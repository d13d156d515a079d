//! A project with many servers, each honest or hanging.

use super::BenchmarkPlan;
use super::world::BenchmarkWorld;
use anyhow::{Context, ensure};
use serde_json::Value;
use std::fs::{self, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

/// The discovery timeout in toolscout's configuration, in milliseconds.
const PATIENCE_MS: u64 = 3_000;

/// Filler tools of an honest server, besides its six own tools.
const TOOLS: usize = 20;
/// Filler tools of a large server: a hundred tools in all.
const LARGE: usize = 94;

/// The behaviour of a server.
#[derive(Clone, Copy)]
pub(super) enum ServerBehaviour {
    /// Responds immediately.
    Honest,
    /// The same, with a hundred tools.
    Large,
    /// The same, with this many filler tools beside the usual six. No two have the same text.
    Filled(usize),
    /// Like `Honest`, as fast as possible, so that the server is not what is measured.
    Quick,
    /// Takes this many seconds to start.
    Slow(f64),
    /// Never responds, in this mode.
    Hung(&'static str),
}

/// The modes of servers that hang: before, in and after the handshake, byte by byte, and burning a
/// core.
pub(super) const HANGING: [&str; 5] =
    ["hang_start", "hang_initialize", "hang_list", "drip_list", "cpu_spin"];

pub(super) struct ServerCrowd {
    world: BenchmarkWorld,
    log: PathBuf,
    healthy: Vec<String>,
}

impl ServerCrowd {
    /// Creates servers named `s000`, `s001` …, in this order.
    pub(super) fn new(bench: &BenchmarkPlan, kinds: &[ServerBehaviour]) -> anyhow::Result<Self> {
        let world = BenchmarkWorld::new(&bench.programs.toolscout, 0)?;
        let log = world.project().join("started.log");
        let mut config =
            OpenOptions::new().append(true).open(world.project().join("toolscout.toml"))?;
        let mut healthy = Vec::new();
        for (number, kind) in kinds.iter().enumerate() {
            let id = format!("s{number:03}");
            let mut words = ["--name", &id].map(str::to_owned).to_vec();
            // Logging every message would slow the server down.
            if !matches!(kind, ServerBehaviour::Quick) {
                words.extend(["--log".to_owned(), log.display().to_string()]);
            }
            let words: Vec<String> = words.into_iter().chain(kind.words()).collect();
            let (program, words) = (
                toml::Value::from(bench.programs.server.display().to_string()),
                toml::Value::from(words),
            );
            writeln!(
                config,
                "\n[servers.{id}]\ncommand = {program}\nargs = {words}\ndiscovery_timeout_ms = {PATIENCE_MS}"
            )?;
            if !matches!(kind, ServerBehaviour::Hung(_)) {
                healthy.push(id);
            }
        }
        Ok(Self { world, log, healthy })
    }

    pub(super) fn world(&self) -> &BenchmarkWorld {
        &self.world
    }

    /// Refreshes all servers, and returns the time until the last healthy one had responded.
    pub(super) fn refresh(&self) -> anyhow::Result<Duration> {
        let mut refreshing = self.start_refresh()?;
        let mut left = self.healthy.clone();
        let mut last = Duration::ZERO;
        for line in BufReader::new(refreshing.child.stdout.take().context("its output")?).lines() {
            let line = line?;
            let id = line.split(':').next().unwrap_or_default();
            if let Some(place) = left.iter().position(|item| item == id) {
                ensure!(!line.contains("failed"), "an honest server was not understood: {line}");
                left.swap_remove(place);
                last = refreshing.since.elapsed();
            }
        }
        ensure!(left.is_empty(), "`server refresh` printed no result for {}", left.join(", "));
        Ok(last)
    }

    /// Starts a refresh of all servers, without waiting.
    pub(super) fn start_refresh(&self) -> anyhow::Result<Refreshing> {
        let mut command = self.world.toolscout(&["server", "refresh"]);
        let since = Instant::now();
        let child = command
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .context("start a refresh")?;
        Ok(Refreshing { child, since })
    }

    /// Fails unless the tools of every honest server are listed.
    pub(super) fn expect_all(&self) -> anyhow::Result<()> {
        let output = self.world.toolscout(&["tools", "--json"]).stdout(Stdio::piped()).output()?;
        let tools: Vec<Value> =
            serde_json::from_slice(&output.stdout).context("read the listing")?;
        let missing =
            self.healthy.iter().find(|id| !tools.iter().any(|tool| tool["source"] == **id));
        ensure!(
            missing.is_none(),
            "the listing lacks the tools of `{}`",
            missing.map_or("", |missing| missing)
        );
        Ok(())
    }

    /// The number of servers started since the last call of this function.
    pub(super) fn started(&self) -> anyhow::Result<usize> {
        let log = fs::read_to_string(&self.log).unwrap_or_default();
        fs::write(&self.log, "")?;
        let events = log.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        Ok(events.filter(|event| event["ev"] == "start").count())
    }
}

impl ServerBehaviour {
    fn words(self) -> Vec<String> {
        let words = match self {
            Self::Honest | Self::Large | Self::Filled(_) => {
                let tools = match self {
                    Self::Filled(count) => count,
                    Self::Large => LARGE,
                    _ => TOOLS,
                };
                ["--tools", &tools.to_string(), "--ttl-ms", "86400000"].map(str::to_owned).to_vec()
            }
            Self::Quick => vec!["--quick".to_owned()],
            Self::Slow(seconds) => vec!["--delay".to_owned(), seconds.to_string()],
            Self::Hung(mode) => vec!["--mode".to_owned(), mode.to_owned()],
        };
        words.into_iter().chain(["--ttl".to_owned(), "60".to_owned()]).collect()
    }
}

/// A running `server refresh`; dropping it waits for its end.
pub(super) struct Refreshing {
    child: Child,
    since: Instant,
}

impl Refreshing {
    pub(super) fn is_done(&mut self) -> anyhow::Result<bool> {
        Ok(self.child.try_wait()?.is_some())
    }
}

impl Drop for Refreshing {
    fn drop(&mut self) {
        // Killing it would leave its servers running for a while, and distort the next measurement.
        // Its output is closed, so that it does not block on an unread pipe.
        drop(self.child.stdout.take());
        let _ = self.child.wait();
    }
}
