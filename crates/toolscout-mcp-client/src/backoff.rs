//! The delay before a failing server is restarted, so that it cannot keep the machine busy.

#[cfg(test)]
mod tests;

use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// The first delay; each further one is twice as long.
const FIRST_DELAY: Duration = Duration::from_millis(500);
const LONGEST_DELAY: Duration = Duration::from_secs(300);
/// A server that was up this long and answered a call gets its failures cleared. A handshake alone
/// proves nothing: some servers complete it and then exit, thousands of times.
const HEALTHY_UPTIME: Duration = Duration::from_secs(60);
const STARTS_PER_MINUTE: (Duration, usize) = (Duration::from_secs(60), 6);
const STARTS_PER_HOUR: (Duration, usize) = (Duration::from_secs(3_600), 20);

/// The failures and recent starts of one server.
#[derive(Debug, Default)]
pub(super) struct Backoff {
    failures: u32,
    starts: VecDeque<Instant>,
}

impl Backoff {
    pub(super) fn started(&mut self, now: Instant) {
        self.starts.push_back(now);
        while self.starts.len() > STARTS_PER_HOUR.1 {
            self.starts.pop_front();
        }
    }

    /// Takes the last start back: nothing was started.
    pub(super) fn not_started(&mut self) {
        self.starts.pop_back();
    }

    /// Records a failure: the server did not start, or exited after it had been up for `uptime` and had
    /// answered `calls` calls. Returns the time of the next permitted start. `jitter` ranges from 0
    /// to 1.
    pub(super) fn failed(
        &mut self,
        now: Instant,
        uptime: Duration,
        calls: usize,
        jitter: f64,
    ) -> Instant {
        if uptime >= HEALTHY_UPTIME && calls > 0 {
            self.failures = 0;
            self.starts.clear();
        }
        let delay =
            FIRST_DELAY.saturating_mul(2_u32.saturating_pow(self.failures)).min(LONGEST_DELAY);
        self.failures = self.failures.saturating_add(1);
        let delay = delay.mul_f64(1.0 + jitter.clamp(0.0, 1.0) / 5.0);
        [STARTS_PER_MINUTE, STARTS_PER_HOUR]
            .into_iter()
            .filter_map(|budget| self.next_start_within(budget))
            .fold(now + delay, Instant::max)
    }

    /// When this budget permits the next start; `None` if fewer than `most` starts are recorded.
    fn next_start_within(&self, (span, most): (Duration, usize)) -> Option<Instant> {
        let oldest = self.starts.len().checked_sub(most)?;
        Some(self.starts[oldest] + span)
    }
}
