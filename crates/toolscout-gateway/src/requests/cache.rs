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
const PARTIAL: Duration = Duration::from_secs(5);

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
    keeping: RequestCacheLimits,
    entries: Mutex<BoundedCache<RequestKeys, Arc<RequestCacheEntry>>>,
}

/// The cached data of requests with the same keys.
pub(super) struct RequestCacheEntry {
    pub(super) keys: RequestKeys,
    /// Empty while the discovery runs.
    pub(super) guests: OnceCell<RequestDiscovery>,
    /// The last catalog built from it, for each scope.
    merged: Mutex<HashMap<Option<Arc<str>>, Arc<PublishedCatalog>>>,
}

impl RequestCache {
    pub(super) fn new(keeping: RequestCacheLimits) -> Self {
        Self { keeping, entries: Mutex::new(BoundedCache::new(keeping.entries)) }
    }

    /// The entry of these keys; a new empty one if there is none, or if it is too old.
    pub(super) fn entry(&self, keys: RequestKeys) -> Arc<RequestCacheEntry> {
        let mut entries = self.entries.lock();
        if let Some(entry) = entries.get(&keys).filter(|entry| self.counts(entry)) {
            return entry.clone();
        }
        let entry = Arc::new(RequestCacheEntry {
            keys: keys.clone(),
            guests: OnceCell::new(),
            merged: Mutex::default(),
        });
        // Expired entries must not stay in memory until they are evicted.
        entries.remove_if(|entry| !self.counts(entry));
        entries.insert(keys, entry.clone());
        entry
    }

    pub(super) fn forget(&self, keys: &RequestKeys) {
        self.entries.lock().remove(keys);
    }

    fn counts(&self, entry: &RequestCacheEntry) -> bool {
        entry.guests.get().is_none_or(|it| {
            let time =
                if it.is_partial { self.keeping.time.min(PARTIAL) } else { self.keeping.time };
            it.since.elapsed() < time
        })
    }
}

impl RequestCacheEntry {
    /// The catalog built on top of exactly this shared catalog.
    pub(super) fn merged(
        &self,
        scope: Option<&str>,
        now: &Arc<PublishedCatalog>,
    ) -> Option<Arc<PublishedCatalog>> {
        let merged = self.merged.lock().get(&scope.map(Arc::from)).cloned()?;
        merged.beneath.as_ref().is_some_and(|it| Arc::ptr_eq(it, now)).then_some(merged)
    }

    /// Stores a catalog, unless another request has already stored an equal or newer one. Returns
    /// the stored one.
    pub(super) fn keep(
        &self,
        scope: Option<&str>,
        made: Arc<PublishedCatalog>,
    ) -> Arc<PublishedCatalog> {
        let mut slots = self.merged.lock();
        let is_known = |there: &Arc<PublishedCatalog>| {
            there.generation > made.generation
                || (there.generation == made.generation && there.scope == made.scope)
        };
        let scope = scope.map(Arc::from);
        if let Some(there) = slots.get(&scope).filter(|there| is_known(there)) {
            return there.clone();
        }
        slots.insert(scope, made.clone());
        made
    }
}
