//! Records which definitions are approved, and lets the operator decide about those pending review.
//!
//! Approvals are sealed rows in the store, one per source. If anything else has modified a row,
//! none of the source's tools is approved until the operator has reviewed them. If the store cannot
//! be written, decisions last as long as the process.

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
    Diagnostic, DiagnosticKind, Digest, MemoryStore, Moment, Namespace, ReviewMode, SourceId,
    Store, StoreError, Tool, ToolId,
};

const PURPOSE: &str = "toolscout approvals of definitions";
/// Version of the stored record. Records of other versions are treated as unreliable.
const VERSION: u32 = 1;
/// Retries when other processes write at the same time. Each writer succeeds long before this
/// limit.
const ATTEMPTS: usize = 64;
/// Diagnostics name up to this many newly quarantined tools of one source; beyond that, they give
/// the count.
const NAMED: usize = 3;

/// The approvals of one project.
#[derive(Clone)]
pub struct Approvals {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) partition: Arc<str>,
    pub(crate) now: Arc<dyn Fn() -> Moment + Send + Sync>,
    /// Records that could not be written to the store, by source.
    unkept: Arc<Mutex<BTreeMap<SourceId, ReviewRecord>>>,
}

/// The outcome of reviewing one source.
#[derive(Debug, Default)]
pub(crate) struct SourceReview {
    /// The reason for each quarantined tool, by name.
    pub(crate) held: BTreeMap<String, String>,
    /// Diagnostics about newly quarantined tools.
    pub(crate) problems: Vec<Diagnostic>,
}

/// The stored review of one source.
enum StoredReview {
    /// The record, and its stored bytes if it is in the store.
    Record(Box<ReviewRecord>, Option<Vec<u8>>),
    /// A record that cannot be relied on.
    Unreliable(UnreliableReview),
}

#[derive(Serialize)]
struct RecordRow<'a> {
    version: u32,
    #[serde(flatten)]
    record: &'a ReviewRecord,
}

/// The outcome of writing a record.
enum ReviewWrite {
    /// The record was written. Contains its digest if it is in the store.
    Now(Option<Digest>),
    /// Another process wrote first; this write had no effect.
    ByAnother,
}

/// The reason why a stored record cannot be relied on.
struct UnreliableReview {
    /// A short reason, shown for each affected tool.
    reason: &'static str,
    /// The underlying store error, if there is one.
    cause: Option<StoreError>,
}

impl UnreliableReview {
    /// The reason together with its cause.
    fn whole(&self) -> String {
        match &self.cause {
            Some(cause) => format!("{} ({cause})", self.reason),
            None => self.reason.to_owned(),
        }
    }
}

impl Approvals {
    /// The approvals of the project identified by `partition`.
    pub fn new(store: Arc<dyn Store>, partition: impl Into<Arc<str>>) -> Self {
        Self {
            store,
            partition: partition.into(),
            now: Arc::new(Moment::now),
            unkept: Arc::default(),
        }
    }

    /// Approvals that last only as long as the process.
    pub fn in_memory() -> Self {
        Self::new(Arc::new(MemoryStore::default()), "memory")
    }

    /// Replaces the clock.
    pub fn by_clock(self, now: impl Fn() -> Moment + Send + Sync + 'static) -> Self {
        Self { now: Arc::new(now), ..self }
    }

    /// Approvals for request-specific sources. Other requests may have sources with the same ids
    /// but different tools.
    pub(crate) fn of_request(&self, keys: &[Option<String>]) -> Self {
        let whose = blake3::hash(serde_json::json!(keys).to_string().as_bytes()).to_hex();
        let partition = format!("{}+{}", self.partition, &whose[..32]).into();
        Self { store: self.store.clone(), partition, now: self.now.clone(), unkept: Arc::default() }
    }

    /// Forgets a source, for example when it is removed from the configuration. Returns whether a
    /// record existed. If the source returns, its tools count as seen for the first time.
    pub fn forget(&self, source: &SourceId) -> Result<bool, StoreError> {
        let unkept = self.unkept.lock().remove(source).is_some();
        Ok(self.store.remove(Namespace::Approval, &self.place(source))? || unkept)
    }

    /// Reviews all discovered tools of a source and records the changes. Also returns the digest of
    /// the record that decided, if it is in the store.
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
            let mut checked =
                SourceReview { held: reviewed.held, problems: news(source, &reviewed.news) };
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
        let record = RowSeal::of(&*self.store, PURPOSE)
            .ok()
            .and_then(|it| it.open(&self.place(source), &bytes).ok());
        match record.and_then(|it| read_record(it.as_str())) {
            Some(record) => StoredReview::Record(Box::new(record), Some(bytes)),
            None => {
                let reason = "the record of approvals cannot be verified";
                StoredReview::Unreliable(UnreliableReview { reason, cause: None })
            }
        }
    }

    /// Writes the record if the stored bytes still equal `seen`.
    fn keep(
        &self,
        source: &SourceId,
        seen: Option<&[u8]>,
        record: &ReviewRecord,
    ) -> Result<ReviewWrite, StoreError> {
        if let Some(unkept) = self.unkept.lock().get_mut(source) {
            *unkept = record.clone();
            return Ok(ReviewWrite::Now(None));
        }
        let place = self.place(source);
        let bytes = RowSeal::of(&*self.store, PURPOSE)?
            .close(&place, &RecordRow { version: VERSION, record })?;
        Ok(if self.store.swap(Namespace::Approval, &place, seen, Some(&bytes))? {
            ReviewWrite::Now(Some(Digest::of_bytes(&bytes)))
        } else {
            ReviewWrite::ByAnother
        })
    }

    /// Writes the record unconditionally.
    fn keep_instead(&self, source: &SourceId, record: &ReviewRecord) -> Result<(), StoreError> {
        let place = self.place(source);
        let bytes = RowSeal::of(&*self.store, PURPOSE)?
            .close(&place, &RecordRow { version: VERSION, record })?;
        self.store.write(Namespace::Approval, &place, &bytes)
    }

    fn place(&self, source: &SourceId) -> String {
        format!("{}/{source}", self.partition)
    }
}

/// Returns `None` if the text is not a record, or is one of another version.
fn read_record(text: &str) -> Option<ReviewRecord> {
    #[derive(Deserialize)]
    struct RowVersion {
        version: u32,
    }
    let RowVersion { version } = serde_json::from_str(text).ok()?;
    serde_json::from_str(text).ok().filter(|_| version == VERSION)
}

/// Quarantines all tools of the source, because its record cannot be relied on.
fn all_held(source: &SourceId, found: &[Arc<Tool>], doubt: &UnreliableReview) -> SourceReview {
    let held =
        found.iter().map(|it| (it.id.name.as_str().to_owned(), doubt.reason.to_owned())).collect();
    let problem = Diagnostic::warning(
        DiagnosticKind::Quarantined,
        format!("all tools of `{source}` are quarantined: {}", doubt.whole()),
    );
    let hint =
        format!("look at them with `toolscout review`, then `toolscout review --accept {source}`");
    SourceReview { held, problems: vec![problem.of(source.clone()).hint(hint)] }
}

fn news(source: &SourceId, held: &[(ToolId, String)]) -> Vec<Diagnostic> {
    let problem = |message| {
        Diagnostic::warning(DiagnosticKind::Quarantined, message)
            .of(source.clone())
            .hint("toolscout review")
    };
    match held {
        [] => Vec::new(),
        few if few.len() <= NAMED => few
            .iter()
            .map(|(id, reason)| problem(format!("`{id}` is quarantined: {reason}")))
            .collect(),
        [(_, reason), others @ ..] => {
            let are_alike = others.iter().all(|(_, it)| it == reason);
            let reason = if are_alike { format!(": {reason}") } else { String::new() };
            vec![problem(format!("{} tools of `{source}` are quarantined{reason}", held.len()))]
        }
    }
}

fn unkept(source: &SourceId, error: &StoreError) -> Diagnostic {
    let message = format!(
        "approvals for `{source}` last for this run only, since they cannot be stored: {error}"
    );
    Diagnostic::warning(DiagnosticKind::Quarantined, message)
        .of(source.clone())
        .hint("toolscout doctor")
}
