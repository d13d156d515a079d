//! How long to leave a failing server alone, so that it cannot keep the machine busy by failing.

#[cfg(test)]
mod tests;

use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// The first wait; each further one is twice as long.
const FIRST: Duration = Duration::from_millis(500);
const LONGEST: Duration = Duration::from_secs(300);
/// A server that was up this long, and answered a call, starts with a clean slate. A handshake alone proves nothing: there are
/// servers that shake hands and die, thousands of times.
const HEALTHY: Duration = Duration::from_secs(60);
const MINUTE: (Duration, usize) = (Duration::from_secs(60), 6);
const HOUR: (Duration, usize) = (Duration::from_secs(3_600), 20);

/// Remembers how often a server had to be started because it had failed.
#[derive(Debug, Default)]
pub(super) struct Backoff {
    failures: u32,
    starts: VecDeque<Instant>,
}

impl Backoff {
    /// Notes a start.
    pub(super) fn started(&mut self, now: Instant) {
        self.starts.push_back(now);
        while self.starts.len() > HOUR.1 {
            self.starts.pop_front();
        }
    }

    /// It failed: to start, or after it had been up this long and answered this many calls. Gives when it may be started
    /// again. `jitter` is from 0 to 1.
    pub(super) fn failed(&mut self, now: Instant, up: Duration, calls: usize, jitter: f64) -> Instant {
        if up >= HEALTHY && calls > 0 {
            self.failures = 0;
            self.starts.clear();
        }
        let wait = FIRST.saturating_mul(2_u32.saturating_pow(self.failures)).min(LONGEST);
        self.failures = self.failures.saturating_add(1);
        let wait = wait.mul_f64(1.0 + jitter.clamp(0.0, 1.0) / 5.0);
        [MINUTE, HOUR].into_iter().filter_map(|it| self.within_budget(it)).fold(now + wait, Instant::max)
    }

    /// When the next start is within this budget; none if it already is.
    fn within_budget(&self, (span, most): (Duration, usize)) -> Option<Instant> {
        let oldest = self.starts.len().checked_sub(most)?;
        Some(self.starts[oldest] + span)
    }
}
