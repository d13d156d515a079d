//! Requests of a session whose stream was closed before the response. They continue, and their
//! client requests the rest of the stream with the id of its last event (SEP-1699).

use super::queue::Queue;
use crate::mcp::replica_tag::{split, tagged};
use crate::mcp::server::Reply;
use axum::http::HeaderMap;
use parking_lot::Mutex;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::task::JoinSet;
use tokio::time::Instant;
use toolscout_core::BoundedCache;

/// Maximum number of parked requests of a session; more evict the oldest, which cancels it.
const CAPACITY: usize = 16;
/// A client that has not returned after this time has given up.
const PARKED_FOR: Duration = Duration::from_secs(120);

/// The header with the id of the last event that a client has received.
const LAST_EVENT: &str = "last-event-id";
const PREFIX: &str = "parked-";

/// The event id of a parked request in these headers. Streams that belong to no request have no
/// event ids, so a client cannot resume them, and gets a new one.
pub(super) fn event_id(headers: &HeaderMap) -> Option<&str> {
    let id = headers.get(LAST_EVENT)?.to_str().ok()?;
    split(id).1.starts_with(PREFIX).then_some(id)
}

/// The replica that has parked the request of an event id; none outside a fleet.
pub(super) fn parking_replica(event_id: &str) -> Option<&str> {
    split(event_id).0
}

/// A request without a response so far. Dropping it aborts the work.
pub(super) struct UnfinishedRequest {
    /// The messages before the response.
    pub(super) queue: Arc<Queue>,
    /// One task, or none after it has ended.
    pub(super) work: JoinSet<Option<Reply>>,
}

/// The parked requests of a session, by the event id that resumes each.
pub(super) struct ParkedRequests {
    /// In a fleet, the id of this replica.
    replica: Option<Arc<str>>,
    next: AtomicU64,
    requests: Mutex<BoundedCache<String, (Instant, UnfinishedRequest)>>,
}

impl ParkedRequests {
    /// No requests so far. In a fleet, event ids name this replica.
    pub(super) fn of_replica(replica: Option<Arc<str>>) -> Self {
        let requests = Mutex::new(BoundedCache::new(CAPACITY));
        Self { replica, next: AtomicU64::new(1), requests }
    }

    /// Parks a request, and returns its event id, which is unique in the session.
    pub(super) fn park(&self, request: UnfinishedRequest) -> String {
        let id = format!("{PREFIX}{}", self.next.fetch_add(1, Ordering::Relaxed));
        let id = tagged(self.replica.as_deref(), &id);
        let now = Instant::now();
        let mut requests = self.requests.lock();
        let mut dropped = requests.remove_if(|(since, _)| now - *since >= PARKED_FOR);
        dropped.extend(requests.insert(id.clone(), (now, request)));
        drop(requests);
        drop(dropped);
        id
    }

    /// Takes a parked request. Each can be taken once.
    pub(super) fn take(&self, id: &str) -> Option<UnfinishedRequest> {
        let (since, request) = self.requests.lock().remove(id)?;
        (since.elapsed() < PARKED_FOR).then_some(request)
    }

    /// Cancels all parked requests.
    pub(super) fn clear(&self) {
        let dropped = self.requests.lock().remove_if(|_| true);
        drop(dropped);
    }
}
