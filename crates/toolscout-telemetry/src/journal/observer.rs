//! Writes events to the journal: decisions at once, everything else in batches.

use super::note::JournalNote;
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::Arc;
use toolscout_core::event::{Event, EventKind, Observer};
use toolscout_store::journal::{InFlight, Journal};

/// Writes events to the journal.
pub struct JournalObserver {
    journal: Arc<Journal>,
    /// The running calls, by the id of their span.
    running: Mutex<HashMap<[u8; 8], InFlight>>,
}

impl JournalObserver {
    /// Writes to this journal.
    pub fn new(journal: Arc<Journal>) -> Self {
        Self { journal, running: Mutex::default() }
    }
}

impl Observer for JournalObserver {
    fn observe(&self, event: &Event) {
        if let EventKind::CallStarted(start) = &event.kind {
            let body = JournalNote::interrupted_call(event, start);
            if let Some(call) = self.journal.begin(event.at, &body) {
                self.running.lock().insert(event.span.id, call);
            }
            return;
        }
        let Some(note) = JournalNote::from_event(event) else { return };
        match event.kind {
            // A decision is written before it takes effect. Decisions are rare.
            EventKind::Decision(_) => self.journal.write(note.into_record()),
            EventKind::Call(_) => {
                let call = self.running.lock().remove(&event.span.id);
                self.journal.push(Box::new(move || note.into_record()), call);
            }
            _ => self.journal.push(Box::new(move || note.into_record()), None),
        }
    }
}
