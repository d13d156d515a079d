//! Spans that wait to be sent; a bounded number, and nobody waits to add one.

use super::request::Span;
use parking_lot::{Condvar, Mutex};
use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// So many wait at most; what comes then is counted, and lost.
const MOST: usize = 2_048;
/// So many are sent at once.
pub(super) const BATCH: usize = 512;
/// What is there is sent after this long, however little it is.
const DELAY: Duration = Duration::from_secs(1);

#[derive(Default)]
pub(super) struct Outbox {
    waiting: Mutex<Waiting>,
    came: Condvar,
}

#[derive(Default)]
struct Waiting {
    spans: VecDeque<Span>,
    lost: u64,
    is_closed: bool,
}

impl Outbox {
    pub(super) fn put(&self, span: Span) {
        let mut waiting = self.waiting.lock();
        if waiting.spans.len() == MOST {
            waiting.lost += 1;
            return;
        }
        waiting.spans.push_back(span);
        // The first one starts the clock, and a full batch stops it.
        if waiting.spans.len() == 1 || waiting.spans.len() >= BATCH {
            self.came.notify_one();
        }
    }

    /// Nothing more will come: whoever waits for more waits no longer.
    pub(super) fn close(&self) {
        self.waiting.lock().is_closed = true;
        self.came.notify_all();
    }

    pub(super) fn is_closed(&self) -> bool {
        self.waiting.lock().is_closed
    }

    /// The next to send, and how many were lost before them; none when it is closed and empty. Blocks.
    pub(super) fn take(&self) -> Option<(Vec<Span>, u64)> {
        let mut waiting = self.waiting.lock();
        while waiting.spans.is_empty() {
            if waiting.is_closed {
                return None;
            }
            self.came.wait(&mut waiting);
        }
        let until = Instant::now() + DELAY;
        while waiting.spans.len() < BATCH && !waiting.is_closed {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            self.came.wait_for(&mut waiting, left);
        }
        let count = waiting.spans.len().min(BATCH);
        let spans = waiting.spans.drain(..count).collect();
        Some((spans, std::mem::take(&mut waiting.lost)))
    }

    /// Waits this long, unless it is closed meanwhile. Blocks.
    pub(super) fn pause(&self, wait: Duration) {
        let until = Instant::now() + wait;
        let mut waiting = self.waiting.lock();
        while !waiting.is_closed {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return;
            }
            self.came.wait_for(&mut waiting, left);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_there_is_no_room_for_is_counted_and_nobody_waits() {
        let outbox = Outbox::default();
        (0..MOST + 3).for_each(|_| outbox.put(Span::default()));
        let (first, lost) = outbox.take().expect("a batch");
        assert_eq!((first.len(), lost), (BATCH, 3));
        outbox.close();
        let rest: usize = std::iter::from_fn(|| outbox.take()).map(|(it, _)| it.len()).sum();
        assert_eq!(rest, MOST - BATCH);
        outbox.pause(Duration::from_secs(3_600));
    }
}
