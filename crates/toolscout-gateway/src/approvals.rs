//! Remembers which definitions may be used, and lets a person decide about those that wait.
//!
//! What was approved lies in the store, sealed, a row for each source. A row that somebody else has touched counts for
//! nothing: then nothing of the source is approved until a person has looked. Where the store cannot keep anything,
//! decisions hold for as long as the process runs.

mod decide;
mod review_run;

pub use decide::QuarantinedTool;
pub(crate) use review_run::ReviewRun;

use crate::seal::RowSeal;
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;
use toolscout_catalog::findings::Finding;
use toolscout_catalog::review::{ReviewRecord, review};
use toolscout_core::{
    Diagnostic, DiagnosticKind, Digest, MemoryStore, Moment, Namespace, ReviewMode, SourceId, Store, StoreError, Tool,
    ToolId,
};

const PURPOSE: &str = "toolscout approvals of definitions";
/// Of the stored record; one of another version is not relied on.
const VERSION: u32 = 1;
/// Others may write at the same time; each of them gets their turn long before this.
const ATTEMPTS: usize = 64;
/// Up to this many newly held tools of one source are named; more are counted.
const NAMED: usize = 3;

/// The approvals of one project.
#[derive(Clone)]
pub struct Approvals {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) partition: Arc<str>,
    pub(crate) now: Arc<dyn Fn() -> Moment + Send + Sync>,
    /// What could not be kept in the store, by source.
    unkept: Arc<Mutex<BTreeMap<SourceId, ReviewRecord>>>,
}

/// What a review of one source came to.
#[derive(Debug, Default)]
pub(crate) struct SourceReview {
    /// Why each held tool is, by name.
    pub(crate) held: BTreeMap<String, String>,
    /// What is new about it.
    pub(crate) problems: Vec<Diagnostic>,
}

/// What is kept of one source.
enum StoredReview {
    /// This, and how it lies in the store, if it does.
    Record(Box<ReviewRecord>, Option<Vec<u8>>),
    /// Something that cannot be relied on.
    Unreliable(UnreliableReview),
}

/// A record as it is stored, before it is sealed.
#[derive(Serialize)]
struct RecordRow<'a> {
    version: u32,
    #[serde(flatten)]
    record: &'a ReviewRecord,
}

/// What came of keeping a record.
enum ReviewWrite {
    /// It lies there. What stands for it, if it does so in the store.
    Now(Option<Digest>),
    /// Somebody else was faster, and nothing was done.
    ByAnother,
}

/// Why what is kept cannot be relied on.
struct UnreliableReview {
    /// In a few words, for each of many tools.
    reason: &'static str,
    /// Where that comes from, and what to do about it.
    cause: Option<StoreError>,
}

impl UnreliableReview {
    /// All there is to say.
    fn whole(&self) -> String {
        match &self.cause {
            Some(cause) => format!("{} ({cause})", self.reason),
            None => self.reason.to_owned(),
        }
    }
}

impl Approvals {
    /// Those of the project that `partition` stands for.
    pub fn new(store: Arc<dyn Store>, partition: impl Into<Arc<str>>) -> Self {
        Self { store, partition: partition.into(), now: Arc::new(Moment::now), unkept: Arc::default() }
    }

    /// Approvals that end with the process.
    pub fn in_memory() -> Self {
        Self::new(Arc::new(MemoryStore::default()), "memory")
    }

    /// The same, by another clock.
    pub fn by_clock(self, now: impl Fn() -> Moment + Send + Sync + 'static) -> Self {
        Self { now: Arc::new(now), ..self }
    }

    /// Approvals for the sources of some requests only: others may have sources of the same ids, and other tools in them.
    pub(crate) fn of_request(&self, keys: &[Option<String>]) -> Self {
        let whose = blake3::hash(serde_json::json!(keys).to_string().as_bytes()).to_hex();
        let partition = format!("{}+{}", self.partition, &whose[..32]).into();
        Self { store: self.store.clone(), partition, now: self.now.clone(), unkept: Arc::default() }
    }

    /// Forgets a source, as when it is removed from the configuration; says whether there was something. Should it come
    /// again, that is a new first sight.
    pub fn forget(&self, source: &SourceId) -> Result<bool, StoreError> {
        let unkept = self.unkept.lock().remove(source).is_some();
        Ok(self.store.remove(Namespace::Approval, &self.place(source))? || unkept)
    }

    /// Decides about everything that a source was found to have, and remembers what is new. Also says what stands for the
    /// record by which it was decided, where that lies in the store.
    fn review(
        &self,
        source: &SourceId,
        terms: &ReviewMode,
        found: &[Arc<Tool>],
        scan: impl Fn(&Tool) -> Vec<Finding>,
    ) -> (SourceReview, Option<Digest>) {
        for _ in 0..ATTEMPTS {
            let (record, bytes) = match self.kept(source) {
                StoredReview::Record(record, bytes) => (record, bytes),
                StoredReview::Unreliable(doubt) => return (all_held(source, found, &doubt), None),
            };
            let reviewed = review(&record, terms, found, &scan, (self.now)());
            let mut checked = SourceReview { held: reviewed.held, problems: news(source, &reviewed.news) };
            if reviewed.record == *record {
                return (checked, bytes.as_deref().map(Digest::of_bytes));
            }
            match self.keep(source, bytes.as_deref(), &reviewed.record) {
                Ok(ReviewWrite::Now(stamp)) => return (checked, stamp),
                Ok(ReviewWrite::ByAnother) => {}
                Err(error) => {
                    if self.unkept.lock().insert(source.clone(), reviewed.record).is_none() {
                        checked.problems.push(unkept(source, &error));
                    }
                    return (checked, None);
                }
            }
        }
        let reason = "the approvals change faster than they can be read";
        (all_held(source, found, &UnreliableReview { reason, cause: None }), None)
    }

    fn kept(&self, source: &SourceId) -> StoredReview {
        if let Some(record) = self.unkept.lock().get(source) {
            return StoredReview::Record(Box::new(record.clone()), None);
        }
        let bytes = match self.store.read(Namespace::Approval, &self.place(source)) {
            Ok(Some(bytes)) => bytes,
            Ok(None) => return StoredReview::Record(Box::default(), None),
            Err(error) => {
                return StoredReview::Unreliable(UnreliableReview {
                    reason: "the approvals cannot be read",
                    cause: Some(error),
                });
            }
        };
        let record = RowSeal::of(&*self.store, PURPOSE).ok().and_then(|it| it.open(&self.place(source), &bytes).ok());
        match record.and_then(|it| read_record(it.as_str())) {
            Some(record) => StoredReview::Record(Box::new(record), Some(bytes)),
            None => {
                let reason = "the record of approvals was tampered with";
                StoredReview::Unreliable(UnreliableReview { reason, cause: None })
            }
        }
    }

    /// Keeps the record, if what lies there is still what was seen.
    fn keep(&self, source: &SourceId, seen: Option<&[u8]>, record: &ReviewRecord) -> Result<ReviewWrite, StoreError> {
        if let Some(unkept) = self.unkept.lock().get_mut(source) {
            *unkept = record.clone();
            return Ok(ReviewWrite::Now(None));
        }
        let place = self.place(source);
        let bytes = RowSeal::of(&*self.store, PURPOSE)?.close(&place, &RecordRow { version: VERSION, record })?;
        Ok(if self.store.swap(Namespace::Approval, &place, seen, Some(&bytes))? {
            ReviewWrite::Now(Some(Digest::of_bytes(&bytes)))
        } else {
            ReviewWrite::ByAnother
        })
    }

    /// Keeps the record, whatever lies there.
    fn keep_instead(&self, source: &SourceId, record: &ReviewRecord) -> Result<(), StoreError> {
        let place = self.place(source);
        let bytes = RowSeal::of(&*self.store, PURPOSE)?.close(&place, &RecordRow { version: VERSION, record })?;
        self.store.write(Namespace::Approval, &place, &bytes)
    }

    fn place(&self, source: &SourceId) -> String {
        format!("{}/{source}", self.partition)
    }
}

/// `None` if it is no record, or one of a later version.
fn read_record(text: &str) -> Option<ReviewRecord> {
    #[derive(Deserialize)]
    struct RowVersion {
        version: u32,
    }
    let RowVersion { version } = serde_json::from_str(text).ok()?;
    serde_json::from_str(text).ok().filter(|_| version == VERSION)
}

/// Nothing can be relied on, so nothing is used.
fn all_held(source: &SourceId, found: &[Arc<Tool>], doubt: &UnreliableReview) -> SourceReview {
    let held = found.iter().map(|it| (it.id.name.as_str().to_owned(), doubt.reason.to_owned())).collect();
    let problem = Diagnostic::warning(
        DiagnosticKind::Quarantined,
        format!("all tools of `{source}` are quarantined: {}", doubt.whole()),
    );
    let hint = format!("look at them with `toolscout review`, then `toolscout review --accept {source}`");
    SourceReview { held, problems: vec![problem.of(source.clone()).hint(hint)] }
}

fn news(source: &SourceId, held: &[(ToolId, String)]) -> Vec<Diagnostic> {
    let problem =
        |message| Diagnostic::warning(DiagnosticKind::Quarantined, message).of(source.clone()).hint("toolscout review");
    match held {
        [] => Vec::new(),
        few if few.len() <= NAMED => {
            few.iter().map(|(id, reason)| problem(format!("`{id}` is quarantined: {reason}"))).collect()
        }
        [(_, reason), others @ ..] => {
            let are_alike = others.iter().all(|(_, it)| it == reason);
            let reason = if are_alike { format!(": {reason}") } else { String::new() };
            vec![problem(format!("{} tools of `{source}` are quarantined{reason}", held.len()))]
        }
    }
}

fn unkept(source: &SourceId, error: &StoreError) -> Diagnostic {
    let message = format!("approvals for `{source}` last for this run only, since they cannot be stored: {error}");
    Diagnostic::warning(DiagnosticKind::Quarantined, message).of(source.clone()).hint("toolscout doctor")
}
