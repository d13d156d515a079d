//! The bounded queue of messages to a client over a stream of events. Senders never wait.

use crate::mcp::client::Outlet;
use parking_lot::Mutex;
use std::collections::VecDeque;
use std::sync::Arc;
use tokio::sync::Notify;

/// The capacity of a queue.
#[derive(Debug, Clone, Copy)]
pub(super) struct Room {
    pub(super) messages: usize,
    pub(super) bytes: usize,
    /// Whether a `list_changed` notification is dropped if the same one is still queued.
    is_folded: bool,
}

impl Room {
    /// For the messages before one response.
    pub(super) const REQUEST: Self = Self { messages: 1_024, bytes: 8 << 20, is_folded: false };
    /// For messages that belong to no request, which are few.
    pub(super) const SESSION: Self = Self { messages: 64, bytes: 12 << 10, is_folded: true };
}

/// A queue of messages to a client. Messages beyond its capacity are dropped.
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

    /// Takes all queued messages, oldest first.
    pub(super) fn take(&self) -> Option<VecDeque<String>> {
        let mut waiting = self.waiting.lock();
        waiting.bytes = 0;
        let texts = std::mem::take(&mut waiting.texts);
        (!texts.is_empty()).then_some(texts)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.waiting.lock().texts.is_empty()
    }

    /// Waits until `is_time` returns true. It is checked now and after each wake-up.
    pub(super) async fn until(&self, is_time: impl Fn() -> bool) {
        loop {
            let mut news = std::pin::pin!(self.news.notified());
            // Registered before the check, so that no wake-up is missed.
            news.as_mut().enable();
            if is_time() {
                return;
            }
            news.await;
        }
    }

    /// Wakes all waiters, so that they check their condition again.
    pub(super) fn wake(&self) {
        self.news.notify_waiters();
    }

    /// Rejects all further messages.
    pub(super) fn close(&self) {
        self.waiting.lock().is_closed = true;
        self.wake();
    }
}

impl Outlet for Queue {
    fn send(&self, message: String) -> bool {
        let mut waiting = self.waiting.lock();
        if self.room.is_folded
            && message.contains("/list_changed\"")
            && waiting.texts.contains(&message)
        {
            return true;
        }
        let bytes = waiting.bytes + message.len();
        if waiting.is_closed || waiting.texts.len() >= self.room.messages || bytes > self.room.bytes
        {
            return false;
        }
        waiting.bytes = bytes;
        waiting.texts.push_back(message);
        drop(waiting);
        self.wake();
        true
    }
}

/// An outlet that discards everything.
pub(super) struct Nowhere;

impl Outlet for Nowhere {
    fn send(&self, _: String) -> bool {
        false
    }
}
