//! How long commands take: several times over, because one time says little.

use anyhow::{Context, ensure};
use std::process::Command;
use std::time::{Duration, Instant};

/// Wall times of the same thing, shortest first; never empty.
pub(super) struct Samples(Vec<Duration>);

/// Runs the command so many times. Making it is not part of the time; one that fails is no sample but an error.
pub(super) fn sample(rounds: usize, mut make: impl FnMut() -> anyhow::Result<Command>) -> anyhow::Result<Samples> {
    let mut times = Vec::new();
    for _ in 0..rounds.max(1) {
        let mut command = make()?;
        let start = Instant::now();
        let output = command.output().with_context(|| format!("start {command:?}"))?;
        times.push(start.elapsed());
        let said = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "{command:?} ended with {}: {said}", output.status);
    }
    Samples::of(times)
}

impl Samples {
    /// Of times that somebody else took.
    pub(super) fn of(mut times: Vec<Duration>) -> anyhow::Result<Self> {
        ensure!(!times.is_empty(), "nothing was measured");
        times.sort();
        Ok(Self(times))
    }

    /// The time that so many in a hundred do not exceed.
    pub(super) fn percentile(&self, percent: usize) -> Duration {
        self.0[(self.0.len() * percent / 100).min(self.0.len() - 1)]
    }

    /// What the program can do.
    pub(super) fn best(&self) -> Duration {
        self.0[0]
    }

    /// What one gets on this machine.
    pub(super) fn median(&self) -> Duration {
        self.0[self.0.len() / 2]
    }

    /// What is left of the best and the median when the other's are taken away.
    pub(super) fn above(&self, other: &Self) -> Self {
        let best = self.best().saturating_sub(other.best());
        let median = self.median().saturating_sub(other.median());
        Self(vec![best, median.max(best)])
    }

    /// How many times as long as the other, at their best.
    pub(super) fn times(&self, other: &Self) -> String {
        format!("{:.1}×", self.best().as_secs_f64() / other.best().as_secs_f64().max(1e-9))
    }
}
