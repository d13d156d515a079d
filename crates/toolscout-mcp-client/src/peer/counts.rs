//! What went wrong without stopping anything, as numbers.

use std::sync::atomic::{AtomicU64, Ordering};

/// What a server sent that led to nothing, so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PeerCounts {
    /// Lines that were no message.
    pub noise: u64,
    /// Messages that could not be read and failed the requests they were about.
    pub unreadable: u64,
    /// Answers to what nobody asked, or no longer waits for.
    pub unknown: u64,
    /// Notifications beyond the rate that is looked at.
    pub dropped: u64,
    /// Requests of the server to us.
    pub requests: u64,
    /// Those of them that got no answer, because there were too many or because there may be none.
    pub unanswered: u64,
    /// Messages of ours that found no room on the way out.
    pub unsent: u64,
}

#[derive(Debug, Clone, Copy)]
pub(super) enum PeerCounter {
    Noise,
    Unreadable,
    Unknown,
    Dropped,
    Request,
    Unanswered,
    Unsent,
}

#[derive(Debug, Default)]
pub(super) struct PeerCounters([AtomicU64; 7]);

impl PeerCounters {
    pub(super) fn add(&self, counter: PeerCounter) {
        self.add_first(counter);
    }

    /// Counts, and says whether it was the first of its kind.
    pub(super) fn add_first(&self, counter: PeerCounter) -> bool {
        self.0[counter as usize].fetch_add(1, Ordering::Relaxed) == 0
    }

    pub(super) fn read(&self) -> PeerCounts {
        let of = |it: PeerCounter| self.0[it as usize].load(Ordering::Relaxed);
        PeerCounts {
            noise: of(PeerCounter::Noise),
            unreadable: of(PeerCounter::Unreadable),
            unknown: of(PeerCounter::Unknown),
            dropped: of(PeerCounter::Dropped),
            requests: of(PeerCounter::Request),
            unanswered: of(PeerCounter::Unanswered),
            unsent: of(PeerCounter::Unsent),
        }
    }
}
