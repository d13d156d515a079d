//! The journal: one line per event, in a hash chain that reveals every later change.
//!
//! It is a folder of append-only text files, shared by all processes of a user. Each line is sealed
//! with the store's key together with the seal of the line before it, and a small file, the
//! [`head`], contains the number of lines. So without the key no line can be changed, removed,
//! inserted or cut off unless [`verify`] reports where. Start reading at [`Journal::push`];
//! [`append`] writes lines to the files, [`JournalReader`] reads them.

mod append;
mod chain;
mod follow;
#[cfg(any(test, fuzzing))]
pub(crate) mod fuzz;
mod head;
mod in_flight;
mod line;
mod paths;
mod reader;
mod start;
mod tail;
mod verify;
mod writer;

#[cfg(test)]
mod tests;

pub use chain::{ChainCheck, ChainKey};
pub use follow::{FollowedLine, JournalFollower};
pub use in_flight::InFlight;
pub use line::{ChainHash, ChainPosition};
pub use reader::{JournalQuery, JournalReader, StoredLine};
pub use verify::{ChainBreak, JournalVerification, verify};

use append::JournalFolder;
use in_flight::InFlightFile;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use toolscout_core::{BatchLimits, BatchWriter, Moment, Store};
use writer::Appender;

const LIMITS: BatchLimits = BatchLimits {
    name: "journal",
    capacity: 2_048,
    batch: 2_048,
    delay: Duration::from_millis(100),
};
/// Records that may be queued if there is no thread; then the caller that adds one more writes
/// them.
const UNSTARTED_CAPACITY: usize = 256;

/// Maximum size of one file in bytes; then the next file begins.
pub const SEGMENT: u64 = 4 << 20;
/// Default limit of all files in bytes. The oldest file is deleted when a new one would exceed it.
pub const DEFAULT_LIMIT: u64 = 64 << 20;

/// An event to record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JournalRecord {
    /// The start time of the event.
    pub at: Moment,
    /// The kind of event, one word.
    pub kind: &'static str,
    /// The remaining fields: a JSON object on one line.
    pub body: String,
}

/// Builds a record later, on the writer's side, so that the emitter of an event does not wait for
/// formatting.
pub type PendingRecord = Box<dyn FnOnce() -> JournalRecord + Send>;

/// Writes records for one process, beside others that write into the same folder.
///
/// A failed write stops nothing: it is reported once, and the number of missing records is written
/// as soon as writing works again.
pub struct Journal {
    appender: Arc<Appender>,
    writer: BatchWriter<QueuedRecord>,
    in_flight: Arc<InFlightFile>,
}

/// A queued record, and the work whose end it is.
struct QueuedRecord {
    build: PendingRecord,
    work: Option<InFlight>,
}

/// Called once, with the reason why nothing can be written.
pub type OnWriteError = Box<dyn Fn(&io::Error) + Send + Sync>;

impl Journal {
    /// The journal in this state folder; opens nothing. `limit` is the limit of all files in bytes.
    pub fn new(state: &Path, store: Arc<dyn Store>, limit: u64, on_error: OnWriteError) -> Self {
        let dir = dir(state);
        let in_flight = Arc::new(InFlightFile::new(&dir));
        let appender = Arc::new(Appender::new(JournalFolder::new(dir, store, limit), on_error));
        let writing = appender.clone();
        let writer = BatchWriter::new(LIMITS, move |batch: Vec<QueuedRecord>, dropped| {
            writing.add_lost(dropped);
            let (records, ended): (_, Vec<_>) =
                batch.into_iter().map(|queued| ((queued.build)(), queued.work)).unzip();
            writing.write(records);
            drop(ended);
        });
        Self { appender, writer, in_flight }
    }

    /// Work begins. If this process is killed before the record of its end is written, the journal
    /// gets a record of kind `call` with this body instead: a JSON object on one line.
    ///
    /// Costs a system call. None if the body is too long, or nothing can be written.
    pub fn begin(&self, at: Moment, body: &str) -> Option<InFlight> {
        self.in_flight.begin(at, body)
    }

    /// Queues a record, which may be about the end of this work. Costs about a microsecond: it
    /// touches neither a file nor, as a rule, another thread.
    pub fn push(&self, build: PendingRecord, work: Option<InFlight>) {
        if self.writer.push(QueuedRecord { build, work }) >= UNSTARTED_CAPACITY
            && !self.writer.is_started()
        {
            self.flush();
        }
    }

    /// Writes a record now, before the queued ones. Takes some tens of microseconds.
    pub fn write(&self, record: JournalRecord) {
        self.appender.write(vec![record]);
    }

    /// Writes all queued records and waits for a batch in progress; then every reader sees all of
    /// them.
    pub fn flush(&self) {
        self.writer.flush();
        if self.appender.has_more() {
            self.appender.write(Vec::new());
        }
    }

    /// Starts the writer thread, for a long-running process: pushed records are written within a
    /// tenth of a second. A process that ends soon needs no thread and [flushes](Journal::flush).
    pub fn start(&self) {
        self.writer.start();
    }
}

/// The journal's folder within this state folder.
pub fn dir(state: &Path) -> PathBuf {
    state.join("journal")
}
