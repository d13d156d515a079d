//! What waits for a person, and what they decide.

use super::{ATTEMPTS, Approvals, ReviewWrite, StoredReview};
use crate::Error;
use serde_json::Value;
use std::sync::Arc;
use toolscout_catalog::diff::{self, DefinitionChange};
use toolscout_catalog::findings::Finding;
use toolscout_catalog::review::{
    CanonicalDefinition, DecisionError, QuarantineReason, QuarantinedDefinition, ReviewRecord, ReviewedTool,
};
use toolscout_core::{Digest, Moment, ReviewMode, SourceId, Tool, ToolId};

/// A tool that waits for a person, and everything they need to see. Nothing is cut; who shows it escapes it.
#[derive(Debug, Clone, PartialEq)]
pub struct QuarantinedTool {
    /// Which.
    pub id: ToolId,
    /// Why it is held.
    pub reason: String,
    /// Whether a person has already said no.
    pub is_rejected: bool,
    /// Since when; none where what was approved cannot be relied on.
    pub since: Option<Moment>,
    /// What there is to see in it, worst first.
    pub findings: Vec<Finding>,
    /// What is different from what was approved; where it is as approved again, what was different in between.
    pub changes: Vec<DefinitionChange>,
    /// Whether it is now, again, what was approved.
    pub is_back: bool,
    /// The whole definition that was approved, if one was.
    pub approved: Option<Value>,
    /// The whole definition as it is now.
    pub now: Value,
    /// Of the definition as it is now: what an approval is about.
    pub digest: Digest,
}

impl Approvals {
    /// Which of these tools of a source wait for a person.
    pub(crate) fn held(
        &self,
        source: &SourceId,
        found: &[Arc<Tool>],
        scan: impl Fn(&Tool) -> Vec<Finding>,
    ) -> Vec<QuarantinedTool> {
        match self.kept(source) {
            StoredReview::Record(record, _) => {
                let held = found.iter().filter_map(|it| Some((it, record.tools.get(it.id.name.as_str())?)));
                held.filter_map(|(tool, it)| Some(shown(tool, it, it.held.as_ref()?, scan(tool)))).collect()
            }
            StoredReview::Unreliable(doubt) => found.iter().map(|it| unreliable(it, doubt.reason, scan(it))).collect(),
        }
    }

    /// Approves what is held of this tool, if that is what the person has seen.
    pub(crate) fn approve(&self, id: &ToolId, seen: Option<Digest>) -> Result<(), Error> {
        self.decide(id, |record| record.approve(id.name.as_str(), seen, (self.now)()))
    }

    /// Says no; the tool stays held.
    pub(crate) fn reject(&self, id: &ToolId) -> Result<(), Error> {
        self.decide(id, |record| record.reject(id.name.as_str(), (self.now)()))
    }

    fn decide(
        &self,
        id: &ToolId,
        decision: impl Fn(&mut ReviewRecord) -> Result<(), DecisionError>,
    ) -> Result<(), Error> {
        for _ in 0..ATTEMPTS {
            let (mut record, bytes) = match self.kept(&id.source) {
                StoredReview::Record(record, bytes) => (record, bytes),
                StoredReview::Unreliable(doubt) => {
                    return Err(Error::Unreliable { source_id: id.source.clone(), reason: doubt.whole() });
                }
            };
            decision(&mut record).map_err(|why| match why {
                DecisionError::NotHeld => Error::NotHeld { tool: id.clone() },
                DecisionError::ChangedAgain => Error::ChangedAgain { tool: id.clone() },
            })?;
            if let ReviewWrite::Now(_) = self.keep(&id.source, bytes.as_deref(), &record)? {
                return Ok(());
            }
        }
        Err(Error::Contended)
    }

    /// Approves everything that the source was found to have, whatever is on record; says how many tools were held.
    pub(crate) fn accept_all(
        &self,
        source: &SourceId,
        terms: &ReviewMode,
        found: &[Arc<Tool>],
    ) -> Result<usize, Error> {
        for _ in 0..ATTEMPTS {
            let (mut record, bytes, are_all_held) = match self.kept(source) {
                StoredReview::Record(record, bytes) => (record, bytes, false),
                StoredReview::Unreliable(_) => (Box::default(), None, true),
            };
            let mut released = 0;
            for tool in found {
                let remembered = record.tools.entry(tool.id.name.as_str().to_owned()).or_default();
                if are_all_held || remembered.held.is_some() || remembered.approved.is_none() {
                    remembered.held = Some(waiting(tool, (self.now)()));
                    released += 1;
                    // Just put there, so there is something to approve.
                    let _ = record.approve(tool.id.name.as_str(), None, (self.now)());
                }
            }
            if let ReviewMode::Needed { entry, .. } = terms {
                record.entry = entry.to_string();
            }
            record.listed = found.iter().filter_map(|it| it.provenance.seen).max().or(record.listed);
            // What cannot be relied on is not compared with: a person has looked, and that is the record from now on.
            if are_all_held {
                self.keep_instead(source, &record)?;
                return Ok(released);
            }
            if let ReviewWrite::Now(_) = self.keep(source, bytes.as_deref(), &record)? {
                return Ok(released);
            }
        }
        Err(Error::Contended)
    }
}

fn waiting(tool: &Tool, at: Moment) -> QuarantinedDefinition {
    QuarantinedDefinition {
        definition: CanonicalDefinition::of(tool),
        first: None,
        why: QuarantineReason::New,
        reason: String::new(),
        at,
    }
}

fn shown(
    tool: &Tool,
    remembered: &ReviewedTool,
    held: &QuarantinedDefinition,
    findings: Vec<Finding>,
) -> QuarantinedTool {
    let approved = remembered.approved.as_ref().map(|it| &it.definition);
    // Where nothing came in between, a person rejected it, or what approved it no longer counts.
    let between = held.first.as_ref().filter(|_| approved.is_some_and(|it| it.digest == held.definition.digest));
    let other = between.unwrap_or(&held.definition);
    let changes = approved.map(|it| diff::changes(&it.value(), &other.value())).unwrap_or_default();
    QuarantinedTool {
        id: tool.id.clone(),
        reason: held.reason.clone(),
        is_rejected: held.why == QuarantineReason::Rejected,
        since: Some(held.at),
        findings,
        changes,
        is_back: between.is_some(),
        approved: approved.map(CanonicalDefinition::value),
        now: held.definition.value(),
        digest: held.definition.digest,
    }
}

fn unreliable(tool: &Tool, reason: &str, findings: Vec<Finding>) -> QuarantinedTool {
    QuarantinedTool {
        id: tool.id.clone(),
        reason: reason.to_owned(),
        is_rejected: false,
        since: None,
        findings,
        changes: Vec::new(),
        is_back: false,
        approved: None,
        now: tool.definition(),
        digest: tool.digest(),
    }
}
