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
    Diagnostic, DiagnosticKind, Digest, MemoryStore, Moment, Namespace, ReviewMode, RowNote,
    SourceId, Store, StoreError, Tool, ToolId, is_newer_row,
};

const PURPOSE: &str = "toolscout approvals of definitions";
/// Major version of the stored record. Records of other versions are treated as unreliable.
const VERSION: u32 = 1;
const UNVERIFIED: &str = "the record of approvals cannot be verified";
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
    unsaved: Arc<Mutex<BTreeMap<SourceId, ReviewRecord>>>,
}

/// The outcome of reviewing one source.
#[derive(Debug, Default)]
pub(crate) struct SourceReview {
    /// The reason for each quarantined tool, by name.
    pub(crate) quarantined: BTreeMap<String, String>,
    /// Diagnostics about newly quarantined tools.
    pub(crate) diagnostics: Vec<Diagnostic>,
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
    Conflict,
}

/// The reason why a stored record cannot be relied on.
struct UnreliableReview {
    /// A short reason, shown for each affected tool.
    reason: &'static str,
    /// The underlying store error, if there is one.
    cause: Option<StoreError>,
    /// Whether a later version wrote the record. This one must not replace it.
    is_newer: bool,
}

impl UnreliableReview {
    fn new(reason: &'static str) -> Self {
        Self { reason, cause: None, is_newer: false }
    }

    /// The reason together with its cause.
    fn full_reason(&self) -> String {
        match &self.cause {
            Some(cause) => format!("{} ({cause})", self.reason),
            None => self.reason.to_owned(),
        }
    }
}

impl Approvals {
    /// The approvals of the project identified by `partition`.
    pub fn new(store: Arc<dyn Store>, partition: impl Into<Arc<str>>) -> Self {
        let clock = store.clone();
        Self {
            store,
            partition: partition.into(),
            now: Arc::new(move || clock.now()),
            unsaved: Arc::default(),
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
    pub(crate) fn for_request(&self, keys_hash: blake3::Hash) -> Self {
        let partition = format!("{}+{}", self.partition, &keys_hash.to_hex()[..32]).into();
        Self {
            store: self.store.clone(),
            partition,
            now: self.now.clone(),
            unsaved: Arc::default(),
        }
    }

    /// Forgets a source, for example when it is removed from the configuration. Returns whether a
    /// record existed. If the source returns, its tools count as new; quarantined and rejected
    /// ones stay so. A record that cannot be relied on stays as well: without it, the returning
    /// source would be approved at first sight.
    pub fn forget(&self, source: &SourceId) -> Result<bool, StoreError> {
        let record = match self.stored_review(source) {
            StoredReview::Record(record, _) => record,
            StoredReview::Unreliable(review) => return review.cause.map_or(Ok(true), Err),
        };
        if let Some(remaining) = record.without_approvals() {
            let written = self.overwrite(source, &remaining);
            let mut unsaved = self.unsaved.lock();
            match &written {
                Ok(()) => drop(unsaved.remove(source)),
                // What is quarantined stays so in this run.
                Err(_) => {
                    unsaved.entry(source.clone()).and_modify(|record| *record = remaining);
                }
            }
            return written.map(|()| true);
        }
        let was_unsaved = self.unsaved.lock().remove(source).is_some();
        Ok(self.store.remove(Namespace::Approval, &self.store_key(source))? || was_unsaved)
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
            let (record, bytes) = match self.stored_review(source) {
                StoredReview::Record(record, bytes) => (record, bytes),
                StoredReview::Unreliable(unreliable) => {
                    return (quarantine_all(source, found, &unreliable), None);
                }
            };
            let reviewed = review(&record, terms, found, &scan, (self.now)());
            let mut outcome = SourceReview {
                quarantined: reviewed.quarantined,
                diagnostics: quarantine_diagnostics(source, &reviewed.newly_quarantined),
            };
            if reviewed.record == *record {
                return (outcome, bytes.as_deref().map(Digest::of_bytes));
            }
            let note = RowNote { subject: source.as_str(), action: "reviewed", by: "a discovery" };
            match self.write(source, bytes.as_deref(), &reviewed.record, &note) {
                Ok(ReviewWrite::Now(digest)) => return (outcome, digest),
                Ok(ReviewWrite::Conflict) => {}
                Err(error) => {
                    if self.unsaved.lock().insert(source.clone(), reviewed.record).is_none() {
                        outcome.diagnostics.push(unsaved_diagnostic(source, &error));
                    }
                    return (outcome, None);
                }
            }
        }
        let reason = "the approvals change faster than they can be read";
        (quarantine_all(source, found, &UnreliableReview::new(reason)), None)
    }

    fn stored_review(&self, source: &SourceId) -> StoredReview {
        if let Some(record) = self.unsaved.lock().get(source) {
            return StoredReview::Record(Box::new(record.clone()), None);
        }
        let bytes = match self.store.read(Namespace::Approval, &self.store_key(source)) {
            Ok(Some(bytes)) => bytes,
            Ok(None) => return StoredReview::Record(Box::default(), None),
            Err(error) => {
                return StoredReview::Unreliable(UnreliableReview {
                    cause: Some(error),
                    ..UnreliableReview::new("the approvals cannot be read")
                });
            }
        };
        let record = RowSeal::new(&*self.store, PURPOSE)
            .ok()
            .and_then(|row_seal| row_seal.open(&self.store_key(source), &bytes).ok());
        match record.map(|record| read_record(record.as_str())) {
            Some(Ok(record)) => StoredReview::Record(Box::new(record), Some(bytes)),
            Some(Err(unreliable)) => StoredReview::Unreliable(unreliable),
            None => StoredReview::Unreliable(UnreliableReview::new(UNVERIFIED)),
        }
    }

    /// Writes the record if the stored bytes still equal `seen`.
    fn write(
        &self,
        source: &SourceId,
        expected: Option<&[u8]>,
        record: &ReviewRecord,
        note: &RowNote<'_>,
    ) -> Result<ReviewWrite, StoreError> {
        if let Some(unsaved) = self.unsaved.lock().get_mut(source) {
            *unsaved = record.clone();
            return Ok(ReviewWrite::Now(None));
        }
        let key = self.store_key(source);
        let bytes = RowSeal::new(&*self.store, PURPOSE)?
            .seal(&key, &RecordRow { version: VERSION, record })?;
        Ok(if self.store.swap_noted(Namespace::Approval, &key, expected, Some(&bytes), note)? {
            ReviewWrite::Now(Some(Digest::of_bytes(&bytes)))
        } else {
            ReviewWrite::Conflict
        })
    }

    /// Writes the record unconditionally.
    fn overwrite(&self, source: &SourceId, record: &ReviewRecord) -> Result<(), StoreError> {
        let key = self.store_key(source);
        let bytes = RowSeal::new(&*self.store, PURPOSE)?
            .seal(&key, &RecordRow { version: VERSION, record })?;
        self.store.write(Namespace::Approval, &key, &bytes)
    }

    fn store_key(&self, source: &SourceId) -> String {
        format!("{}/{source}", self.partition)
    }
}

/// Fails if the text is not a record, or is one of another version.
fn read_record(text: &str) -> Result<ReviewRecord, UnreliableReview> {
    #[derive(Deserialize)]
    struct RowVersion {
        version: u32,
    }
    if is_newer_row(text.as_bytes(), VERSION) {
        let newer = UnreliableReview::new("the approvals were written by a newer toolscout");
        return Err(UnreliableReview { is_newer: true, ..newer });
    }
    let unverified = || UnreliableReview::new(UNVERIFIED);
    let RowVersion { version } = serde_json::from_str(text).map_err(|_| unverified())?;
    let record: ReviewRecord = serde_json::from_str(text).map_err(|_| unverified())?;
    if version != VERSION {
        return Err(unverified());
    }
    // The version is a field of the row, not of the record.
    Ok(ReviewRecord { unknown: record.unknown.without("version"), ..record })
}

/// Quarantines all tools of the source, because its record cannot be relied on.
fn quarantine_all(
    source: &SourceId,
    found: &[Arc<Tool>],
    unreliable: &UnreliableReview,
) -> SourceReview {
    let quarantined = found
        .iter()
        .map(|tool| (tool.id.name.as_str().to_owned(), unreliable.reason.to_owned()))
        .collect();
    let diagnostic = Diagnostic::warning(
        DiagnosticKind::Quarantined,
        format!("all tools of `{source}` are quarantined: {}", unreliable.full_reason()),
    );
    let hint = if unreliable.is_newer {
        "upgrade this toolscout".to_owned()
    } else {
        format!(
            "review them with `toolscout review`, then approve them with `toolscout review accept {source}`"
        )
    };
    SourceReview {
        quarantined,
        diagnostics: vec![diagnostic.with_source(source.clone()).with_hint(hint)],
    }
}

fn quarantine_diagnostics(source: &SourceId, quarantined: &[(ToolId, String)]) -> Vec<Diagnostic> {
    let diagnostic = |message| {
        Diagnostic::warning(DiagnosticKind::Quarantined, message)
            .with_source(source.clone())
            .with_hint("toolscout review")
    };
    match quarantined {
        [] => Vec::new(),
        tools if tools.len() <= NAMED => tools
            .iter()
            .map(|(id, reason)| diagnostic(format!("`{id}` is quarantined: {reason}")))
            .collect(),
        [(_, reason), rest @ ..] => {
            let are_alike = rest.iter().all(|(_, other)| other == reason);
            let reason = if are_alike { format!(": {reason}") } else { String::new() };
            vec![diagnostic(format!(
                "{} tools of `{source}` are quarantined{reason}",
                quarantined.len()
            ))]
        }
    }
}

fn unsaved_diagnostic(source: &SourceId, error: &StoreError) -> Diagnostic {
    let message = format!(
        "approvals for `{source}` are valid for this run only, because they could not be stored: {error}"
    );
    Diagnostic::warning(DiagnosticKind::Quarantined, message)
        .with_source(source.clone())
        .with_hint("toolscout doctor")
}
