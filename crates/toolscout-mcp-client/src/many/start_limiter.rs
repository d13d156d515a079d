//! The start limiter: so many servers start at a time, not counting those that only wait.

use std::collections::HashMap;
use std::time::Duration;
use tokio::time::Instant;

/// So many servers start at a time. More would only take the processor from each other, and memory from all.
const AT_ONCE: usize = 8;
/// One that has not answered after this long waits on the side, and lets the next one start.
const STEPS_ASIDE: Duration = Duration::from_millis(500);
/// For this long a server counts as starting, whatever is seen of it: its process may not be there yet.
const FRESH: Duration = Duration::from_millis(20);

/// How likely a server is to answer soon; the most likely first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum StartPriority {
    /// It answered the last time.
    Good,
    /// It was never discovered.
    Unknown,
    /// It failed the last time.
    Poor,
}

/// Limits how many servers start at a time.
pub(super) struct StartLimiter {
    at_once: usize,
    steps_aside: Duration,
    /// The pending starts: priority and time.
    started: HashMap<usize, (StartPriority, Instant)>,
    /// How many of them were last seen at work, if the system can tell.
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

    /// Whether one more may start. Those that have started long ago do not count, and those that are not at work, because
    /// they hang or wait for somebody else, take nothing from others. One that is likely to fail is started when it can
    /// be in nobody's way.
    pub(super) fn has_room(&self, priority: StartPriority, now: Instant) -> bool {
        let younger_than = |age: Duration| self.started.values().filter(move |(_, it)| now.duration_since(*it) < age);
        if priority == StartPriority::Poor && younger_than(self.steps_aside).any(|(other, _)| *other < priority) {
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

    /// Notes how many are at work; none if the system cannot tell.
    pub(super) fn see(&mut self, at_work: Option<usize>) {
        self.at_work = at_work;
    }
}
