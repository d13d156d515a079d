//! A cache of request-specific catalogs.

use super::{RequestDiscovery, RequestKeys};
use crate::published::PublishedCatalog;
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::OnceCell;
use toolscout_core::BoundedCache;

/// How long a partial discovery stays in the cache.
const PARTIAL_LIFETIME: Duration = Duration::from_secs(5);

/// The limits of the cache.
#[derive(Clone, Copy)]
pub(crate) struct RequestCacheLimits {
    /// Maximum number of entries.
    pub(crate) entries: usize,
    /// How long an entry is valid.
    pub(crate) time: Duration,
}

impl Default for RequestCacheLimits {
    fn default() -> Self {
        Self { entries: 64, time: Duration::from_secs(60) }
    }
}

/// Entries by their keys.
pub(super) struct RequestCache {
    limits: RequestCacheLimits,
    entries: Mutex<BoundedCache<RequestKeys, Arc<RequestCacheEntry>>>,
}

/// The cached data of requests with the same keys.
pub(super) struct RequestCacheEntry {
    pub(super) keys: RequestKeys,
    /// Empty while the discovery runs.
    pub(super) discovery: OnceCell<RequestDiscovery>,
    /// The last catalog built from it, for each scope.
    merged: Mutex<HashMap<Option<Arc<str>>, Arc<PublishedCatalog>>>,
}

impl RequestCache {
    pub(super) fn new(limits: RequestCacheLimits) -> Self {
        Self { limits, entries: Mutex::new(BoundedCache::new(limits.entries)) }
    }

    /// The entry of these keys; a new empty one if there is none, or if it is too old.
    pub(super) fn entry(&self, keys: RequestKeys) -> Arc<RequestCacheEntry> {
        let mut entries = self.entries.lock();
        if let Some(entry) = entries.get(&keys).filter(|entry| self.is_valid(entry)) {
            return entry.clone();
        }
        let entry = Arc::new(RequestCacheEntry::new(keys.clone()));
        // Expired entries must not stay in memory until they are evicted.
        entries.remove_if(|entry| !self.is_valid(entry));
        entries.insert(keys, entry.clone());
        entry
    }

    pub(super) fn forget(&self, keys: &RequestKeys) {
        self.entries.lock().remove(keys);
    }

    fn is_valid(&self, entry: &RequestCacheEntry) -> bool {
        entry.discovery.get().is_none_or(|discovery| {
            let time = if discovery.is_partial {
                self.limits.time.min(PARTIAL_LIFETIME)
            } else {
                self.limits.time
            };
            discovery.since.elapsed() < time
        })
    }
}

impl RequestCacheEntry {
    /// An entry with nothing discovered yet.
    pub(super) fn new(keys: RequestKeys) -> Self {
        Self { keys, discovery: OnceCell::new(), merged: Mutex::default() }
    }

    /// The catalog built on top of exactly this shared catalog.
    pub(super) fn merged(
        &self,
        scope: Option<&str>,
        now: &Arc<PublishedCatalog>,
    ) -> Option<Arc<PublishedCatalog>> {
        let merged = self.merged.lock().get(&scope.map(Arc::from)).cloned()?;
        merged.shared.as_ref().is_some_and(|value| Arc::ptr_eq(value, now)).then_some(merged)
    }

    /// Stores a catalog, unless another request has already stored an equal or newer one. Returns
    /// the stored one.
    pub(super) fn store(
        &self,
        scope: Option<&str>,
        catalog: Arc<PublishedCatalog>,
    ) -> Arc<PublishedCatalog> {
        let mut slots = self.merged.lock();
        let is_known = |stored: &Arc<PublishedCatalog>| {
            stored.generation > catalog.generation
                || (stored.generation == catalog.generation && stored.scope == catalog.scope)
        };
        let scope = scope.map(Arc::from);
        if let Some(stored) = slots.get(&scope).filter(|stored| is_known(stored)) {
            return stored.clone();
        }
        slots.insert(scope, catalog.clone());
        catalog
    }
}
