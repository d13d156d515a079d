//! How long to leave a failing server alone, so that it cannot keep the machine busy by failing.

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
    /// A start that nobody but the failing server made necessary.
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

    /// When the next start is within this budget; none where it already is.
    fn within_budget(&self, (span, most): (Duration, usize)) -> Option<Instant> {
        let oldest = self.starts.len().checked_sub(most)?;
        Some(self.starts[oldest] + span)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How often a server is started within this time if every start fails after `up`, having answered `calls`.
    fn starts_within(time: Duration, up: Duration, calls: usize) -> usize {
        let mut backoff = Backoff::default();
        let begin = Instant::now();
        let (mut now, mut count) = (begin, 0);
        while now < begin + time {
            count += 1;
            backoff.started(now);
            now += up;
            now = backoff.failed(now, up, calls, 0.5);
        }
        count
    }

    #[test]
    fn a_server_that_dies_at_once_is_started_a_few_times_only() {
        assert!(starts_within(Duration::from_secs(60), Duration::ZERO, 0) <= 7);
        assert!(starts_within(Duration::from_secs(600), Duration::ZERO, 0) <= 13);
        assert!(starts_within(Duration::from_secs(3_600), Duration::ZERO, 0) <= 21);
    }

    #[test]
    fn a_handshake_does_not_make_a_server_healthy() {
        assert!(starts_within(Duration::from_secs(600), Duration::from_millis(20), 0) <= 13);
        assert!(starts_within(Duration::from_secs(600), Duration::from_millis(20), 1) <= 13);
    }

    #[test]
    fn the_first_wait_is_short_and_the_waits_grow() {
        let mut backoff = Backoff::default();
        let now = Instant::now();
        let waits: Vec<_> = (0..12).map(|_| backoff.failed(now, Duration::ZERO, 0, 0.0) - now).collect();
        assert_eq!(waits[..4], [500, 1_000, 2_000, 4_000].map(Duration::from_millis));
        assert_eq!(waits[11], LONGEST);
    }

    #[test]
    fn a_healthy_minute_with_a_call_starts_afresh() {
        let mut backoff = Backoff::default();
        let now = Instant::now();
        for _ in 0..8 {
            backoff.failed(now, Duration::ZERO, 0, 0.0);
        }
        assert!(backoff.failed(now, HEALTHY, 0, 0.0) - now > Duration::from_secs(60));
        assert_eq!(backoff.failed(now, HEALTHY, 1, 0.0) - now, FIRST);
    }
}
