//! Measures the time of commands, repeatedly, because a single time has little meaning.

use anyhow::{Context, ensure};
use std::process::Command;
use std::time::{Duration, Instant};

/// Wall times of the same thing, shortest first; never empty.
pub(super) struct Samples(Vec<Duration>);

/// Runs the command this many times. Building the command is not measured; a failing command is an
/// error.
pub(super) fn sample(
    rounds: usize,
    mut make: impl FnMut() -> anyhow::Result<Command>,
) -> anyhow::Result<Samples> {
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
    /// Wraps times that were measured elsewhere.
    pub(super) fn of(mut times: Vec<Duration>) -> anyhow::Result<Self> {
        ensure!(!times.is_empty(), "nothing was measured");
        times.sort();
        Ok(Self(times))
    }

    /// The time at this percentile.
    pub(super) fn percentile(&self, percent: usize) -> Duration {
        self.0[(self.0.len() * percent / 100).min(self.0.len() - 1)]
    }

    /// The best time, the least affected by other load.
    pub(super) fn best(&self) -> Duration {
        self.0[0]
    }

    /// The typical time on this machine.
    pub(super) fn median(&self) -> Duration {
        self.0[self.0.len() / 2]
    }

    /// The best and the median, reduced by those of the other.
    pub(super) fn above(&self, other: &Self) -> Self {
        let best = self.best().saturating_sub(other.best());
        let median = self.median().saturating_sub(other.median());
        Self(vec![best, median.max(best)])
    }

    /// The ratio of the best times.
    pub(super) fn times(&self, other: &Self) -> String {
        format!("{:.1}×", self.best().as_secs_f64() / other.best().as_secs_f64().max(1e-9))
    }
}
