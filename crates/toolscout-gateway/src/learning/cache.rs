//! What was read for searches, so that most of them need not read it again.

use super::ledger::Ledger;
use super::lessons::Lessons;
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};
use toolscout_index::Learned;

/// Another process may have learned or forgotten something since.
const FRESH: Duration = Duration::from_secs(2);
/// Lessons that are kept at hand, of all tenants together; those used least recently go first.
const MOST: usize = 50_000;

#[derive(Default)]
pub(super) struct Cache {
    shelf: Mutex<Shelf>,
}

#[derive(Default)]
struct Shelf {
    entries: HashMap<Arc<str>, Entry>,
    uses: u64,
}

#[derive(Clone)]
struct Entry {
    learned: Arc<Learned>,
    lessons: usize,
    space: u64,
    row: blake3::Hash,
    looked: Instant,
    used: u64,
}

impl Cache {
    /// What this tenant has learned, as it was at most two seconds ago. What cannot be read was not learned.
    pub(super) fn learned(&self, ledger: &Ledger, whose: &Arc<str>, space: u64) -> Arc<Learned> {
        let known = self.used(whose).filter(|it| it.space == space);
        if let Some(known) = known.as_ref().filter(|it| it.looked.elapsed() < FRESH) {
            return known.learned.clone();
        }
        let bytes = ledger.row(whose).ok().flatten().unwrap_or_default();
        let row = blake3::hash(&bytes);
        let now = Instant::now();
        let entry = match known.filter(|it| it.row == row) {
            Some(known) => Entry { looked: now, ..known },
            None => {
                let lessons = Lessons::from_bytes(&bytes);
                let learned = Arc::new(lessons.learned(&ledger.partition, space));
                Entry { learned, lessons: lessons.len(), space, row, looked: now, used: 0 }
            }
        };
        let learned = entry.learned.clone();
        self.keep(whose, entry);
        learned
    }

    /// To be read anew.
    pub(super) fn let_go(&self, whose: &str) {
        self.shelf.lock().entries.remove(whose);
    }

    fn used(&self, whose: &str) -> Option<Entry> {
        let mut shelf = self.shelf.lock();
        shelf.uses += 1;
        let now = shelf.uses;
        let entry = shelf.entries.get_mut(whose)?;
        entry.used = now;
        Some(entry.clone())
    }

    fn keep(&self, whose: &Arc<str>, entry: Entry) {
        let mut shelf = self.shelf.lock();
        let used = shelf.uses;
        shelf.entries.insert(whose.clone(), Entry { used, ..entry });
        // Who has learned nothing takes some room, too.
        while shelf.entries.len() > 1 && shelf.entries.values().map(|it| it.lessons + 10).sum::<usize>() > MOST {
            let oldest = shelf.entries.iter().min_by_key(|(_, it)| it.used).map(|(whose, _)| whose.clone());
            oldest.map(|it| shelf.entries.remove(&it));
        }
    }
}
