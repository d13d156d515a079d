//! Writes events to the journal: decisions at once, everything else in batches.

use super::note::JournalNote;
use std::sync::Arc;
use toolscout_core::event::{Event, EventKind, Observer};
use toolscout_store::journal::Journal;

/// Writes events to the journal.
pub struct JournalObserver {
    journal: Arc<Journal>,
}

impl JournalObserver {
    /// Writes to this journal.
    pub fn new(journal: Arc<Journal>) -> Self {
        Self { journal }
    }
}

impl Observer for JournalObserver {
    fn observe(&self, event: &Event) {
        let Some(note) = JournalNote::from_event(event) else { return };
        match event.kind {
            // A decision is written before it takes effect. Decisions are rare.
            EventKind::Decision(_) => self.journal.write(note.into_record()),
            _ => self.journal.push(Box::new(move || note.into_record())),
        }
    }
}
