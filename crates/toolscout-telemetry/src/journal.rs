//! Writes events to the journal, redacted and shortened.

mod abridge;
mod entry;
mod note;
mod observer;

pub use entry::{EntryDetails, JournalEntry, RecordedHit, RecordedOutcome, RequesterRecord};
pub use observer::JournalObserver;

#[cfg(test)]
pub(crate) use note::JournalNote;
pub(crate) use note::REFUSED;
