//! A session of the old era: one client of one principal, from `initialize` until it leaves or
//! expires.

use super::parked::ParkedRequests;
use super::queue::Queue;
use crate::http::{CancelSource, CancelToken};
use crate::mcp::client::Client;
use crate::mcp::version::Version;
use axum::http::HeaderValue;
use parking_lot::Mutex;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::time::{Instant, sleep_until};
use toolscout_core::ShareKey;

/// The header that contains the session id.
pub(super) const HEADER: &str = "mcp-session-id";
/// Maximum number of open streams of one session. Only the newest receives messages, because older
/// ones may be dead without being closed. The oldest is closed if there are more.
const MAX_STREAMS: usize = 4;

/// A session of the old era.
pub(super) struct Session {
    pub(super) id: Arc<str>,
    pub(super) owner: Option<Arc<str>>,
    pub(super) profile: Option<String>,
    pub(super) client: Arc<Client>,
    pub(super) queue: Arc<Queue>,
    /// In a fleet, the replica where it was started.
    pub(super) origin: Option<Arc<str>>,
    state: Mutex<State>,
    next_stream: AtomicU64,
    cancel_source: CancelSource,
    pub(super) parked: ParkedRequests,
}

/// Where a session of a fleet was started, and where it is continued; both none without a fleet.
#[derive(Debug, Clone, Default)]
pub(super) struct SessionPlace {
    pub(super) origin: Option<Arc<str>>,
    pub(super) replica: Option<Arc<str>>,
}

struct State {
    last_used: Instant,
    active_uses: usize,
    was_used: bool,
    /// Ids of the open streams, oldest first.
    streams: Vec<u64>,
}

impl Session {
    pub(super) fn new(
        id: Arc<str>,
        owner: Option<Arc<str>>,
        profile: Option<String>,
        client: Arc<Client>,
        queue: Arc<Queue>,
        place: SessionPlace,
    ) -> Arc<Self> {
        let state = State {
            last_used: Instant::now(),
            active_uses: 0,
            was_used: false,
            streams: Vec::new(),
        };
        let (state, next_stream) = (Mutex::new(state), AtomicU64::new(0));
        Arc::new(Self {
            id,
            owner,
            profile,
            client,
            queue,
            origin: place.origin,
            state,
            next_stream,
            cancel_source: CancelSource::new(),
            parked: ParkedRequests::of_replica(place.replica),
        })
    }

    /// Counts the requests of a session apart from those of other clients of its principal.
    pub(super) fn share_key(&self) -> ShareKey {
        ShareKey { principal: self.owner.clone(), client: Some(self.id.clone()) }
    }

    /// Whether a client has used the session after it was started.
    pub(super) fn was_used(&self) -> bool {
        self.state.lock().was_used
    }

    /// The value of the session header.
    pub(super) fn header(&self) -> HeaderValue {
        HeaderValue::from_str(&self.id).expect("a session id is a valid header value")
    }

    /// Marks the session as in use until the guard is dropped.
    pub(super) fn acquire(self: &Arc<Self>) -> SessionGuard {
        let mut state = self.state.lock();
        state.active_uses += 1;
        state.was_used = true;
        drop(state);
        SessionGuard(self.clone())
    }

    /// The time of the last use; none while the session is in use.
    pub(super) fn idle_since(&self) -> Option<Instant> {
        let state = self.state.lock();
        (state.active_uses == 0).then_some(state.last_used)
    }

    /// Waits until the session has been idle for this long.
    pub(super) async fn idle_for(&self, after: Duration) {
        loop {
            let due = self.idle_since().unwrap_or_else(Instant::now) + after;
            if Instant::now() >= due {
                return;
            }
            sleep_until(due).await;
        }
    }

    pub(super) fn close(&self) {
        self.cancel_source.cancel();
        self.queue.close();
        self.parked.clear();
    }

    /// Whether the client requests the rest of a stream that was closed before the response.
    pub(super) fn polls(&self) -> bool {
        self.client.version().is_some_and(Version::has_polling)
    }

    pub(super) fn cancel_token(&self) -> CancelToken {
        self.cancel_source.token()
    }
}

/// A guard that marks a session as in use.
pub(super) struct SessionGuard(pub(super) Arc<Session>);

impl Drop for SessionGuard {
    fn drop(&mut self) {
        let mut state = self.0.state.lock();
        state.active_uses -= 1;
        state.last_used = Instant::now();
    }
}

/// An open stream for messages that belong to no request.
pub(super) struct OpenStream {
    pub(super) guard: SessionGuard,
    number: u64,
}

impl OpenStream {
    pub(super) fn new(guard: SessionGuard) -> Self {
        let session = &guard.0;
        let number = session.next_stream.fetch_add(1, Ordering::Relaxed);
        let mut state = session.state.lock();
        if state.streams.len() >= MAX_STREAMS {
            state.streams.remove(0);
        }
        state.streams.push(number);
        drop(state);
        session.queue.wake();
        Self { guard, number }
    }

    /// Whether this stream receives the messages.
    pub(super) fn is_newest(&self) -> bool {
        self.guard.0.state.lock().streams.last() == Some(&self.number)
    }

    /// Whether newer streams have displaced this one.
    pub(super) fn is_displaced(&self) -> bool {
        !self.guard.0.state.lock().streams.contains(&self.number)
    }
}

impl Drop for OpenStream {
    fn drop(&mut self) {
        let session = &self.guard.0;
        session.state.lock().streams.retain(|stream| *stream != self.number);
        session.queue.wake();
    }
}
