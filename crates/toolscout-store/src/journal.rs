//! What happened, one line each, in a chain that shows where somebody has changed it.
//!
//! A folder of text files that only grow, shared by all processes of a person. Each line is sealed with the store's key
//! together with the seal of the line before it, and a small file, the [`head`], says how many there are: so nothing can be
//! changed, taken out, put in or cut off by who does not have the key without [`verify`] saying where. Start reading at
//! [`Journal::push`]; [`book`] is how lines get into the files, [`JournalReader`] how they come out again.

mod book;
mod folder;
mod head;
mod line;
mod reader;
mod tail;
mod verify;
mod writer;

#[cfg(test)]
mod tests;

pub use reader::{JournalQuery, JournalReader, StoredLine};
pub use verify::{ChainBreak, JournalVerification, verify};

use book::JournalFolder;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use toolscout_core::{BatchLimits, BatchWriter, Moment, Store};
use writer::Appender;

const LIMITS: BatchLimits =
    BatchLimits { name: "journal", capacity: 2_048, batch: 2_048, delay: Duration::from_millis(100) };
/// Records that may wait if there is no thread; then the caller that adds one more writes them.
const WITHOUT_THREAD: usize = 256;

/// Bytes of one file; then the next one begins.
pub const SEGMENT: u64 = 4 << 20;
/// Bytes that are kept where nobody says otherwise. The oldest file goes when a new one would make it more.
pub const KEEP: u64 = 64 << 20;

/// Something to write down.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JournalRecord {
    /// When it began.
    pub at: Moment,
    /// What sort of thing it is: a word.
    pub kind: &'static str,
    /// The rest: a JSON object, on one line.
    pub body: String,
}

/// What becomes a record when there is time: whoever tells of something is not to wait until it is put into words.
pub type PendingRecord = Box<dyn FnOnce() -> JournalRecord + Send>;

/// Writes records down; for one process, beside others that write into the same folder.
///
/// That something cannot be written stops nothing: it is said once, and how many records are missing is written down as soon as
/// that works again.
pub struct Journal {
    appender: Arc<Appender>,
    writer: BatchWriter<PendingRecord>,
}

/// Told, once, why nothing can be written.
pub type OnWriteError = Box<dyn Fn(&io::Error) + Send + Sync>;

impl Journal {
    /// The journal below this folder of state; opens nothing. `keep` is how many bytes may be kept.
    pub fn new(state: &Path, store: Arc<dyn Store>, keep: u64, on_trouble: OnWriteError) -> Self {
        let appender = Arc::new(Appender::new(JournalFolder::new(dir(state), store, keep), on_trouble));
        let append = appender.clone();
        let writer = BatchWriter::new(LIMITS, move |batch: Vec<PendingRecord>, dropped| {
            append.add_lost(dropped);
            append.write(batch.into_iter().map(|pending| pending()).collect());
        });
        Self { appender, writer }
    }

    /// Writes it down soon. Costs about a microsecond: neither a file nor, as a rule, another thread is touched.
    pub fn push(&self, pending: PendingRecord) {
        if self.writer.push(pending) >= WITHOUT_THREAD && !self.writer.is_started() {
            self.flush();
        }
    }

    /// Writes it down now, before what waits. Takes some tens of microseconds.
    pub fn write(&self, record: JournalRecord) {
        self.appender.write(vec![record]);
    }

    /// Writes down all that waits, and what is being written; then all of it is there for every reader.
    pub fn flush(&self) {
        self.writer.flush();
        if self.appender.has_lost() {
            self.appender.write(Vec::new());
        }
    }

    /// Has a thread write from now on, for a process that stays: what is pushed is written within a tenth of a second. A process
    /// that is about to end needs none, and [flushes](Journal::flush).
    pub fn keep_writing(&self) {
        self.writer.start();
    }
}

/// Where the journal of this folder of state is.
pub fn dir(state: &Path) -> PathBuf {
    state.join("journal")
}
