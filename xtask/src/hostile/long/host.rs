//! A running `server host`: its memory, its processor time, and its end.

use crate::hostile::world::HostileWorld;
use crate::memory::high_water;
use anyhow::{Context, ensure};
use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::process::{Child, ChildStderr, Command, Stdio};
use std::time::{Duration, Instant};

/// The maximum time to end its servers and itself.
const ENDING: Duration = Duration::from_secs(7);

/// The clock rate in `/proc`, on every Linux.
const TICKS_PER_SECOND: f64 = 100.0;

pub(super) struct ServerHost {
    child: Child,
    err: BufReader<ChildStderr>,
}

impl ServerHost {
    pub(super) fn start(world: &HostileWorld) -> anyhow::Result<Self> {
        let mut command = world.command(&["server", "host"]);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = command.spawn().context("start the host")?;
        let mut err = BufReader::new(child.stderr.take().context("its output")?);
        let mut said = String::new();
        while !said.contains("Hosting the servers") {
            ensure!(err.read_line(&mut said)? > 0, "the host ended: {said}");
        }
        Ok(Self { child, err })
    }

    /// The peak memory in MiB.
    pub(super) fn peak(&self) -> u64 {
        let status =
            fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap_or_default();
        high_water(&status).unwrap_or(0) >> 20
    }

    /// The processor time in seconds.
    pub(super) fn cpu(&self) -> f64 {
        let stat =
            fs::read_to_string(format!("/proc/{}/stat", self.child.id())).unwrap_or_default();
        // After the name, which may contain anything: state, ten numbers, then user and system
        // time.
        let fields: Vec<&str> =
            stat.rsplit_once(") ").map_or(Vec::new(), |(_, value)| value.split(' ').collect());
        let ticks =
            |at: usize| fields.get(at).and_then(|field| field.parse::<f64>().ok()).unwrap_or(0.0);
        (ticks(11) + ticks(12)) / TICKS_PER_SECOND
    }

    /// Interrupts it, as a user would; returns its output.
    pub(super) fn interrupt(mut self) -> anyhow::Result<String> {
        let begun = Instant::now();
        let sent = Command::new("kill").args(["-INT", &self.child.id().to_string()]).status()?;
        ensure!(sent.success(), "the host is gone already");
        let mut said = String::new();
        self.err.read_to_string(&mut said)?;
        self.child.wait()?;
        let took = begun.elapsed();
        ensure!(took < ENDING, "the host took {} ms to end", took.as_millis());
        Ok(said)
    }
}

impl Drop for ServerHost {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
