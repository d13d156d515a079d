//! Knows again what was reviewed before: most starts find what the last one found, and then nothing need be parsed.
//!
//! Beside the records lies what the last review of each source came to: of which definitions, on which terms, by which record.
//! Where all of that is the same, to the byte, another review would come to the same; where anything is another, there is one.
//! Records are looked at for that, unless nothing at all was written where they lie since the last time they were.

use super::{Approvals, SourceReview};
use crate::seal::RowSeal;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;
use toolscout_catalog::findings::Finding;
use toolscout_core::{Digest, Moment, Namespace, ReviewMode, SourceId, Tool};

const PURPOSE: &str = "toolscout reviews that were settled";

/// A run through several sources of one project.
pub(crate) struct ReviewRun<'a> {
    approvals: &'a Approvals,
    /// None where the store has no secret, and nothing can be known again.
    seal: Option<RowSeal>,
    /// How what follows lies in the store.
    row: Option<Vec<u8>>,
    outcomes: BTreeMap<String, CachedReview>,
    /// Stands for all records, as they were when this run began.
    fingerprint: Option<String>,
    has_news: bool,
}

/// What a review came to.
#[derive(Serialize, Deserialize)]
struct CachedReview {
    /// Stands for all records as they were when this one was last looked at.
    #[serde(alias = "imprint")]
    fingerprint: Option<String>,
    /// Stands for the record that it left behind.
    record: String,
    /// Stands for what was reviewed, and on which terms.
    sight: String,
    /// Why each held tool is, by name.
    held: BTreeMap<String, String>,
}

impl Approvals {
    /// Begins a run through some sources.
    pub(crate) fn reviews(&self) -> ReviewRun<'_> {
        let seal = RowSeal::of(&*self.store, PURPOSE).ok();
        let row = self.store.read(Namespace::Settled, &self.partition).ok().flatten();
        let outcomes = seal.as_ref().zip(row.as_ref()).and_then(|(seal, row)| seal.open(&self.partition, row).ok());
        let outcomes = outcomes.and_then(|it| serde_json::from_str(it.as_str()).ok()).unwrap_or_default();
        // Before any record is looked at: what is written meanwhile is looked at again.
        let fingerprint = self.store.fingerprint(Namespace::Approval).map(|it| it.to_string());
        ReviewRun { approvals: self, seal, row, outcomes, fingerprint, has_news: false }
    }
}

impl ReviewRun<'_> {
    /// Decides about everything that a source was found to have, and remembers what is new.
    pub(crate) fn review(
        &mut self,
        source: &SourceId,
        terms: &ReviewMode,
        found: &[Arc<Tool>],
        scan: impl Fn(&Tool) -> Vec<Finding>,
    ) -> SourceReview {
        let sight = self.seal.as_ref().map(|it| it.hash(sight(terms, found)).to_hex().to_string());
        if let Some(held) = self.settled(source, sight.as_deref()) {
            return SourceReview { held, problems: Vec::new() };
        }
        let (checked, record) = self.approvals.review(source, terms, found, scan);
        self.has_news |= self.outcomes.remove(source.as_str()).is_some();
        if let (Some(record), Some(sight)) = (record, sight) {
            // Whoever wrote it may not have been the only one to write since this run began.
            let outcome =
                CachedReview { fingerprint: None, record: record.to_string(), sight, held: checked.held.clone() };
            self.outcomes.insert(source.as_str().to_owned(), outcome);
            self.has_news = true;
        }
        checked
    }

    /// Remembers what this run came to. Where another is faster, or nothing can be kept, there is more to do the next time.
    pub(crate) fn keep(mut self) {
        let Some(seal) = self.seal.take().filter(|_| self.has_news) else { return };
        let place = &self.approvals.partition;
        if let Ok(bytes) = seal.close(place, &self.outcomes) {
            let _ = self.approvals.store.swap(Namespace::Settled, place, self.row.as_deref(), Some(&bytes));
        }
    }

    /// What is held of this sight, if that is known.
    fn settled(&mut self, source: &SourceId, sight: Option<&str>) -> Option<BTreeMap<String, String>> {
        // What could not be kept in the store is in no record there.
        if self.approvals.unkept.lock().contains_key(source) {
            return None;
        }
        let outcome = self.outcomes.get_mut(source.as_str()).filter(|it| Some(it.sight.as_str()) == sight)?;
        if self.fingerprint.is_none() || outcome.fingerprint != self.fingerprint {
            let record = self.approvals.store.read(Namespace::Approval, &self.approvals.place(source)).ok()??;
            if Digest::of_bytes(&record).to_string() != outcome.record {
                return None;
            }
            outcome.fingerprint.clone_from(&self.fingerprint);
            self.has_news |= self.fingerprint.is_some();
        }
        Some(outcome.held.clone())
    }
}

/// All that a review looks at, in a way that no two sights look alike.
fn sight(terms: &ReviewMode, found: &[Arc<Tool>]) -> Vec<u8> {
    let mut all = Vec::with_capacity(found.len() * 384);
    if let ReviewMode::Needed { approves_first_sight, accepts_changes, entry } = terms {
        all.extend([1, u8::from(*approves_first_sight), u8::from(*accepts_changes)]);
        all.extend((entry.len() as u64).to_le_bytes());
        all.extend_from_slice(entry.as_bytes());
    }
    for tool in found {
        tool.stand_in(&mut all);
        all.extend(tool.provenance.seen.map_or(0, |Moment(at)| at).to_le_bytes());
        all.push(u8::from(tool.provenance.seen.is_some()));
    }
    all
}
