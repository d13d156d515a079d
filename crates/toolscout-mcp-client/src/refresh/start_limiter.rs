//! The start limiter: limits how many servers start at a time, not counting idle ones.

use std::collections::HashMap;
use std::time::Duration;
use tokio::time::Instant;

/// The number of servers that start at a time. More would compete for the processor and memory.
const MAX_STARTING: usize = 8;
/// A server that has not answered after this long no longer counts, so that the next one can start.
const SLOW_AFTER: Duration = Duration::from_millis(500);
/// A server counts as starting for at least this long, because its process may not exist yet.
const MIN_STARTING: Duration = Duration::from_millis(20);

/// How likely a server is to answer soon; the most likely comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum StartPriority {
    /// The last discovery succeeded.
    Good,
    /// It was never discovered.
    Unknown,
    /// The last discovery failed.
    Poor,
}

/// Limits how many servers start at a time.
pub(super) struct StartLimiter {
    max_starting: usize,
    slow_after: Duration,
    /// The pending starts: priority and time.
    started: HashMap<usize, (StartPriority, Instant)>,
    /// The number of busy ones at the last check, if the system provides it.
    busy: Option<usize>,
}

impl Default for StartLimiter {
    fn default() -> Self {
        Self::new(MAX_STARTING, SLOW_AFTER)
    }
}

impl StartLimiter {
    pub(super) fn new(max_starting: usize, slow_after: Duration) -> Self {
        Self { max_starting, slow_after, started: HashMap::new(), busy: None }
    }

    /// Whether one more server may start. Servers that started long ago do not count, and idle
    /// servers, which hang or wait for something, use no resources. A server that is likely to fail
    /// starts only when it cannot delay a better one.
    pub(super) fn has_room(&self, priority: StartPriority, now: Instant) -> bool {
        let started_within = |age: Duration| {
            self.started
                .values()
                .filter(move |(_, started_at)| now.duration_since(*started_at) < age)
        };
        if priority == StartPriority::Poor
            && started_within(self.slow_after).any(|(other, _)| *other < priority)
        {
            return false;
        }
        let recent = started_within(self.slow_after).count();
        let starting = self
            .busy
            .map_or(recent, |busy| recent.min(busy + started_within(MIN_STARTING).count()));
        starting < self.max_starting
    }

    pub(super) fn add(&mut self, number: usize, priority: StartPriority, now: Instant) {
        self.started.insert(number, (priority, now));
    }

    pub(super) fn release(&mut self, number: usize) {
        self.started.remove(&number);
    }

    /// Records the number of busy servers; `None` if the system does not provide it.
    pub(super) fn set_busy(&mut self, busy: Option<usize>) {
        self.busy = busy;
    }
}
