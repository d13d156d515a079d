//! Limits how often a server that announces changes is listed again: a short burst, then with
//! pauses.

#[cfg(test)]
mod tests;

use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// The number of listings that start without a pause, so that a change and a follow-up change are
/// visible at once.
const BURST: u32 = 3;
/// After this many pauses without a listing, the burst is available again.
const PAUSES_UNTIL_RESET: u32 = 2;
/// The maximum number of listings within as many pauses, including the burst.
const MAX_LISTINGS: u32 = 12;

/// The pace of the listings that one server causes.
#[derive(Debug)]
pub(super) struct ListingPace {
    /// The pause between the end of a listing and the next one, after the burst.
    interval: Duration,
    /// When the last listings ended, in order; at most [`MAX_LISTINGS`].
    ended: VecDeque<Instant>,
    /// The number of listings since the server was last quiet.
    burst_used: u32,
}

impl ListingPace {
    pub(super) fn new(interval: Duration) -> Self {
        Self { interval, ended: VecDeque::new(), burst_used: 0 }
    }

    /// When the next listing may start; `None` if it may start now.
    pub(super) fn due(&self, now: Instant) -> Option<Instant> {
        let is_in_burst = self.burst_used < BURST || self.is_over(PAUSES_UNTIL_RESET, now);
        let after_last =
            self.ended.back().filter(|_| !is_in_burst).map(|value| *value + self.interval);
        let is_full = self.ended.len() >= MAX_LISTINGS as usize;
        let after_first = self
            .ended
            .front()
            .filter(|_| is_full)
            .map(|value| *value + MAX_LISTINGS * self.interval);
        after_last.max(after_first).filter(|after_last| *after_last > now)
    }

    /// Whether the last listing was so long ago that one listing may directly follow another.
    pub(super) fn is_calm(&self, now: Instant) -> bool {
        self.is_over(MAX_LISTINGS, now)
    }

    /// Records that a listing has ended, successful or not. Requested listings count as well.
    pub(super) fn listed(&mut self, now: Instant) {
        if self.is_over(PAUSES_UNTIL_RESET, now) {
            self.burst_used = 0;
        }
        self.burst_used = self.burst_used.saturating_add(1);
        self.ended.push_back(now);
        while self.ended.len() > MAX_LISTINGS as usize {
            self.ended.pop_front();
        }
    }

    /// Whether the last listing ended more than this many pauses ago.
    fn is_over(&self, pauses: u32, now: Instant) -> bool {
        self.ended
            .back()
            .is_none_or(|value| now.saturating_duration_since(*value) > pauses * self.interval)
    }
}
