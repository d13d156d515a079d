//! Lists quarantined tools, and records the operator's decisions about them.

use super::{ATTEMPTS, Approvals, ReviewWrite, StoredReview};
use crate::Error;
use serde_json::Value;
use std::sync::Arc;
use toolscout_catalog::diff::{self, DefinitionChange};
use toolscout_catalog::findings::Finding;
use toolscout_catalog::review::{
    CanonicalDefinition, DecisionError, QuarantineReason, QuarantinedDefinition, ReviewRecord,
    ReviewedTool,
};
use toolscout_core::{Digest, Moment, ReviewMode, SourceId, Tool, ToolId};

/// A quarantined tool with everything the operator needs for a decision. Nothing is truncated; the
/// code that displays it must escape it.
#[derive(Debug, Clone, PartialEq)]
pub struct QuarantinedTool {
    /// The id of the tool.
    pub id: ToolId,
    /// The reason for the quarantine.
    pub reason: String,
    /// Whether the operator has already rejected this definition.
    pub is_rejected: bool,
    /// The start of the quarantine; `None` if the stored record cannot be relied on.
    pub since: Option<Moment>,
    /// Findings in the definition, worst first.
    pub findings: Vec<Finding>,
    /// The differences from the approved definition. If the definition equals the approved one
    /// again, the differences of the version in between.
    pub changes: Vec<DefinitionChange>,
    /// Whether the definition has changed back to the approved one.
    pub is_back: bool,
    /// The complete approved definition, if there is one.
    pub approved: Option<Value>,
    /// The complete current definition.
    pub now: Value,
    /// The digest of the current definition. An approval applies to this digest.
    pub digest: Digest,
}

impl Approvals {
    /// The tools of a source that are pending review.
    pub(crate) fn held(
        &self,
        source: &SourceId,
        found: &[Arc<Tool>],
        scan: impl Fn(&Tool) -> Vec<Finding>,
    ) -> Vec<QuarantinedTool> {
        match self.kept(source) {
            StoredReview::Record(record, _) => {
                let held = found
                    .iter()
                    .filter_map(|it| Some((it, record.tools.get(it.id.name.as_str())?)));
                held.filter_map(|(tool, it)| Some(shown(tool, it, it.held.as_ref()?, scan(tool))))
                    .collect()
            }
            StoredReview::Unreliable(doubt) => {
                found.iter().map(|it| unreliable(it, doubt.reason, scan(it))).collect()
            }
        }
    }

    /// Approves the quarantined definition of this tool, if it is the one the operator has seen.
    pub(crate) fn approve(&self, id: &ToolId, seen: Option<Digest>) -> Result<(), Error> {
        self.decide(id, |record| record.approve(id.name.as_str(), seen, (self.now)()))
    }

    /// Rejects the definition; the tool stays quarantined.
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
                    return Err(Error::Unreliable {
                        source_id: id.source.clone(),
                        reason: doubt.whole(),
                    });
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

    /// Approves all discovered tools of the source, regardless of the stored record. Returns the
    /// number of tools released from quarantine.
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
                    // The entry was inserted just above, so the approval cannot fail.
                    let _ = record.approve(tool.id.name.as_str(), None, (self.now)());
                }
            }
            if let ReviewMode::Needed { entry, .. } = terms {
                record.entry = entry.to_string();
            }
            record.listed =
                found.iter().filter_map(|it| it.provenance.seen).max().or(record.listed);
            // An unreliable record is not compared but overwritten: the operator has reviewed the
            // tools, and this is the record from now on.
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
    // Without a definition in between, either the operator rejected the tool, or its approval no
    // longer counts.
    let between = held
        .first
        .as_ref()
        .filter(|_| approved.is_some_and(|it| it.digest == held.definition.digest));
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
