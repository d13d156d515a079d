//! Limits how often a server that announces changes is listed again: a few times at once, then with pauses.

#[cfg(test)]
mod tests;

use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// So many lists are made as soon as they are wanted: one change, and another that comes of it, keep nobody waiting.
const EARLY: u32 = 3;
/// A server that was not listed for so many pauses has its next lists made at once again.
const FORGIVING: u32 = 2;
/// Never more lists than this within as many pauses, the early ones counted.
const MOST: u32 = 12;

/// How often one server is listed for its own sake.
#[derive(Debug)]
pub(super) struct ListingPace {
    /// From the end of a list to the next one, after the early ones.
    apart: Duration,
    /// When the last lists ended, the latest last; no more of them than [`MOST`].
    ended: VecDeque<Instant>,
    /// Lists since the server was last quiet.
    early: u32,
}

impl ListingPace {
    pub(super) fn new(apart: Duration) -> Self {
        Self { apart, ended: VecDeque::new(), early: 0 }
    }

    /// When the next list may be made; none if it may be made now.
    pub(super) fn due(&self, now: Instant) -> Option<Instant> {
        let is_early = self.early < EARLY || self.is_over(FORGIVING, now);
        let after_last = self.ended.back().filter(|_| !is_early).map(|it| *it + self.apart);
        let is_full = self.ended.len() >= MOST as usize;
        let after_first = self.ended.front().filter(|_| is_full).map(|it| *it + MOST * self.apart);
        after_last.max(after_first).filter(|it| *it > now)
    }

    /// Whether nothing was listed for so long that one list may be followed by another at once.
    pub(super) fn is_calm(&self, now: Instant) -> bool {
        self.is_over(MOST, now)
    }

    /// Notes that a list has ended, successful or not. Requested lists count as well.
    pub(super) fn listed(&mut self, now: Instant) {
        if self.is_over(FORGIVING, now) {
            self.early = 0;
        }
        self.early = self.early.saturating_add(1);
        self.ended.push_back(now);
        while self.ended.len() > MOST as usize {
            self.ended.pop_front();
        }
    }

    /// Whether the last list is more than so many pauses ago.
    fn is_over(&self, pauses: u32, now: Instant) -> bool {
        self.ended.back().is_none_or(|it| now.saturating_duration_since(*it) > pauses * self.apart)
    }
}
