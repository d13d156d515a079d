//! Hears what happens, and passes it on to the journal: decisions at once, all else in a moment.

use super::note::Note;
use std::sync::Arc;
use toolscout_core::event::{Event, Happening, Witness};
use toolscout_store::journal::Journal;

/// Writes down what it sees.
pub(super) struct Scribe {
    journal: Arc<Journal>,
}

impl Scribe {
    pub(super) fn new(journal: Arc<Journal>) -> Self {
        Self { journal }
    }
}

impl Witness for Scribe {
    fn saw(&self, event: &Event) {
        let Some(note) = Note::of(event) else { return };
        match event.what {
            // What was decided is on record before anybody acts on it, and decisions are few.
            Happening::Decided(_) => self.journal.write(note.into_record()),
            _ => self.journal.push(Box::new(move || note.into_record())),
        }
    }
}
