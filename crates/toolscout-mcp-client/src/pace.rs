//! Limits how often a server that announces changes is listed again: a short burst, then with
//! pauses.

#[cfg(test)]
mod tests;

use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// The number of listings that start without a pause, so that a change and a follow-up change are
/// visible at once.
const EARLY: u32 = 3;
/// After this many pauses without a listing, the burst is available again.
const FORGIVING: u32 = 2;
/// The maximum number of listings within as many pauses, including the burst.
const MOST: u32 = 12;

/// The pace of the listings that one server causes.
#[derive(Debug)]
pub(super) struct ListingPace {
    /// The pause between the end of a listing and the next one, after the burst.
    apart: Duration,
    /// When the last listings ended, in order; at most [`MOST`].
    ended: VecDeque<Instant>,
    /// The number of listings since the server was last quiet.
    early: u32,
}

impl ListingPace {
    pub(super) fn new(apart: Duration) -> Self {
        Self { apart, ended: VecDeque::new(), early: 0 }
    }

    /// When the next listing may start; `None` if it may start now.
    pub(super) fn due(&self, now: Instant) -> Option<Instant> {
        let is_early = self.early < EARLY || self.is_over(FORGIVING, now);
        let after_last = self.ended.back().filter(|_| !is_early).map(|it| *it + self.apart);
        let is_full = self.ended.len() >= MOST as usize;
        let after_first = self.ended.front().filter(|_| is_full).map(|it| *it + MOST * self.apart);
        after_last.max(after_first).filter(|it| *it > now)
    }

    /// Whether the last listing was so long ago that one listing may directly follow another.
    pub(super) fn is_calm(&self, now: Instant) -> bool {
        self.is_over(MOST, now)
    }

    /// Records that a listing has ended, successful or not. Requested listings count as well.
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

    /// Whether the last listing ended more than this many pauses ago.
    fn is_over(&self, pauses: u32, now: Instant) -> bool {
        self.ended.back().is_none_or(|it| now.saturating_duration_since(*it) > pauses * self.apart)
    }
}
