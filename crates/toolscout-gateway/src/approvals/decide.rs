//! Lists quarantined tools, and records the operator's decisions about them.

use super::{ATTEMPTS, Approvals, ReviewWrite, StoredReview, UnreliableReview};
use crate::Error;
use serde_json::Value;
use std::sync::Arc;
use toolscout_catalog::diff::{self, DefinitionChange};
use toolscout_catalog::findings::Finding;
use toolscout_catalog::review::{
    CanonicalDefinition, DecisionError, QuarantineReason, QuarantinedDefinition, ReviewRecord,
    ReviewedTool,
};
use toolscout_core::{Digest, Moment, ReviewMode, RowNote, SourceId, Tool, ToolId};

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
    pub is_reverted: bool,
    /// The complete approved definition, if there is one.
    pub approved: Option<Value>,
    /// The complete current definition.
    pub now: Value,
    /// The digest of the current definition. An approval applies to this digest.
    pub digest: Digest,
}

impl Approvals {
    /// The tools of a source that are pending review.
    pub(crate) fn quarantined(
        &self,
        source: &SourceId,
        found: &[Arc<Tool>],
        scan: impl Fn(&Tool) -> Vec<Finding>,
    ) -> Vec<QuarantinedTool> {
        match self.stored_review(source) {
            StoredReview::Record(record, _) => {
                let pairs = found
                    .iter()
                    .filter_map(|tool| Some((tool, record.tools.get(tool.id.name.as_str())?)));
                pairs
                    .filter_map(|(tool, reviewed)| {
                        Some(from_record(
                            tool,
                            reviewed,
                            reviewed.quarantined.as_ref()?,
                            scan(tool),
                        ))
                    })
                    .collect()
            }
            StoredReview::Unreliable(review) => {
                found.iter().map(|tool| from_unreliable(tool, review.reason, scan(tool))).collect()
            }
        }
    }

    /// Approves the quarantined definition of this tool, if it is the one the operator has seen.
    pub(crate) fn approve(&self, id: &ToolId, seen: Option<Digest>, by: &str) -> Result<(), Error> {
        self.decide(id, ("approved", by), |record| {
            record.approve(id.name.as_str(), seen, (self.now)())
        })
    }

    /// Rejects the definition; the tool stays quarantined.
    pub(crate) fn reject(&self, id: &ToolId, by: &str) -> Result<(), Error> {
        self.decide(id, ("rejected", by), |record| record.reject(id.name.as_str(), (self.now)()))
    }

    fn decide(
        &self,
        id: &ToolId,
        (action, by): (&str, &str),
        decision: impl Fn(&mut ReviewRecord) -> Result<(), DecisionError>,
    ) -> Result<(), Error> {
        for _ in 0..ATTEMPTS {
            let (mut record, bytes) = match self.stored_review(&id.source) {
                StoredReview::Record(record, bytes) => (record, bytes),
                StoredReview::Unreliable(review) => {
                    return Err(review.error(&id.source));
                }
            };
            decision(&mut record).map_err(|error| match error {
                DecisionError::NotQuarantined => Error::NotQuarantined { tool: id.clone() },
                DecisionError::ChangedAgain => Error::ChangedAgain { tool: id.clone() },
            })?;
            let note = RowNote { subject: &id.to_string(), action, by };
            if let ReviewWrite::Now(_) = self.write(&id.source, bytes.as_deref(), &record, &note)? {
                return Ok(());
            }
        }
        Err(Error::Contended)
    }

    /// Approves all discovered tools of the source, regardless of the stored record, or none if the
    /// operator has not seen a definition that this would release. Returns the number of tools
    /// released from quarantine.
    pub(crate) fn accept_all(
        &self,
        source: &SourceId,
        terms: &ReviewMode,
        found: &[Arc<Tool>],
        is_seen: impl Fn(&ToolId, Digest) -> bool,
        by: &str,
    ) -> Result<usize, Error> {
        for _ in 0..ATTEMPTS {
            let (mut record, bytes, is_unreliable) = match self.stored_review(source) {
                StoredReview::Record(record, bytes) => (record, bytes, false),
                StoredReview::Unreliable(review) if review.is_newer => {
                    return Err(review.error(source));
                }
                StoredReview::Unreliable(_) => (Box::default(), None, true),
            };
            let mut released = 0;
            for tool in found {
                let reviewed = record.tools.entry(tool.id.name.as_str().to_owned()).or_default();
                if is_unreliable || reviewed.quarantined.is_some() || reviewed.approved.is_none() {
                    let quarantined = newly_quarantined(tool, (self.now)());
                    if !is_seen(&tool.id, quarantined.definition.digest) {
                        return Err(Error::ChangedAgain { tool: tool.id.clone() });
                    }
                    reviewed.quarantined = Some(quarantined);
                    released += 1;
                    // The entry was inserted just above, so the approval cannot fail.
                    let _ = record.approve(tool.id.name.as_str(), None, (self.now)());
                }
            }
            if let ReviewMode::Needed { entry, .. } = terms {
                record.entry = entry.to_string();
            }
            record.listed =
                found.iter().filter_map(|item| item.provenance.last_listed).max().or(record.listed);
            // An unreliable record is not compared but overwritten: the operator has reviewed the
            // tools, and this is the record from now on.
            if is_unreliable {
                self.overwrite(source, &record)?;
                return Ok(released);
            }
            let note = RowNote { subject: source.as_str(), action: "approved", by };
            if let ReviewWrite::Now(_) = self.write(source, bytes.as_deref(), &record, &note)? {
                return Ok(released);
            }
        }
        Err(Error::Contended)
    }
}

impl UnreliableReview {
    /// The error of a decision that needs the record.
    fn error(&self, source: &SourceId) -> Error {
        let source_id = source.clone();
        if self.is_newer {
            return Error::NewerApprovals { source_id };
        }
        Error::Unreliable { source_id, reason: self.full_reason() }
    }
}

fn newly_quarantined(tool: &Tool, at: Moment) -> QuarantinedDefinition {
    let definition = CanonicalDefinition::new(tool);
    QuarantinedDefinition::new(definition, QuarantineReason::New, String::new(), at)
}

fn from_record(
    tool: &Tool,
    reviewed: &ReviewedTool,
    quarantined: &QuarantinedDefinition,
    findings: Vec<Finding>,
) -> QuarantinedTool {
    let approved = reviewed.approved.as_ref().map(|value| &value.definition);
    // Without a definition in between, either the operator rejected the tool, or its approval no
    // longer counts.
    let between = quarantined
        .first
        .as_ref()
        .filter(|_| approved.is_some_and(|value| value.digest == quarantined.definition.digest));
    let other = between.unwrap_or(&quarantined.definition);
    let changes =
        approved.map(|value| diff::changes(&value.value(), &other.value())).unwrap_or_default();
    QuarantinedTool {
        id: tool.id.clone(),
        reason: quarantined.reason.clone(),
        is_rejected: quarantined.cause == QuarantineReason::Rejected,
        since: Some(quarantined.at),
        findings,
        changes,
        is_reverted: between.is_some(),
        approved: approved.map(CanonicalDefinition::value),
        now: quarantined.definition.value(),
        digest: quarantined.definition.digest,
    }
}

fn from_unreliable(tool: &Tool, reason: &str, findings: Vec<Finding>) -> QuarantinedTool {
    QuarantinedTool {
        id: tool.id.clone(),
        reason: reason.to_owned(),
        is_rejected: false,
        since: None,
        findings,
        changes: Vec::new(),
        is_reverted: false,
        approved: None,
        now: tool.definition(),
        digest: tool.digest(),
    }
}
