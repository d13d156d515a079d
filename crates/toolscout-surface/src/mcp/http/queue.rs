//! The bounded queue of messages to a client over a stream of events. Senders never wait.

use crate::mcp::client::Outlet;
use parking_lot::Mutex;
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;
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
    /// How long no message is expected. The next message ends it.
    suspended: Option<Duration>,
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

    /// Waits until no message is queued or expected for a while, and returns that time.
    pub(super) async fn suspension(&self) -> Duration {
        let is_suspended = || {
            let state = self.state.lock();
            state.texts.is_empty() && state.suspended.is_some()
        };
        loop {
            self.wait_until(is_suspended).await;
            if let Some(retry) = self.state.lock().suspended.take() {
                return retry;
            }
        }
    }

    /// Waits until `condition` returns true. It is checked now and after each wake-up.
    pub(super) async fn wait_until(&self, condition: impl Fn() -> bool) {
        loop {
            let mut notify = std::pin::pin!(self.notify.notified());
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
        state.bytes = bytes;
        state.suspended = None;
        state.texts.push_back(message);
        drop(state);
        self.wake();
        true
    }

    fn suspend(&self, retry: Duration) {
        self.state.lock().suspended = Some(retry);
        self.wake();
    }
}

/// An outlet that discards everything.
pub(super) struct DiscardOutlet;

impl Outlet for DiscardOutlet {
    fn send(&self, _: String) -> bool {
        false
    }
}
