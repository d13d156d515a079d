//! Messages on their way to a client over a stream of events: as many as there is room for, and nobody waits.

use crate::mcp::client::Outlet;
use parking_lot::Mutex;
use std::collections::VecDeque;
use std::sync::Arc;
use tokio::sync::Notify;

/// How much may wait.
#[derive(Debug, Clone, Copy)]
pub(super) struct Room {
    pub(super) messages: usize,
    pub(super) bytes: usize,
    /// Whether that a list has changed is said once where nobody has heard it yet.
    is_folded: bool,
}

impl Room {
    /// For what is said on the way to one answer.
    pub(super) const REQUEST: Self = Self { messages: 1_024, bytes: 8 << 20, is_folded: false };
    /// For what belongs to no request, of which there is little.
    pub(super) const SESSION: Self = Self { messages: 64, bytes: 12 << 10, is_folded: true };
}

/// Messages on their way to a client. What there is no room for is lost.
pub(super) struct Queue {
    room: Room,
    waiting: Mutex<Waiting>,
    news: Notify,
}

#[derive(Default)]
struct Waiting {
    texts: VecDeque<String>,
    bytes: usize,
    is_closed: bool,
}

impl Queue {
    pub(super) fn new(room: Room) -> Arc<Self> {
        Arc::new(Self { room, waiting: Mutex::default(), news: Notify::new() })
    }

    /// All that waits, oldest first.
    pub(super) fn take(&self) -> Option<VecDeque<String>> {
        let mut waiting = self.waiting.lock();
        waiting.bytes = 0;
        let texts = std::mem::take(&mut waiting.texts);
        (!texts.is_empty()).then_some(texts)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.waiting.lock().texts.is_empty()
    }

    /// Waits until `is_time`, which is looked at now and whenever something has happened.
    pub(super) async fn until(&self, is_time: impl Fn() -> bool) {
        loop {
            let mut news = std::pin::pin!(self.news.notified());
            // From here on nothing is missed.
            news.as_mut().enable();
            if is_time() {
                return;
            }
            news.await;
        }
    }

    /// Something else has happened that those who wait may want to know.
    pub(super) fn wake(&self) {
        self.news.notify_waiters();
    }

    /// From here on nothing is taken.
    pub(super) fn close(&self) {
        self.waiting.lock().is_closed = true;
        self.wake();
    }
}

impl Outlet for Queue {
    fn send(&self, message: String) -> bool {
        let mut waiting = self.waiting.lock();
        if self.room.is_folded && message.contains("/list_changed\"") && waiting.texts.contains(&message) {
            return true;
        }
        let bytes = waiting.bytes + message.len();
        if waiting.is_closed || waiting.texts.len() >= self.room.messages || bytes > self.room.bytes {
            return false;
        }
        waiting.bytes = bytes;
        waiting.texts.push_back(message);
        drop(waiting);
        self.wake();
        true
    }
}

/// Where nothing can be sent.
pub(super) struct Nowhere;

impl Outlet for Nowhere {
    fn send(&self, _: String) -> bool {
        false
    }
}
