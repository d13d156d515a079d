//! What was found for whom, for a while.

use super::{Guests, Keys};
use crate::published::Published;
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::OnceCell;

/// How long what was found counts where something could not be asked.
const PARTIAL: Duration = Duration::from_secs(5);

/// How much is kept.
#[derive(Clone, Copy)]
pub(crate) struct Keeping {
    /// For how many keys.
    pub(crate) entries: usize,
    /// For how long.
    pub(crate) time: Duration,
}

impl Default for Keeping {
    fn default() -> Self {
        Self { entries: 64, time: Duration::from_secs(60) }
    }
}

/// Entries by their keys; those used least recently go first.
pub(super) struct Kept {
    keeping: Keeping,
    shelf: Mutex<Shelf>,
}

#[derive(Default)]
struct Shelf {
    /// With when each was last used.
    entries: HashMap<Keys, (Arc<Entry>, u64)>,
    uses: u64,
}

/// What is known of the requests of one key.
pub(super) struct Entry {
    pub(super) keys: Keys,
    /// Empty while somebody asks.
    pub(super) guests: OnceCell<Guests>,
    /// The last moment that was made of it.
    merged: Mutex<Option<Arc<Published>>>,
}

impl Kept {
    pub(super) fn new(keeping: Keeping) -> Self {
        Self { keeping, shelf: Mutex::default() }
    }

    /// What is known under these keys; an empty entry where that is nothing, or too old.
    pub(super) fn entry(&self, keys: Keys) -> Arc<Entry> {
        let mut shelf = self.shelf.lock();
        shelf.uses += 1;
        let use_now = shelf.uses;
        if let Some((entry, used)) = shelf.entries.get_mut(&keys).filter(|(it, _)| self.counts(it)) {
            *used = use_now;
            return entry.clone();
        }
        let entry = Arc::new(Entry { keys: keys.clone(), guests: OnceCell::new(), merged: Mutex::default() });
        // What nobody asks for any more should not lie around either.
        shelf.entries.retain(|_, (it, _)| self.counts(it));
        shelf.entries.insert(keys, (entry.clone(), use_now));
        while shelf.entries.len() > self.keeping.entries {
            let oldest = shelf.entries.iter().min_by_key(|(_, (_, used))| *used).map(|(keys, _)| keys.clone());
            oldest.map(|it| shelf.entries.remove(&it));
        }
        entry
    }

    pub(super) fn forget(&self, keys: &Keys) {
        self.shelf.lock().entries.remove(keys);
    }

    fn counts(&self, entry: &Entry) -> bool {
        entry.guests.get().is_none_or(|it| {
            let time = if it.is_partial { self.keeping.time.min(PARTIAL) } else { self.keeping.time };
            it.since.elapsed() < time
        })
    }
}

impl Entry {
    /// What was made of it over this very moment.
    pub(super) fn merged(&self, now: &Arc<Published>) -> Option<Arc<Published>> {
        let merged = self.merged.lock().clone()?;
        merged.beneath.as_ref().is_some_and(|it| Arc::ptr_eq(it, now)).then_some(merged)
    }

    /// Keeps what was made, unless somebody was quicker, or knows more.
    pub(super) fn keep(&self, made: Arc<Published>) -> Arc<Published> {
        let mut slot = self.merged.lock();
        match &*slot {
            Some(there) if there.generation >= made.generation => there.clone(),
            _ => slot.insert(made).clone(),
        }
    }
}
