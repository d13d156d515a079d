//! Caches feedback records, so that most searches need not read the store.

use super::records::FeedbackRecords;
use super::store::FeedbackStore;
use parking_lot::Mutex;
use std::sync::Arc;
use std::time::{Duration, Instant};
use toolscout_core::BoundedCache;
use toolscout_index::LearnedQueries;

/// How long an entry is fresh. Another process may add or delete records.
const FRESH: Duration = Duration::from_secs(2);
/// Feedback records cached, of all tenants together.
const CAPACITY: usize = 50_000;

pub(super) struct LearnedCache(Mutex<BoundedCache<Arc<str>, LearnedEntry>>);

#[derive(Clone)]
struct LearnedEntry {
    learned: Arc<LearnedQueries>,
    lessons: usize,
    space: u64,
    row: blake3::Hash,
    looked: Instant,
}

impl Default for LearnedCache {
    fn default() -> Self {
        // A tenant without feedback records takes some memory, too.
        Self(Mutex::new(BoundedCache::weighted(CAPACITY, |entry| entry.lessons + 10)))
    }
}

impl LearnedCache {
    /// The feedback of this tenant, at most two seconds old. Unreadable records count as absent.
    pub(super) fn learned(
        &self,
        ledger: &FeedbackStore,
        whose: &Arc<str>,
        space: u64,
    ) -> Arc<LearnedQueries> {
        let known = self.0.lock().get(whose).cloned().filter(|it| it.space == space);
        if let Some(known) = known.as_ref().filter(|it| it.looked.elapsed() < FRESH) {
            return known.learned.clone();
        }
        let bytes = ledger.row(whose).ok().flatten().unwrap_or_default();
        let row = blake3::hash(&bytes);
        let now = Instant::now();
        let entry = match known.filter(|it| it.row == row) {
            Some(known) => LearnedEntry { looked: now, ..known },
            None => {
                let lessons = FeedbackRecords::from_bytes(&bytes);
                let learned = Arc::new(lessons.learned(&ledger.partition, space));
                LearnedEntry { learned, lessons: lessons.len(), space, row, looked: now }
            }
        };
        let learned = entry.learned.clone();
        self.0.lock().insert(whose.clone(), entry);
        learned
    }

    /// Removes the entry, so that the next search reads the store.
    pub(super) fn let_go(&self, whose: &str) {
        self.0.lock().remove(whose);
    }
}
