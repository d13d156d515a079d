//! Caches feedback records, so that most searches need not read the store.

use super::records::FeedbackRecords;
use super::store::FeedbackStore;
use parking_lot::Mutex;
use std::sync::Arc;
use std::time::{Duration, Instant};
use toolscout_core::BoundedCache;
use toolscout_index::LearnedQueries;

/// How long an entry is fresh. Another process may add or delete records.
const FRESH_FOR: Duration = Duration::from_secs(2);
/// Feedback records cached, of all tenants together.
const CAPACITY: usize = 50_000;

pub(super) struct LearnedCache(Mutex<BoundedCache<Arc<str>, LearnedEntry>>);

#[derive(Clone)]
struct LearnedEntry {
    learned: Arc<LearnedQueries>,
    record_count: usize,
    space: u64,
    row: blake3::Hash,
    checked_at: Instant,
}

impl Default for LearnedCache {
    fn default() -> Self {
        // A tenant without feedback records takes some memory, too.
        Self(Mutex::new(BoundedCache::weighted(CAPACITY, |entry| entry.record_count + 10)))
    }
}

impl LearnedCache {
    /// The feedback of this tenant, at most two seconds old. Unreadable records count as absent.
    pub(super) fn learned(
        &self,
        feedback_store: &FeedbackStore,
        tenant: &Arc<str>,
        space: u64,
    ) -> Arc<LearnedQueries> {
        let known = self.0.lock().get(tenant).cloned().filter(|value| value.space == space);
        if let Some(known) = known.as_ref().filter(|value| value.checked_at.elapsed() < FRESH_FOR) {
            return known.learned.clone();
        }
        let bytes = feedback_store.row(tenant).ok().flatten().unwrap_or_default();
        let row = blake3::hash(&bytes);
        let now = Instant::now();
        let entry = match known.filter(|value| value.row == row) {
            Some(known) => LearnedEntry { checked_at: now, ..known },
            None => {
                let records = FeedbackRecords::from_bytes(&bytes);
                let learned = Arc::new(records.learned(&feedback_store.partition, space));
                LearnedEntry { learned, record_count: records.len(), space, row, checked_at: now }
            }
        };
        let learned = entry.learned.clone();
        self.0.lock().insert(tenant.clone(), entry);
        learned
    }

    /// Removes the entry, so that the next search reads the store.
    pub(super) fn invalidate(&self, tenant: &str) {
        self.0.lock().remove(tenant);
    }
}
