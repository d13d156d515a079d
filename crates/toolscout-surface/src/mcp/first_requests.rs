//! Remembers which clients have listed and searched before: their first requests wait for servers
//! that are still loading.

use parking_lot::Mutex;
use serde_json::{Value, json};
use toolscout_core::BoundedCache;

/// The number of first requests that are remembered. A client whose entry was evicted may wait
/// once more.
const CAPACITY: usize = 512;

/// The first requests of recent clients.
pub(super) struct FirstRequests(Mutex<BoundedCache<String, ()>>);

impl Default for FirstRequests {
    fn default() -> Self {
        Self(Mutex::new(BoundedCache::new(CAPACITY)))
    }
}

/// A request that waits once for each client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FirstRequest {
    List,
    Search,
}

impl FirstRequests {
    /// Whether this is the first request of its kind from this client.
    pub(super) fn is_first(&self, kind: FirstRequest, client: Value) -> bool {
        let key = json!([format!("{kind:?}"), client]).to_string();
        let mut seen = self.0.lock();
        let is_first = seen.get(&key).is_none();
        if is_first {
            drop(seen.insert(key, ()));
        }
        is_first
    }
}
