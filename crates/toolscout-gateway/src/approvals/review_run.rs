//! Caches review outcomes: most starts discover the same tools as the previous one, and then no
//! record needs to be parsed.
//!
//! The outcome of the last review of each source is stored next to the records, with the
//! definitions, the review mode and the record it was based on. If all of these are identical to
//! the byte, another review would have the same outcome; otherwise the source is reviewed again.
//! The check reads a record only if the namespace of the records has changed since the last time.

use super::{Approvals, SourceReview};
use crate::seal::RowSeal;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;
use toolscout_catalog::findings::Finding;
use toolscout_core::{Digest, Moment, Namespace, ReviewMode, SourceId, Tool};

const PURPOSE: &str = "toolscout reviews that were settled";

/// A review of several sources of one project.
pub(crate) struct ReviewRun<'a> {
    approvals: &'a Approvals,
    /// `None` if the store has no secret; then outcomes cannot be reused.
    seal: Option<RowSeal>,
    /// The stored bytes of `outcomes`.
    row: Option<Vec<u8>>,
    outcomes: BTreeMap<String, CachedReview>,
    /// The fingerprint of all records when this run began.
    fingerprint: Option<String>,
    is_changed: bool,
}

/// The cached outcome of a review.
#[derive(Serialize, Deserialize)]
struct CachedReview {
    /// The fingerprint of all records when this one was last read.
    #[serde(alias = "imprint")]
    fingerprint: Option<String>,
    /// The digest of the record that the review wrote.
    record: String,
    /// The hash of the reviewed definitions and of the review mode.
    #[serde(rename = "sight")]
    input_hash: String,
    /// The reason for each quarantined tool, by name.
    #[serde(rename = "held")]
    quarantined: BTreeMap<String, String>,
}

impl Approvals {
    /// Begins a review of several sources.
    pub(crate) fn start_reviews(&self) -> ReviewRun<'_> {
        let seal = RowSeal::new(&*self.store, PURPOSE).ok();
        let row = self.store.read(Namespace::Review, &self.partition).ok().flatten();
        let outcomes = seal
            .as_ref()
            .zip(row.as_ref())
            .and_then(|(seal, row)| seal.open(&self.partition, row).ok());
        let outcomes = outcomes
            .and_then(|outcomes| serde_json::from_str(outcomes.as_str()).ok())
            .unwrap_or_default();
        // Taken before any record is read, so that records written in between are read again.
        let fingerprint =
            self.store.fingerprint(Namespace::Approval).map(|fingerprint| fingerprint.to_string());
        ReviewRun { approvals: self, seal, row, outcomes, fingerprint, is_changed: false }
    }
}

impl ReviewRun<'_> {
    /// Reviews all discovered tools of a source and records the changes.
    pub(crate) fn review(
        &mut self,
        source: &SourceId,
        terms: &ReviewMode,
        found: &[Arc<Tool>],
        scan: impl Fn(&Tool) -> Vec<Finding>,
    ) -> SourceReview {
        let input_hash = self
            .seal
            .as_ref()
            .map(|seal| seal.hash(input_bytes(terms, found)).to_hex().to_string());
        if let Some(quarantined) = self.cached(source, input_hash.as_deref()) {
            return SourceReview { quarantined, diagnostics: Vec::new() };
        }
        let (review, record) = self.approvals.review(source, terms, found, scan);
        self.is_changed |= self.outcomes.remove(source.as_str()).is_some();
        if let (Some(record), Some(input_hash)) = (record, input_hash) {
            // No fingerprint: other processes may also have written since this run began.
            let outcome = CachedReview {
                fingerprint: None,
                record: record.to_string(),
                input_hash,
                quarantined: review.quarantined.clone(),
            };
            self.outcomes.insert(source.as_str().to_owned(), outcome);
            self.is_changed = true;
        }
        review
    }

    /// Stores the outcomes of this run. If another process writes first, or the store cannot be
    /// written, the next run has more to review.
    pub(crate) fn store(mut self) {
        let Some(seal) = self.seal.take().filter(|_| self.is_changed) else { return };
        let partition = &self.approvals.partition;
        if let Ok(bytes) = seal.seal(partition, &self.outcomes) {
            let _ = self.approvals.store.swap(
                Namespace::Review,
                partition,
                self.row.as_deref(),
                Some(&bytes),
            );
        }
    }

    /// The cached quarantine reasons for this input, if the cached outcome is still valid.
    fn cached(
        &mut self,
        source: &SourceId,
        input_hash: Option<&str>,
    ) -> Option<BTreeMap<String, String>> {
        // A record that could not be written exists only in memory, so the store cannot confirm it.
        if self.approvals.unsaved.lock().contains_key(source) {
            return None;
        }
        let outcome = self
            .outcomes
            .get_mut(source.as_str())
            .filter(|outcome| Some(outcome.input_hash.as_str()) == input_hash)?;
        if self.fingerprint.is_none() || outcome.fingerprint != self.fingerprint {
            let record = self
                .approvals
                .store
                .read(Namespace::Approval, &self.approvals.store_key(source))
                .ok()??;
            if Digest::of_bytes(&record).to_string() != outcome.record {
                return None;
            }
            outcome.fingerprint.clone_from(&self.fingerprint);
            self.is_changed |= self.fingerprint.is_some();
        }
        Some(outcome.quarantined.clone())
    }
}

/// Serializes every input of a review; different inputs have different bytes.
fn input_bytes(terms: &ReviewMode, found: &[Arc<Tool>]) -> Vec<u8> {
    let mut all = Vec::with_capacity(found.len() * 384);
    if let ReviewMode::Needed { approves_first_sight, approves_new_tools, accepts_changes, entry } =
        terms
    {
        let rules = [approves_first_sight, approves_new_tools, accepts_changes];
        all.push(1);
        all.extend(rules.map(|rule| u8::from(*rule)));
        all.extend((entry.len() as u64).to_le_bytes());
        all.extend_from_slice(entry.as_bytes());
    }
    for tool in found {
        tool.append_identity(&mut all);
        all.extend(tool.provenance.last_listed.map_or(0, |Moment(at)| at).to_le_bytes());
        all.push(u8::from(tool.provenance.last_listed.is_some()));
    }
    all
}
