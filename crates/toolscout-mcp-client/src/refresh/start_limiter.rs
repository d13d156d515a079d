//! The start limiter: limits how many servers start at a time, not counting idle ones.

use std::collections::HashMap;
use std::time::Duration;
use tokio::time::Instant;

/// The number of servers that start at a time. More would compete for the processor and memory.
const AT_ONCE: usize = 8;
/// A server that has not answered after this long no longer counts, so that the next one can start.
const STEPS_ASIDE: Duration = Duration::from_millis(500);
/// A server counts as starting for at least this long, because its process may not exist yet.
const FRESH: Duration = Duration::from_millis(20);

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
    at_once: usize,
    steps_aside: Duration,
    /// The pending starts: priority and time.
    started: HashMap<usize, (StartPriority, Instant)>,
    /// The number of busy ones at the last check, if the system provides it.
    at_work: Option<usize>,
}

impl Default for StartLimiter {
    fn default() -> Self {
        Self::new(AT_ONCE, STEPS_ASIDE)
    }
}

impl StartLimiter {
    pub(super) fn new(at_once: usize, steps_aside: Duration) -> Self {
        Self { at_once, steps_aside, started: HashMap::new(), at_work: None }
    }

    /// Whether one more server may start. Servers that started long ago do not count, and idle
    /// servers, which hang or wait for something, use no resources. A server that is likely to fail
    /// starts only when it cannot delay a better one.
    pub(super) fn has_room(&self, priority: StartPriority, now: Instant) -> bool {
        let younger_than = |age: Duration| {
            self.started.values().filter(move |(_, it)| now.duration_since(*it) < age)
        };
        if priority == StartPriority::Poor
            && younger_than(self.steps_aside).any(|(other, _)| *other < priority)
        {
            return false;
        }
        let young = younger_than(self.steps_aside).count();
        let starting = self.at_work.map_or(young, |it| young.min(it + younger_than(FRESH).count()));
        starting < self.at_once
    }

    pub(super) fn take(&mut self, number: usize, priority: StartPriority, now: Instant) {
        self.started.insert(number, (priority, now));
    }

    pub(super) fn give_back(&mut self, number: usize) {
        self.started.remove(&number);
    }

    /// Records the number of busy servers; `None` if the system does not provide it.
    pub(super) fn see(&mut self, at_work: Option<usize>) {
        self.at_work = at_work;
    }
}
