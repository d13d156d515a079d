//! The bounded queue of messages to a client over a stream of events. Senders never wait.

use crate::mcp::client::Outlet;
use parking_lot::Mutex;
use std::collections::VecDeque;
use std::sync::Arc;
use tokio::sync::Notify;

/// The capacity of a queue.
#[derive(Debug, Clone, Copy)]
pub(super) struct QueueCapacity {
    pub(super) messages: usize,
    pub(super) bytes: usize,
    /// Whether a `list_changed` notification is dropped if the same one is still queued.
    deduplicates: bool,
}

impl QueueCapacity {
    /// For the messages before one response.
    pub(super) const REQUEST: Self = Self { messages: 1_024, bytes: 8 << 20, deduplicates: false };
    /// For messages that belong to no request, which are few.
    pub(super) const SESSION: Self = Self { messages: 64, bytes: 12 << 10, deduplicates: true };
}

/// A queue of messages to a client. Messages beyond its capacity are dropped.
pub(super) struct Queue {
    capacity: QueueCapacity,
    state: Mutex<QueueState>,
    notify: Notify,
}

#[derive(Default)]
struct QueueState {
    texts: VecDeque<String>,
    bytes: usize,
    is_closed: bool,
}

impl Queue {
    pub(super) fn new(capacity: QueueCapacity) -> Arc<Self> {
        Arc::new(Self { capacity, state: Mutex::default(), notify: Notify::new() })
    }

    /// Takes all queued messages, oldest first.
    pub(super) fn take(&self) -> Option<VecDeque<String>> {
        let mut state = self.state.lock();
        state.bytes = 0;
        let texts = std::mem::take(&mut state.texts);
        (!texts.is_empty()).then_some(texts)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.state.lock().texts.is_empty()
    }

    /// Waits until `is_time` returns true. It is checked now and after each wake-up.
    pub(super) async fn until(&self, is_time: impl Fn() -> bool) {
        loop {
            let mut news = std::pin::pin!(self.news.notified());
            // Registered before the check, so that no wake-up is missed.
            notify.as_mut().enable();
            if condition() {
                return;
            }
            notify.await;
        }
    }

    /// Wakes all waiters, so that they check their condition again.
    pub(super) fn wake(&self) {
        self.notify.notify_waiters();
    }

    /// Rejects all further messages.
    pub(super) fn close(&self) {
        self.state.lock().is_closed = true;
        self.wake();
    }
}

impl Outlet for Queue {
    fn send(&self, message: String) -> bool {
        let mut state = self.state.lock();
        if self.capacity.deduplicates
            && message.contains("/list_changed\"")
            && state.texts.contains(&message)
        {
            return true;
        }
        let bytes = state.bytes + message.len();
        if state.is_closed
            || state.texts.len() >= self.capacity.messages
            || bytes > self.capacity.bytes
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
pub(super) struct DiscardOutlet;

impl Outlet for DiscardOutlet {
    fn send(&self, _: String) -> bool {
        false
    }
}
